//! Item A31-042: 1 up to a share `most` of the most frequent ending, falling to 0 if all sentences have it, less a
//! penalty for runs of equal endings.

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure, ramp},
        rules::run_selected_rules,
    },
    manuscript::TextVoice,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let endings = &material.metrics().endings;
    if endings.of_sentences.len() < gauge.limit("least") {
        return Measure::not_applicable();
    }
    let top = endings.shares.values().copied().fold(0.0, f64::max);
    let rows = run_selected_rules(material, |rule| rule.name == "ending_repetition");
    let thousands = material.characters_in_voice(TextVoice::Narration).max(1) as f64 / 1_000.0;
    let penalty = gauge.threshold("penalty") * rows.len() as f64 / thousands;
    Measure::from_score(ramp(top, 1.0, gauge.threshold("most")) - penalty.min(gauge.threshold("largest_penalty")))
        .with_value(top)
        .with_places(rows.into_iter().map(|row| row.source))
}
