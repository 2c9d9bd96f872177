//! A31-047: the share of phrases that come again on a falling ramp, less a penalty for each word that stands in sentence after
//! sentence.

use crate::checks::{
    Material,
    items::{Gauge, Measure, ramp},
    rules::rows_of_words,
};

#[expect(clippy::cast_precision_loss, reason = "rows are few")]
pub(super) fn measure(material: &Material<'_>, gauge: &Gauge<'_>) -> Measure {
    let words = &material.metrics().words;
    if words.phrases < gauge.limit("least") {
        return Measure::not_applicable();
    }
    let window = gauge.limit("window");
    let again = words.repeated_share(window);
    let rows = rows_of_words(material, gauge.limit("sentences") + 1);
    let places = rows.iter().map(|row| row.first.source.clone());
    let phrases = words.repeats_within(window).map(|repeat| material.source_of(&repeat.visible));
    let score = ramp(again, gauge.threshold("most"), gauge.threshold("few"));
    Measure::of(score - gauge.threshold("penalty") * rows.len() as f64)
        .from(again)
        .at(places.chain(phrases))
}
