//! Item A31-026: the share of the plot's key events whose content words occur in one scene, divided by `enough`.

use crate::checks::{
    CheckMaterial,
    items::{ItemThresholds, Measure, ramp, share},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let events = material.context().plot.as_ref().map(crate::project::EpisodePlot::events).unwrap_or_default();
    let looked_for = events.iter().map(|event| material.words_of_scenes().match_event(material, event));
    let events: Vec<_> = looked_for.filter(|event| event.words > 0).collect();
    if events.is_empty() {
        return Measure::not_applicable();
    }
    let of_event = gauge.threshold("words_of_event");
    let found: Vec<_> = events.iter().filter(|event| event.is_found(of_event)).collect();
    let covered = share(found.len(), events.len());
    let sentences = found.iter().filter_map(|event| event.sentence);
    Measure::from_score(ramp(covered, 0.0, gauge.threshold("enough")))
        .with_value(covered)
        .with_places(sentences.map(|at| material.sentences()[at].source()))
}
