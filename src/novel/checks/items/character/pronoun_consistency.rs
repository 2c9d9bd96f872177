//! Item A31-013: each pronoun that is not on the sheet, or without a sheet is not the most frequent one, deducts
//! `deduction` from 1.

use std::collections::HashMap;

use crate::checks::{
    CheckMaterial,
    features::{CastMember, PronounPerson, SpeechStyle, percent, reading},
    items::{ItemThresholds, Measure},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let sure = percent(gauge.threshold("confidence"));
    let (mut all, mut wrong, mut places) = (0_usize, 0_usize, Vec::new());
    let before = material.previous_speech_styles();
    for (at, member) in material.cast().members.iter().enumerate() {
        let manner = &material.speech_styles().styles[at];
        let before = before.map(|before| &before.styles[at]);
        let right = [PronounPerson::First, PronounPerson::Second]
            .map(|meant| (meant, right(member, meant, before, manner, sure)));
        let mut shown: Option<std::ops::Range<usize>> = None;
        let heard = manner.pronouns.iter().filter(|said| said.percent >= sure);
        for said in heard.clone() {
            let Some((_, right)) = right.iter().find(|(meant, _)| *meant == said.value.person) else {
                continue;
            };
            if right.contains(&said.value.reading) {
                shown.get_or_insert_with(|| said.visible.clone());
            }
        }
        for said in heard {
            all += 1;
            let Some((_, right)) = right.iter().find(|(meant, _)| *meant == said.value.person) else {
                continue;
            };
            if right.is_empty() || right.contains(&said.value.reading) {
                continue;
            }
            wrong += 1;
            // The differing pronoun, and a correct one for comparison.
            places.push(material.source_of(&said.visible));
            places.extend(shown.as_ref().map(|shown| material.source_of(shown)));
        }
    }
    if all == 0 {
        return Measure::not_applicable();
    }
    Measure::from_score(1.0 - gauge.threshold("deduction") * wrong as f64).with_value(wrong as f64).with_places(places)
}

/// Returns the correct pronouns of a character: those of the sheet, else the most frequent one in the previous episode,
/// else here.
fn right(
    member: &CastMember,
    meant: PronounPerson,
    before: Option<&SpeechStyle>,
    here: &SpeechStyle,
    sure: u8,
) -> Vec<String> {
    let listed = if meant == PronounPerson::First { &member.first_person } else { &member.second_person };
    if !listed.is_empty() {
        return listed.iter().map(|pronoun| reading(pronoun)).collect();
    }
    let most = |manner: &SpeechStyle| {
        let mut times: HashMap<String, usize> = HashMap::new();
        for said in manner.pronouns.iter().filter(|said| said.percent >= sure && said.value.person == meant) {
            *times.entry(said.value.reading.clone()).or_default() += 1;
        }
        let most = times.into_iter().max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(&one.0)));
        most.map(|(reading, _)| reading)
    };
    before.and_then(most).or_else(|| most(here)).into_iter().collect()
}
