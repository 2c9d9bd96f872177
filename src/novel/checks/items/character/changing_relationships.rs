//! Item A31-020: half the score is the number of exchanges of the pair that talks most, half the change of valence or
//! form of address between the first and the last third.

use std::{collections::HashMap, ops::Range};

use crate::checks::{
    CheckMaterial,
    features::{LinePosition, Person, SURE, part_of, percent},
    items::{ItemThresholds, Measure, ramp},
};

/// The maximum number of sentences of narration within an exchange.
const PAUSE: usize = 2;

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let mut exchanges: HashMap<(Person, Person), Vec<Range<usize>>> = HashMap::new();
    for pair in material.speakers().lines.windows(2) {
        let (Some(one), Some(other)) = (pair[0].likely_speaker(), pair[1].likely_speaker()) else {
            continue;
        };
        let is_exchange = one != other && pair[1].pause <= PAUSE && pair[1].follows != LinePosition::Nothing;
        if is_exchange && one != Person::Somebody && other != Person::Somebody {
            let place = pair[0].visible.start..pair[1].visible.end;
            exchanges.entry(if one < other { (one, other) } else { (other, one) }).or_default().push(place);
        }
    }
    let most = exchanges.into_iter().max_by_key(|(pair, places)| (places.len(), std::cmp::Reverse(pair.clone())));
    let Some((pair, places)) = most.filter(|(_, places)| places.len() >= gauge.limit("minimum").max(1)) else {
        return Measure::not_applicable();
    };
    let feelings = material.feelings();
    let valence = |part: usize| feelings.valence_in(&part_of(material, part, 3)).unwrap_or_default();
    let difference = (valence(2) - valence(0)).abs();
    let is_renamed = is_renamed(material, &pair.0, &pair.1) || is_renamed(material, &pair.1, &pair.0);
    let change = if is_renamed { 1.0 } else { ramp(difference, 0.0, gauge.threshold("valence")) };
    let count = places.len() as f64;
    let talk = ramp(count, 0.0, gauge.threshold("exchanges"));
    let ends = [places.first(), places.last()];
    let ends = ends.into_iter().flatten().map(|visible| material.source_of(visible));
    Measure::from_score(f64::midpoint(talk, change)).with_value(count).with_places(ends)
}

/// True if one character addresses the other differently at the end than at the beginning.
fn is_renamed(material: &CheckMaterial<'_>, one: &Person, other: &Person) -> bool {
    let (Some(one), Some(other)) = (one.member(), other.member()) else {
        return false;
    };
    let said = material.speech_styles().styles[one].addresses.iter();
    let mut said = said.filter(|said| said.value.to == other && said.percent >= percent(SURE));
    let first = said.next().map(|said| &said.value.form);
    said.next_back().map(|said| &said.value.form).is_some_and(|last| Some(last) != first)
}
