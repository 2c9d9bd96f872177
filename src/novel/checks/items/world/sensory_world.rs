//! Item A31-056: of the sentences that name a term or a place, the share with a sensory word in or beside them; full
//! score at `enough` (30 %).

use std::collections::{HashMap, HashSet};

use crate::checks::{
    CheckMaterial,
    features::sensory_words::sensory_words,
    items::{ItemThresholds, Measure, ramp},
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let glossary = material.glossary();
    let named: HashSet<usize> = glossary.mentions_of_world().map(|mention| mention.word).collect();
    if named.is_empty() {
        return Measure::not_applicable();
    }
    // A term does not count as a sensory word, even if the lexicon has it.
    let mut senses: HashMap<usize, usize> = HashMap::new();
    for word in sensory_words(material) {
        let words = material.words_of(word.sentence);
        let is_term = glossary
            .entry_named(words[word.words.start].surface)
            .is_some_and(|entry| glossary.entries[entry].is_of_world());
        if !is_term {
            *senses.entry(word.sentence).or_default() += 1;
        }
    }
    let window = gauge.limit("window");
    let (mut all, mut full) = (0_usize, Vec::new());
    let mut sentences: Vec<usize> = glossary.mentions_of_world().map(|mention| mention.sentence).collect();
    sentences.dedup();
    let mut sentences = sentences.into_iter().peekable();
    for scene in &material.scenes().scenes {
        let own = scene.sentences(material);
        while let Some(at) = sentences.next_if(|at| *at < own.end) {
            if !own.contains(&at) {
                continue;
            }
            all += 1;
            let beside = at.saturating_sub(window).max(own.start)..(at + window + 1).min(own.end);
            if beside.into_iter().any(|beside| senses.contains_key(&beside)) {
                full.push(material.sentences()[at].source());
            }
        }
    }
    if all == 0 {
        return Measure::not_applicable();
    }
    let share = full.len() as f64 / all as f64;
    Measure::from_score(ramp(share, 0.0, gauge.threshold("enough"))).with_value(share).with_places(full)
}
