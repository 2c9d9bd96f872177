//! Item A31-002: words of feeling per 1,000 characters of narration: 1 up to `few`, 0 from `most` on.

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
    let told = material.feelings().named.iter();
    let told: Vec<_> = told.filter(|feeling| is_outside_speech(material.sentences()[feeling.sentence].voice)).collect();
    let rate = per_thousand(told.len(), characters);
    Measure::from_score(ramp(rate, gauge.threshold("most"), gauge.threshold("few")))
        .with_value(rate)
        .with_places(told.iter().map(|feeling| material.source_of(&feeling.visible)))
}
