//! Item A31-037: the number of senses with enough words per 1,000 characters, relative to `senses`, less a penalty if
//! sight dominates.

use crate::checks::{
    CheckMaterial,
    features::{Sense, SensoryWord},
    items::{ItemThresholds, Measure, ramp, share},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let thousands = material.characters() as f64 / 1_000.0;
    if thousands == 0.0 {
        return Measure::not_applicable();
    }
    let sensed = material.sensory_words();
    let of = |sense: Sense| sensed.iter().filter(move |word| word.sense == sense);
    let rate = |sense: Sense| of(sense).count() as f64 / thousands;
    let rate_of_use = gauge.threshold("used");
    let used = Sense::ALL.into_iter().filter(|sense| {
        let rate = rate(*sense);
        rate > 0.0 && rate >= rate_of_use
    });
    let used = used.count() as f64;
    let seen = share(of(Sense::Sight).count(), sensed.len());
    let glut = gauge.threshold("penalty") * ramp(seen, gauge.threshold("visual"), 1.0);
    // One word of each sense as evidence.
    let first = Sense::ALL.into_iter().filter_map(|sense| of(sense).next());
    Measure::from_score((used / gauge.threshold("senses")).min(1.0) - glut)
        .with_value(used)
        .with_places(first.map(|word: &SensoryWord| word.source.clone()))
}
