//! Item A31-048: findings of the rules that are errors almost beyond doubt, per 1,000 characters.

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure, ramp},
        rules::run_selected_rules,
    },
    manuscript::TextVoice,
};

/// The rules whose findings are errors for every reader.
const RULES: [&str; 8] = [
    "doubled_particle",
    "repeated_word",
    "ra_nuki",
    "sa_ire",
    "double_honorific",
    "misuse",
    "tautology",
    "replacement_character",
];

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let characters = material.characters();
    if characters == 0 {
        return Measure::not_applicable();
    }
    let mut errors = run_selected_rules(material, |rule| RULES.contains(&rule.name));
    // A causative with さ in speech may be the character's voice.
    errors.retain(|error| error.rule != "sa_ire" || material.voice_at(error.source.start) == TextVoice::Narration);
    let rate = errors.len() as f64 * 1_000.0 / characters as f64;
    Measure::from_score(ramp(rate, gauge.threshold("most"), gauge.threshold("few")))
        .with_value(rate)
        .with_places(errors.into_iter().map(|error| error.source))
}
