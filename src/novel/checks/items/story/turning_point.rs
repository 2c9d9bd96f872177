//! Item A31-027: the strength of the change in tension that CUSUM finds, times the score of its position. If the plot
//! names a turning point, the mean of that and of its presence in the text.

use crate::checks::{
    CheckMaterial,
    features::tension,
    items::{ITEMS, ItemThresholds, Measure, ramp, share, trapezoid},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let turn = turn(material, gauge);
    let planned = planned(material).map(|event| {
        // The same threshold as for A31-026.
        let page = ITEMS.iter().find(|item| item.name == "plot_events").map_or(&[][..], |item| &item.page.threshold);
        let is_found = event.is_found(material.tuning().threshold("plot_events", page, "words_of_event"));
        let place = event.sentence.filter(|_| is_found).map(|at| material.sentences()[at].source());
        (f64::from(u8::from(is_found)), place)
    });
    match (turn, planned) {
        (Some(turn), None) => turn,
        (None, Some((found, place))) => Measure::from_score(found).with_places(place),
        (Some(turn), Some((found, place))) => {
            let mean = f64::midpoint(turn.score.unwrap_or_default(), found);
            Measure::from_score(mean)
                .with_value(turn.value.unwrap_or_default())
                .with_places(turn.places.into_iter().chain(place))
        }
        (None, None) => Measure::not_applicable(),
    }
}

/// Finds the change point of the tension and scores its strength and position.
fn turn(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Option<Measure> {
    let sections = &material.scenes().sections;
    if sections.len() < gauge.limit("sections") {
        return None;
    }
    let tensions: Vec<f64> = sections.iter().map(|section| tension(material, section).value).collect();
    let mean = tensions.iter().sum::<f64>() / tensions.len() as f64;
    let mut sum = 0.0;
    let sums = tensions.iter().map(|value| {
        sum += value - mean;
        sum
    });
    // The last sum is always zero and marks no change.
    let sums: Vec<f64> = sums.take(tensions.len() - 1).collect();
    let farthest = sums.iter().enumerate().max_by(|one, other| one.1.abs().total_cmp(&other.1.abs()));
    let (after, _) = farthest?;
    let mean_of = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let (before, later) = tensions.split_at(after + 1);
    let strength = (mean_of(later) - mean_of(before)).abs();
    let read: usize = sections[..=after].iter().map(|section| section.characters).sum();
    let all: usize = sections.iter().map(|section| section.characters).sum();
    let place = trapezoid(share(read, all), gauge.threshold("from"), gauge.threshold("to"), gauge.threshold("margin"));
    // An early turn still counts with the floor.
    let place = place.max(gauge.threshold("floor"));
    let strong = ramp(strength, gauge.threshold("none"), gauge.threshold("enough"));
    let turned = sections[after + 1].paragraphs.first().map(|paragraph| paragraph.source.clone());
    Some(Measure::from_score(strong * place).with_value(strength).with_places(turned))
}

/// Finds the turning point of the plot in the text.
fn planned(material: &CheckMaterial<'_>) -> Option<crate::checks::features::PlotEvent> {
    let plot = material.context().plot.as_ref()?;
    let keys = [&plot.unknown, &plot.story_structure.unknown];
    let named = keys.into_iter().flat_map(|unknown| &unknown.0);
    let (_, text) = named.into_iter().find(|(key, _)| key.as_str() == Some("turning_point"))?;
    let event = material.words_of_scenes().match_event(material, &text.words());
    (event.words > 0).then_some(event)
}
