//! Item A31-053: the longest run of narration without a visible action that names at least `terms` (three) terms: 1 up
//! to `enough` (400) characters, 0 from `most` (600) on.

use std::{collections::HashSet, ops::Range};

use crate::{
    checks::{
        CheckMaterial,
        items::{ItemThresholds, Measure, ramp},
    },
    lexicons::VERBS,
    manuscript::TextVoice,
};

/// A run of sentences of narration without any action.
#[derive(Clone, Debug, Default)]
struct ExpositionRun {
    sentences: Option<Range<usize>>,
    characters: usize,
    entries: HashSet<usize>,
}

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    if !material.glossary().has_world() {
        return Measure::not_applicable();
    }
    let terms = gauge.limit("terms");
    let mut longest = ExpositionRun::default();
    let mut mentions = material.glossary().mentions_of_world().peekable();
    for scene in &material.scenes().scenes {
        let mut open = ExpositionRun::default();
        for at in scene.sentences(material) {
            let sentence = &material.sentences()[at];
            let words = material.words_of(at);
            let is_still = sentence.voice == TextVoice::Narration
                && !(0..words.len()).any(|word| VERBS.action.at(words, word).is_some());
            if !is_still {
                keep(std::mem::take(&mut open), terms, &mut longest);
                continue;
            }
            while mentions.next_if(|mention| mention.sentence < at).is_some() {}
            while let Some(mention) = mentions.next_if(|mention| mention.sentence == at) {
                open.entries.insert(mention.entry);
            }
            open.characters += sentence.counts(material.manuscript()).characters;
            open.sentences.get_or_insert(at..at).end = at + 1;
        }
        keep(open, terms, &mut longest);
    }
    let places = longest.sentences.clone().map(|run| {
        let of = |at: usize| material.sentences()[at].source();
        of(run.start).start..of(run.end - 1).end
    });
    let characters = longest.characters as f64;
    Measure::from_score(ramp(characters, gauge.threshold("most"), gauge.threshold("enough")))
        .with_value(characters)
        .with_places(places)
}

fn keep(run: ExpositionRun, terms: usize, longest: &mut ExpositionRun) {
    if run.entries.len() >= terms && run.characters > longest.characters {
        *longest = run;
    }
}
