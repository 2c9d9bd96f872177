//! Item A31-039: comparisons per 1,000 characters of narration: 1 within the band, falling to `floor` on either side.

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure, ramp},
        rules::similes,
    },
    manuscript::TextVoice,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let characters = material.characters_in_voice(TextVoice::Narration);
    if characters == 0 {
        return Measure::not_applicable();
    }
    let figures = similes(material);
    let rate = figures.len() as f64 * 1_000.0 / characters as f64;
    let few = ramp(rate, 0.0, gauge.threshold("few"));
    let many = ramp(rate, gauge.threshold("most"), gauge.threshold("enough"));
    let floor = gauge.threshold("floor");
    Measure::from_score(floor + (1.0 - floor) * few.min(many))
        .with_value(rate)
        .with_places(figures.iter().map(|figure| material.source_of(figure)))
}
