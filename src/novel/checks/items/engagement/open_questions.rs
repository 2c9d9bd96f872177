//! Item A31-063: questions per 1,000 characters, full score at `enough` (1). If the ledger has open threads, the mean
//! of that and of the number of them that the text mentions, full at `threads` (1).

use std::ops::Range;

use crate::checks::{
    CheckMaterial,
    features::{Foreshadowing, questions},
    items::{ItemThresholds, Measure, ramp},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let characters = material.characters();
    if characters == 0 {
        return Measure::not_applicable();
    }
    let asked = questions(material);
    let rate = 1_000.0 * asked.len() as f64 / characters as f64;
    let asks = ramp(rate, 0.0, gauge.threshold("enough"));
    let ledger = material.ledger();
    let episode = material.context().episode;
    let open: Vec<&Foreshadowing> = ledger.entries.iter().filter(|entry| entry.is_open(episode)).collect();
    let threads: Vec<Range<usize>> = open.iter().filter_map(|entry| first_place(entry, material)).collect();
    let kept = ramp(threads.len() as f64, 0.0, gauge.threshold("threads"));
    let score = if open.is_empty() { asks } else { f64::midpoint(asks, kept) };
    let questions = asked.into_iter().map(|at| material.sentences()[at].source());
    Measure::from_score(score).with_value(rate).with_places(threads.into_iter().take(3)).with_places(questions)
}

/// Returns the first place of a keyword of the plant or the hints.
fn first_place(entry: &Foreshadowing, material: &CheckMaterial<'_>) -> Option<Range<usize>> {
    let steps = std::iter::once(&entry.plant).chain(&entry.hints);
    steps.flat_map(|step| step.places(material)).min_by_key(|place| place.start)
}
