//! Item A31-016: each form of address that the relations do not list, or without a list one that differs from the
//! first, deducts `deduction` from 1.

use std::collections::HashMap;

use crate::checks::{
    CheckMaterial,
    features::{SpeechStyle, normal, percent},
    items::{ItemThresholds, Measure},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let sure = percent(gauge.threshold("confidence"));
    let members = &material.cast().members;
    let (mut all, mut wrong) = (0_usize, Vec::new());
    for (at, member) in members.iter().enumerate() {
        // For each addressed character, the correct forms: those of the sheet, else the first one in the previous
        // episode or here.
        let mut right: HashMap<usize, Vec<String>> = HashMap::new();
        for (to, forms) in member.addresses.iter().filter(|(_, forms)| !forms.is_empty()) {
            let to = members.iter().position(|member| member.names().any(|name| name == to));
            right.extend(to.map(|to| (to, forms.iter().map(|form| normal(form)).collect())));
        }
        let before = material.previous_speech_styles().map(|before| &before.styles[at]);
        let here = &material.speech_styles().styles[at];
        let heard = |manner: &SpeechStyle| {
            let sure = manner.addresses.iter().filter(move |said| said.percent >= sure);
            sure.cloned().collect::<Vec<_>>()
        };
        for said in before.map(heard).into_iter().flatten() {
            right.entry(said.value.to).or_insert_with(|| vec![said.value.form]);
        }
        for said in heard(here) {
            all += 1;
            let right = right.entry(said.value.to).or_insert_with(|| vec![said.value.form.clone()]);
            if !right.contains(&said.value.form) {
                wrong.push(material.source_of(&said.visible));
            }
        }
    }
    if all == 0 {
        return Measure::not_applicable();
    }
    let count = wrong.len() as f64;
    Measure::from_score(1.0 - gauge.threshold("deduction") * count).with_value(count).with_places(wrong)
}
