//! The items of the category characters. Each has a page, and if it is measured a Rust file.

super::category! {
    Character;
    measured:
        changing_relationships,
        character_introductions,
        character_through_action,
        clear_motives,
        dialogue_balance,
        distinct_voices,
        forms_of_address,
        pronoun_consistency,
        speaker_clarity,
        speech_style_consistency,
    ;
    judged:
        character_growth,
        personality_consistency,
    ;
}
