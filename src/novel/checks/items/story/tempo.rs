//! Item A31-028: the variation of tension across sections, less `penalty` for each section far longer than the mean.

use crate::checks::{
    CheckMaterial,
    features::tension,
    items::{ItemThresholds, Measure, ramp},
    metrics::Spread,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let sections = &material.scenes().sections;
    if sections.len() < gauge.limit("sections") {
        return Measure::not_applicable();
    }
    let tensions: Vec<f64> = sections.iter().map(|section| tension(material, section).value).collect();
    let variation = Spread::from_numbers(tensions).variation();
    let mean = Spread::from_numbers(sections.iter().map(|section| section.characters as f64)).mean;
    let longest = gauge.threshold("longest") * mean;
    let long: Vec<_> = sections.iter().filter(|section| section.characters as f64 > longest).collect();
    // A long section among many weighs less.
    let tens = (sections.len() as f64 / 10.0).max(1.0);
    let score = ramp(variation, gauge.threshold("flat"), gauge.threshold("enough"));
    Measure::from_score(score - gauge.threshold("penalty") * long.len() as f64 / tens)
        .with_value(variation)
        .with_places(long.iter().map(|section| section.source()))
}
