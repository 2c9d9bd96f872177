//! Item A31-022: the share of lines that begin with speech for narou and kakuyomu, else the share of characters; scored
//! by a trapezoid.

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure, ramp},
    },
    text::DialogueRatio,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let plot = material.context().plot.as_ref();
    let is_alone = plot.is_some_and(|plot| plot.character_names().len() == 1);
    let ratio = DialogueRatio::count(material.manuscript());
    let (share, few, many) = if material.context().is_on_screen() {
        (ratio.by_lines(), gauge.threshold("few_lines"), gauge.threshold("many_lines"))
    } else {
        (ratio.by_characters(), gauge.threshold("few_characters"), gauge.threshold("many_characters"))
    };
    match share.filter(|_| !is_alone) {
        Some(share) => Measure::from_score(ramp(share, 0.0, few).min(ramp(share, 1.0, many))).with_value(share),
        None => Measure::not_applicable(),
    }
}
