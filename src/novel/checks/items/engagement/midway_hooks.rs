//! Item A31-062: half the score each for a peak of the tension above both neighbours at 40 to 60 % and at 80 to 90 % of
//! the text, from 0 at `valley` (0.2) below them to full at `hill` (0.05) above.

use crate::checks::{
    CheckMaterial,
    features::{head, tension_of},
    items::{ItemThresholds, Measure, ramp},
};

/// The number of parts of the text. The peaks are in the fifth or sixth and in the ninth.
const PARTS: usize = 10;

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let story = material.sentences().iter().enumerate().filter(|(_, sentence)| sentence.is_story());
    let story: Vec<usize> = story.map(|(at, _)| at).collect();
    if story.len() < gauge.limit("minimum") {
        return Measure::not_applicable();
    }
    let all = head(material, usize::MAX);
    let length = all.len().max(1);
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); PARTS];
    for at in story {
        let visible = material.sentences()[at].visible();
        let middle = visible.start.midpoint(visible.end).saturating_sub(all.start);
        parts[(middle * PARTS / length).min(PARTS - 1)].push(at);
    }
    let mut curve: Vec<f64> = Vec::with_capacity(PARTS);
    for part in &parts {
        // A part without the middle of any sentence takes the value of the previous one.
        let before = curve.last().copied().filter(|_| part.is_empty());
        curve.push(before.unwrap_or_else(|| tension_of(material, part.iter().copied()).value));
    }
    let (hill, valley) = (gauge.threshold("hill"), gauge.threshold("valley"));
    // The height of each peak above its neighbours.
    let rises = [4..=5, 8..=8].map(|tops| {
        let beside = curve[tops.start() - 1].max(curve[tops.end() + 1]);
        let top = tops.max_by(|one, other| curve[*one].total_cmp(&curve[*other])).unwrap_or_default();
        (top, curve[top] - beside)
    });
    let score: f64 = rises.iter().map(|(_, rise)| 0.5 * ramp(rise + 1e-9, -valley, hill)).sum();
    let hills: Vec<usize> = rises.iter().filter(|(_, rise)| rise + 1e-9 >= hill).map(|(top, _)| *top).collect();
    let places = hills.iter().filter_map(|top| {
        let (first, last) = (parts[*top].first()?, parts[*top].last()?);
        Some(material.sentences()[*first].source().start..material.sentences()[*last].source().end)
    });
    Measure::from_score(score).with_value(hills.len() as f64).with_places(places)
}
