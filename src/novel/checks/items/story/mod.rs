//! The items of this category; each a page, and where it is measured a file.

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
