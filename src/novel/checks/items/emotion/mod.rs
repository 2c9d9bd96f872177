//! The items of the category emotional expression. Each has a page, and if it is measured a Rust file.

super::category! {
    Emotion;
    measured:
        body_reactions,
        concreteness_of_emotion,
        emotion_and_scenery,
        emotional_afterglow,
        emotional_intensity_curve,
        emotional_progression,
        emotional_vocabulary,
        interiority,
        restraint_of_direct_emotion,
    ;
    judged:
        emotional_triggers,
        sympathetic_situations,
        thought_and_action,
    ;
}
