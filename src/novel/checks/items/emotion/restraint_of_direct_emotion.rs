//! Item A31-002: words of feeling per 1,000 characters of narration: 1 up to `few`, 0 from `most` on.

use crate::checks::{
    Material,
    features::{is_told, told_characters},
    items::{Gauge, Measure, per_thousand, ramp},
};

pub(super) fn measure(material: &Material<'_>, gauge: &Gauge<'_>) -> Measure {
    let characters = told_characters(material);
    if characters < gauge.limit("minimum").max(1) {
        return Measure::not_applicable();
    }
    let told = material.feelings().told.iter();
    let told: Vec<_> = told
        .filter(|feeling| is_told(material.sentences()[feeling.sentence].voice))
        .collect();
    let rate = per_thousand(told.len(), characters);
    Measure::of(ramp(rate, gauge.threshold("most"), gauge.threshold("few")))
        .from(rate)
        .at(told.iter().map(|feeling| material.source_of(&feeling.visible)))
}
