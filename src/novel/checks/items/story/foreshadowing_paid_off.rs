//! Item A31-033: the share of the ledger's payoffs due by this episode that have a keyword in the story.

use crate::checks::{
    CheckMaterial,
    items::{ItemThresholds, Measure, share},
};

pub(super) fn measure(material: &CheckMaterial<'_>, _: &ItemThresholds<'_>) -> Measure {
    let due: Vec<_> = material.ledger().due_in(material.context().episode).collect();
    if due.is_empty() {
        return Measure::not_applicable();
    }
    let found: Vec<_> = due.iter().map(|entry| entry.payoff.places(material)).collect();
    let paid_off = share(found.iter().filter(|places| !places.is_empty()).count(), due.len());
    let first = found.iter().filter_map(|places| places.first().cloned());
    Measure::from_score(paid_off).with_value(paid_off).with_places(first)
}
