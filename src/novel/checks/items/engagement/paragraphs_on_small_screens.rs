//! Item A31-065: 1 up to a share `enough` (15 %) of paragraphs with more than 200 characters, 0 from `most` (50 %) on,
//! less `penalty` (0.3) for each with more than 400; for narou and kakuyomu only.

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure, ramp},
    },
    manuscript::CharacterCounts,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let paragraphs: Vec<_> = material.paragraphs().collect();
    if !material.context().is_on_screen() || paragraphs.is_empty() {
        return Measure::not_applicable();
    }
    let length =
        |visible: &std::ops::Range<usize>| CharacterCounts::count(&material.text()[visible.clone()]).characters;
    let mut long: Vec<_> = paragraphs.iter().map(|paragraph| (length(&paragraph.visible), paragraph)).collect();
    long.retain(|(characters, _)| *characters > gauge.limit("long"));
    let very_long = long.iter().filter(|(characters, _)| *characters > gauge.limit("very_long")).count();
    let share = long.len() as f64 / paragraphs.len() as f64;
    let score =
        ramp(share, gauge.threshold("most"), gauge.threshold("enough")) - gauge.threshold("penalty") * very_long as f64;
    long.sort_by_key(|(characters, _)| std::cmp::Reverse(*characters));
    Measure::from_score(score)
        .with_value(share)
        .with_places(long.into_iter().map(|(_, paragraph)| paragraph.source.clone()))
}
