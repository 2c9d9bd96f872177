//! The items of the category plot development. Each has a page, and if it is measured a Rust file.

super::category! {
    Story;
    measured:
        act_proportions,
        chronology,
        conflict_and_obstacles,
        foreshadowing_paid_off,
        foreshadowing_planted,
        plot_events,
        scene_lengths,
        scene_transitions,
        tempo,
        turning_point,
    ;
    judged:
        causality,
        surprise_and_inevitability,
    ;
}
