//! The items of this category; each a page, and where it is measured a file.

super::category! {
    Engagement;
    measured:
        opening_hook, protagonist_at_the_opening, closing_pull, midway_hooks, open_questions, readability, paragraphs_on_small_screens,
        fit_to_readers, links_between_episodes,;
    judged: satisfaction_of_an_episode,;
}
