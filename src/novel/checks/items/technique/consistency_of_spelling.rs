//! Item A31-044: 1 less `penalty` for each group of spellings and each term of the glossary that the text spells in
//! more than one way.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use crate::{
    checks::{
        CheckMaterial,
        features::ForeshadowingStep,
        items::{ItemThresholds, Measure},
        rules::run_selected_rules,
    },
    lexicons::spellings::SPELLINGS,
    project::YamlValue,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    if material.characters() == 0 {
        return Measure::not_applicable();
    }
    let (groups, mut places) = groups(material);
    let avoided: Vec<Range<usize>> =
        terms(material).filter_map(|avoid| avoid.places(material).into_iter().next()).collect();
    // A whole book may have more variants than an episode.
    let episodes = (material.characters() as f64 / gauge.threshold("episode")).max(1.0);
    let variants = (groups + avoided.len()) as f64;
    places.splice(0..0, avoided);
    Measure::from_score(1.0 - gauge.threshold("penalty") * variants / episodes).with_value(variants).with_places(places)
}

/// Returns the number of groups of spellings that the rule `spelling_variant` reports, and a place of a rarer spelling
/// for each.
fn groups(material: &CheckMaterial<'_>) -> (usize, Vec<Range<usize>>) {
    let found = run_selected_rules(material, |rule| rule.name == "spelling_variant");
    if found.is_empty() {
        return (0, Vec::new());
    }
    let words = material.words();
    let starts: HashMap<usize, usize> = words.iter().enumerate().map(|(at, word)| (word.source.start, at)).collect();
    let mut groups = HashSet::new();
    let mut places = Vec::new();
    for finding in found {
        let Some(start) = starts.get(&finding.source.start) else {
            continue;
        };
        let length = words[*start..].iter().take_while(|word| word.source.end <= finding.source.end).count();
        let hits = SPELLINGS.find(&words[*start..start + length]);
        // One place per group is enough.
        if hits.first().is_some_and(|hit| groups.insert(SPELLINGS.group(hit.entry))) {
            places.push(finding.source);
        }
    }
    (groups.len(), places)
}

/// Iterates over the rejected spellings in the glossary, one step for each term that has any.
fn terms(material: &CheckMaterial<'_>) -> impl Iterator<Item = ForeshadowingStep> {
    let lists = material.context().world.iter().filter_map(|file| file.get("terms"));
    let terms = lists.flat_map(|list| if let YamlValue::List(terms) = list { terms.as_slice() } else { &[] });
    terms.filter_map(|term| {
        let avoid = match term.get("avoid")? {
            YamlValue::List(spellings) => spellings.iter().map(YamlValue::words).collect(),
            one => vec![one.words()],
        };
        Some(ForeshadowingStep { episode: None, keywords: avoid })
    })
}
