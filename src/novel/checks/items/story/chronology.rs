//! Item A31-034: 1 less `penalty` for each time in the narration that is earlier than the previous one in its scene.

use crate::checks::{
    CheckMaterial,
    features::Chronology,
    items::{ItemThresholds, Measure},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let told = Chronology::from_material(material);
    if told.most < gauge.limit("times") {
        return Measure::not_applicable();
    }
    let back = told.steps_back.len() as f64;
    let both = told.steps_back.into_iter().flat_map(|step| [step.before, step.after]);
    Measure::from_score(1.0 - gauge.threshold("penalty") * back).with_value(back).with_places(both)
}
