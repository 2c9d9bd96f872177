//! The items of the category prose technique. Each has a page, and if it is measured a Rust file.

super::category! {
    Technique;
    measured:
        consistency_of_spelling,
        errors_of_language,
        five_senses,
        freshness_of_metaphors,
        lexical_richness,
        rate_of_commas,
        rate_of_figures,
        repetition,
        sense_of_presence,
        sentence_ending_variation,
        sentence_length_variation,
        typography,
    ;
    judged: ;
}
