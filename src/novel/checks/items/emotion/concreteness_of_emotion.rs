//! Item A31-001: bodily reactions ÷ (reactions + words of feeling) in the narration, from 0 at `told` to 1 at `shown`.

use crate::checks::{
    CheckMaterial,
    features::{REACH, is_outside_speech},
    items::{ItemThresholds, Measure, ramp},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let feelings = material.feelings();
    let is_told = |sentence: usize| is_outside_speech(material.sentences()[sentence].voice);
    let reactions = feelings.shown.iter().filter(|reaction| reaction.distance <= REACH);
    let shown: Vec<_> = reactions.filter(|reaction| is_told(reaction.sentence)).collect();
    let told: Vec<_> = feelings.named.iter().filter(|feeling| is_told(feeling.sentence)).collect();
    if shown.len() + told.len() < gauge.limit("minimum").max(1) {
        return Measure::not_applicable();
    }
    let share = shown.len() as f64 / (shown.len() + told.len()) as f64;
    let shown = shown.iter().map(|reaction| material.source_of(&reaction.visible)).take(4);
    let told = told.iter().map(|feeling| material.source_of(&feeling.visible)).take(4);
    Measure::from_score(ramp(share, gauge.threshold("told"), gauge.threshold("shown")))
        .with_value(share)
        .with_places(shown.chain(told))
}
