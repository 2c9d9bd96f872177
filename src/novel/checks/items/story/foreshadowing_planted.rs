//! Item A31-032: the share of the ledger's plants in this episode that have a keyword in the story.

use crate::checks::{
    CheckMaterial,
    items::{ItemThresholds, Measure, share},
};

pub(super) fn measure(material: &CheckMaterial<'_>, _: &ItemThresholds<'_>) -> Measure {
    let episode = material.context().episode;
    let planned: Vec<_> = material.ledger().planted_in(episode).collect();
    if planned.is_empty() {
        return Measure::not_applicable();
    }
    let found: Vec<_> = planned.iter().map(|entry| entry.plant.places(material)).collect();
    let kept = share(found.iter().filter(|places| !places.is_empty()).count(), planned.len());
    let hints = material.ledger().entries.iter().flat_map(|entry| &entry.hints);
    let hints = hints.filter(|hint| hint.episode == Some(episode)).flat_map(|hint| hint.places(material));
    let first = found.iter().filter_map(|places| places.first().cloned());
    Measure::from_score(kept).with_value(kept).with_places(first.chain(hints))
}
