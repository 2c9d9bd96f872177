//! Item A31-064: the readability R of decision 39 relative to a reference text: 0 at the lowest of its windows, 1 above
//! 60 % of them.

use crate::checks::{
    CheckMaterial,
    items::{ItemThresholds, Measure, ramp},
    metrics::VERY_LONG,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let metrics = material.metrics();
    let Some(readability) = metrics.readability.score else {
        return Measure::not_applicable();
    };
    let mut long: Vec<(usize, usize)> =
        metrics.lengths.sentences.iter().copied().filter(|(_, length)| *length > VERY_LONG).collect();
    long.sort_by_key(|(_, length)| std::cmp::Reverse(*length));
    let places = long.into_iter().map(|(at, _)| material.sentences()[at].source());
    Measure::from_score(ramp(readability, gauge.threshold("few"), gauge.threshold("enough")))
        .with_value(readability)
        .with_places(places)
}
