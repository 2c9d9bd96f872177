//! Item A31-047: the share of repeated phrases, the lower the better, less `penalty` for each word that recurs in
//! consecutive sentences.

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure, ramp},
        rules::rows_of_words,
    },
    manuscript::TextVoice,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let words = &material.metrics().words;
    if words.phrases < gauge.limit("least") {
        return Measure::not_applicable();
    }
    let window = gauge.limit("window");
    let again = words.repeated_share(window);
    let rows = rows_of_words(material, gauge.limit("sentences") + 1);
    // A repetition among many sentences weighs less.
    let thousands = (material.characters_in_voice(TextVoice::Narration) as f64 / 1_000.0).max(1.0);
    let places = rows.iter().map(|row| row.first.source.clone());
    let phrases = words.repeats_within(window).map(|repeat| material.source_of(&repeat.visible));
    let score = ramp(again, gauge.threshold("most"), gauge.threshold("few"));
    Measure::from_score(score - gauge.threshold("penalty") * rows.len() as f64 / thousands)
        .with_value(again)
        .with_places(places.chain(phrases))
}
