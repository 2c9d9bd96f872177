//! Item A31-034: 1 less `penalty` for each time in the narration that is earlier than the previous one in its scene.

use crate::checks::{
    Material,
    features::Chronology,
    items::{Gauge, Measure},
};

#[expect(clippy::cast_precision_loss, reason = "a text has few times")]
pub(super) fn measure(material: &Material<'_>, gauge: &Gauge<'_>) -> Measure {
    let told = Chronology::of(material);
    if told.most < gauge.limit("times") {
        return Measure::not_applicable();
    }
    let back = told.steps_back.len() as f64;
    let both = told.steps_back.into_iter().flat_map(|step| [step.before, step.after]);
    Measure::of(1.0 - gauge.threshold("penalty") * back).from(back).at(both)
}
