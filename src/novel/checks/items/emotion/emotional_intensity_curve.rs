//! Item A31-006: half the score is the variation of intensity across sections, half a peak between `peak_from` and
//! `peak_to` of the text.

use crate::checks::{
    CheckMaterial,
    items::{ItemThresholds, Measure, trapezoid},
    metrics::Spread,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let sections = &material.scenes().sections;
    let all: usize = sections.iter().map(|section| section.characters).sum();
    let mut before = 0;
    let mut strongest = (0.0, 0.0, 0..0);
    let mut intensities = Vec::new();
    for section in sections {
        let loud = material.text()[section.visible()].chars().filter(|c| matches!(c, '！' | '!' | '‼' | '⁉')).count();
        let strength = material.feelings().strength_in(&section.sentences(material)) + 0.5 * loud as f64;
        let intensity = 1000.0 * strength / section.characters.max(1) as f64 / gauge.threshold("unit");
        let middle = (before as f64 + section.characters as f64 / 2.0) / all.max(1) as f64;
        before += section.characters;
        if intensity > strongest.0 {
            strongest = (intensity, middle, section.source());
        }
        intensities.push(intensity);
    }
    if sections.len() < gauge.limit("minimum").max(2) || strongest.0 == 0.0 {
        return Measure::not_applicable();
    }
    let deviation = Spread::from_numbers(intensities).deviation;
    let movement = (deviation / gauge.threshold("movement")).min(1.0);
    let (from, to) = (gauge.threshold("peak_from"), gauge.threshold("peak_to"));
    let peak = trapezoid(strongest.1, from, to, gauge.threshold("peak_margin"));
    Measure::from_score(f64::midpoint(movement, peak)).with_value(deviation).with_places([strongest.2])
}
