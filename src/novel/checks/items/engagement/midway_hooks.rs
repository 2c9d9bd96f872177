//! A31-062: half each for a rise of the tension above both neighbours at 40 to 60 % and at 80 to 90 % of the text.

use crate::checks::{
    Material,
    features::{head, tension_of},
    items::{Gauge, Measure},
};

/// How many parts the text is divided into; the hills are in the fifth or sixth and in the ninth.
const PARTS: usize = 10;

#[expect(clippy::cast_precision_loss, reason = "there are two hills")]
pub(super) fn measure(material: &Material<'_>, gauge: &Gauge<'_>) -> Measure {
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
    let curve: Vec<f64> = parts.iter().map(|part| tension_of(material, part.iter().copied()).value).collect();
    let hill = gauge.threshold("hill");
    let rises = |tops: std::ops::RangeInclusive<usize>| {
        let (before, after) = (curve[tops.start() - 1], curve[tops.end() + 1]);
        let top = tops.max_by(|one, other| curve[*one].total_cmp(&curve[*other]))?;
        (curve[top] - before.max(after) + 1e-9 >= hill).then_some(top)
    };
    let hills: Vec<usize> = [rises(4..=5), rises(8..=8)].into_iter().flatten().collect();
    let places = hills.iter().filter_map(|top| {
        let (first, last) = (parts[*top].first()?, parts[*top].last()?);
        Some(material.sentences()[*first].source().start..material.sentences()[*last].source().end)
    });
    Measure::of(0.5 * hills.len() as f64).from(hills.len() as f64).at(places)
}
