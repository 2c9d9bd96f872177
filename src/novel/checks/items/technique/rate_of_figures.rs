//! Item A31-039: comparisons per 1,000 characters of narration: 1 up to `enough`, falling to `floor` at `most`. Narration
//! without any has no score.

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
    let figures = similes(material);
    if figures.is_empty() || characters == 0 {
        return Measure::not_applicable();
    }
    let rate = figures.len() as f64 * 1_000.0 / characters as f64;
    let many = ramp(rate, gauge.threshold("most"), gauge.threshold("enough"));
    let floor = gauge.threshold("floor");
    Measure::from_score(floor + (1.0 - floor) * many)
        .with_value(rate)
        .with_places(figures.iter().map(|figure| material.source_of(figure)))
}
