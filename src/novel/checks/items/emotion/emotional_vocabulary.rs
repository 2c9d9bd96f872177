//! Item A31-010: distinct words of feeling ÷ all of them, full score at `enough`; in longer texts the mean over runs of
//! `window` words.

use std::collections::HashSet;

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure, ramp},
    },
    lexicons::EMOTION,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let told = &material.feelings().named;
    if told.len() < gauge.limit("minimum").max(1) {
        return Measure::not_applicable();
    }
    let window = gauge.limit("window").max(1);
    let runs: Vec<_> = told.chunks_exact(window).collect();
    // A shorter last run is dropped unless it is the only one.
    let runs = if runs.is_empty() { vec![told.as_slice()] } else { runs };
    let distinct = |run: &&[_]| {
        let words: HashSet<&str> =
            run.iter().map(|feeling: &crate::checks::features::Feeling| EMOTION.reading(feeling.entry)).collect();
        words.len() as f64 / run.len() as f64
    };
    let share = runs.iter().map(distinct).sum::<f64>() / runs.len() as f64;
    let mut seen = HashSet::new();
    let again = told.iter().filter(|feeling| !seen.insert(EMOTION.reading(feeling.entry)));
    Measure::from_score(ramp(share, 0.0, gauge.threshold("enough")))
        .with_value(share)
        .with_places(again.map(|feeling| material.source_of(&feeling.visible)))
}
