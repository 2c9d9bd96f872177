//! Item A31-041: the variation of sentence lengths within a band, less `penalty` for each run of long or of short
//! sentences.

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure, ramp},
    },
    manuscript::TextVoice,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let metrics = material.metrics();
    let sentences = &metrics.lengths.sentences;
    if sentences.len() < gauge.limit("least") {
        return Measure::not_applicable();
    }
    let variation = metrics.lengths.spread.variation();
    let (long, short) = (gauge.limit("long"), gauge.limit("short"));
    let both = |is: &dyn Fn(usize) -> bool, one: usize, next: usize| is(sentences[one].1) && is(sentences[next].1);
    let long = metrics.rows.runs(gauge.limit("long_run"), |one, next| both(&|length| length >= long, one, next));
    let short = metrics.rows.runs(gauge.limit("short_run"), |one, next| both(&|length| length <= short, one, next));
    // A run among many sentences weighs less.
    let thousands = (material.characters_in_voice(TextVoice::Narration) as f64 / 1_000.0).max(1.0);
    let rows = (long.len() + short.len()) as f64 / thousands;
    let even = ramp(variation, gauge.threshold("monotonous"), gauge.threshold("few"));
    let uneven = ramp(variation, gauge.threshold("most"), gauge.threshold("enough"));
    let place = |row: std::ops::Range<usize>| {
        let [first, last] = [row.start, row.end - 1].map(|at| material.sentences()[sentences[at].0].source());
        first.start..last.end
    };
    Measure::from_score(even.min(uneven) - gauge.threshold("penalty") * rows)
        .with_value(variation)
        .with_places(long.into_iter().chain(short).map(place))
}
