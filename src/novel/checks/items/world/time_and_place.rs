//! Item A31-052: the mean of two scores weighted by `opening_weight`: time and place, half each, in the first `opening`
//! (800) characters; and the mean of the same over the scenes.

use crate::checks::{
    CheckMaterial,
    features::head,
    items::{ItemThresholds, Measure},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let scenes = &material.scenes().scenes;
    if scenes.is_empty() {
        return Measure::not_applicable();
    }
    let told = material.time_place_mentions();
    let halves = |visible: &std::ops::Range<usize>| {
        0.5 * f64::from(u8::from(told.mentions_time(visible)) + u8::from(told.mentions_place(visible)))
    };
    let opening = halves(&head(material, gauge.limit("opening")));
    let of_scenes: Vec<f64> = scenes.iter().map(|scene| halves(&scene.visible())).collect();
    let mean = of_scenes.iter().sum::<f64>() / of_scenes.len() as f64;
    let weight = gauge.threshold("opening_weight");
    let lacking = scenes.iter().zip(&of_scenes).filter(|(_, score)| **score < 1.0);
    Measure::from_score(weight * opening + (1.0 - weight) * mean)
        .with_value(mean)
        .with_places(lacking.filter_map(|(scene, _)| scene.paragraphs.first().map(|first| first.source.clone())))
}
