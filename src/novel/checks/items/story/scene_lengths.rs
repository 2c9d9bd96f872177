//! Item A31-029: the variation of scene lengths within a band, less `penalty` for each scene that takes nearly half of
//! the text.

use crate::checks::{
    CheckMaterial,
    items::{ItemThresholds, Measure, ramp, share},
    metrics::Spread,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let scenes = &material.scenes().scenes;
    if scenes.len() < gauge.limit("scenes") {
        return Measure::not_applicable();
    }
    let variation = Spread::from_numbers(scenes.iter().map(|scene| scene.characters as f64)).variation();
    let all: usize = scenes.iter().map(|scene| scene.characters).sum();
    let largest = gauge.threshold("largest");
    let large: Vec<_> = scenes.iter().filter(|scene| share(scene.characters, all) > largest).collect();
    let even = ramp(variation, 0.0, gauge.threshold("even"));
    let uneven = ramp(variation, gauge.threshold("most"), gauge.threshold("uneven"));
    Measure::from_score(even.min(uneven) - gauge.threshold("penalty") * large.len() as f64)
        .with_value(variation)
        .with_places(large.iter().map(|scene| scene.source()))
}
