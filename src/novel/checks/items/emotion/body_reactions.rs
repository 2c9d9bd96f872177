//! Item A31-003: bodily reactions per 1,000 characters of narration, full score at `enough`, less `deduction` if one
//! recurs too often.

use std::collections::HashMap;

use crate::checks::{
    CheckMaterial,
    features::{characters_outside_speech, is_outside_speech},
    items::{ItemThresholds, Measure, per_thousand, ramp},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let characters = characters_outside_speech(material);
    if characters < gauge.limit("minimum").max(1) {
        return Measure::not_applicable();
    }
    let window = gauge.limit("window");
    let shown = material.feelings().shown.iter().filter(|reaction| reaction.distance <= window);
    let shown: Vec<_> =
        shown.filter(|reaction| is_outside_speech(material.sentences()[reaction.sentence].voice)).collect();
    let told = material.feelings().named.iter();
    let told = told.filter(|feeling| is_outside_speech(material.sentences()[feeling.sentence].voice)).count();
    if shown.len() + told < gauge.limit("feelings") {
        return Measure::not_applicable();
    }
    let mut times = HashMap::new();
    for reaction in &shown {
        *times.entry(&reaction.gesture).or_insert(0_usize) += 1;
    }
    let often = gauge.limit("repeats");
    let rate = per_thousand(shown.len(), characters);
    let is_tic = times.values().any(|times| *times >= often);
    let deduction = if is_tic { gauge.threshold("deduction") } else { 0.0 };
    let mut shown = shown;
    // Evidence begins with the reactions that recur too often.
    shown.sort_by_key(|reaction| times[&reaction.gesture] < often);
    Measure::from_score(ramp(rate, 0.0, gauge.threshold("enough")) - deduction)
        .with_value(rate)
        .with_places(shown.iter().map(|reaction| material.source_of(&reaction.visible)))
}
