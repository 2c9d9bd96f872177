//! The items of the category reader engagement. Each has a page, and if it is measured a Rust file.

super::category! {
    Engagement;
    measured:
        opening_hook, protagonist_at_the_opening, closing_pull, midway_hooks, open_questions, readability, paragraphs_on_small_screens,
        fit_to_readers, links_between_episodes,;
    judged: satisfaction_of_an_episode,;
}
