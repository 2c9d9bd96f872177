//! Item A31-043: the mean number of commas per sentence within a band, lowered by up to half if many sentences have too
//! many.

use crate::checks::{
    CheckMaterial,
    items::{ItemThresholds, Measure, ramp, share},
};

/// The maximum share of the score that sentences with too many commas can cost.
const MAX_LOSS: f64 = 0.5;

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let metrics = material.metrics();
    let commas = &metrics.commas;
    if commas.of_sentences.len() < gauge.limit("least") {
        return Measure::not_applicable();
    }
    let mean = commas.spread.mean;
    let many = gauge.limit("many");
    let full: Vec<usize> = (0..commas.of_sentences.len()).filter(|at| commas.of_sentences[*at] > many).collect();
    let too_full = ramp(
        share(full.len(), commas.of_sentences.len()),
        gauge.threshold("share_of_many"),
        gauge.threshold("largest_share_of_many"),
    );
    let few = ramp(mean, gauge.threshold("none"), gauge.threshold("few"));
    let too_many = ramp(mean, gauge.threshold("most"), gauge.threshold("enough"));
    let places = full.into_iter().map(|at| material.sentences()[metrics.lengths.sentences[at].0].source());
    Measure::from_score(few.min(too_many) * (1.0 - MAX_LOSS * too_full)).with_value(mean).with_places(places)
}
