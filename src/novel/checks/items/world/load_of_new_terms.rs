//! Item A31-054: half the score for the rate of new terms among the first `head` (2,000) characters, full up to
//! `enough` (5) per 1,000; half for the share of them that is explained, which weighs less the fewer they are.

use std::{collections::HashSet, ops::Range};

use crate::{
    checks::{
        CheckMaterial,
        features::{Script, characteristic_words_of, head, runs},
        items::{ItemThresholds, Measure, ramp},
    },
    manuscript::{CharacterCounts, is_counted},
    morphology::{NameKind, WordOrigin},
};

/// The minimum number of characters of an unknown katakana word.
const UNKNOWN: usize = 3;
/// Phrases next to a term that is being explained.
const BEHIND: [&str; 5] = ["とは", "という", "と呼ば", "と呼ぶ", "のこと"];
const BEFORE: [&str; 2] = ["という", "と呼ばれる"];

/// A term new to the reader.
struct NewTerm {
    visible: Range<usize>,
    sentence: usize,
    /// The base forms of the words of its meaning, any of which counts as an explanation.
    meaning: HashSet<String>,
}

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let head = head(material, gauge.limit("head"));
    let (new, known) = new_terms(material, &head);
    if new.is_empty() {
        return if known { Measure::from_score(1.0).with_value(0.0) } else { Measure::not_applicable() };
    }
    let characters = CharacterCounts::count(&material.text()[head]).characters;
    let load = 1_000.0 * new.len() as f64 / characters.max(1) as f64;
    let window = gauge.limit("explained");
    let (explained, bare): (Vec<&NewTerm>, Vec<&NewTerm>) =
        new.iter().partition(|term| is_explained(material, term, window));
    let share = explained.len() as f64 / new.len() as f64;
    let enough = gauge.threshold("enough");
    // A single unexplained word is acceptable.
    let lacking = (1.0 - share) * ramp(load, 0.0, enough);
    let score = f64::midpoint(ramp(load, gauge.threshold("most"), enough), 1.0 - lacking);
    Measure::from_score(score)
        .with_value(load)
        .with_places(bare.into_iter().chain(explained).map(|term| material.source_of(&term.visible)))
}

/// Returns the new terms in the range `head`, and whether it has terms known from the previous episode.
fn new_terms(material: &CheckMaterial<'_>, head: &Range<usize>) -> (Vec<NewTerm>, bool) {
    let (glossary, words) = (material.glossary(), material.words());
    let previous = material.context().previous.as_deref().unwrap_or_default();
    let mut new = Vec::new();
    let mut known = false;
    for mention in glossary.first_mentions() {
        let (entry, visible) = (&glossary.entries[mention.entry], &words[mention.word].visible);
        // A word of the dictionary is not new to a reader.
        let is_ordinary = words[mention.word].origin == WordOrigin::Dictionary;
        if entry.kind != NameKind::Term || is_ordinary || !head.contains(&visible.start) {
            continue;
        }
        if previous.contains(&entry.name) {
            known = true;
            continue;
        }
        new.push(NewTerm {
            visible: visible.clone(),
            sentence: mention.sentence,
            meaning: entry.said.iter().flat_map(|line| characteristic_words_of(material, line)).collect(),
        });
    }
    let mut seen = HashSet::new();
    for run in runs(material).iter().filter(|run| head.contains(&run.visible.start)) {
        let written = &material.text()[run.visible.clone()];
        if run.script != Script::Katakana || run.is_known || run.characters < UNKNOWN || !seen.insert(written) {
            continue;
        }
        if previous.contains(written) {
            known = true;
            continue;
        }
        new.push(NewTerm { visible: run.visible.clone(), sentence: run.sentence, meaning: HashSet::new() });
    }
    new.sort_by_key(|term| term.visible.start);
    (new, known)
}

fn is_explained(material: &CheckMaterial<'_>, term: &NewTerm, window: usize) -> bool {
    let text = material.text();
    let sentence = &material.sentences()[term.sentence];
    let from = sentence.visible().start;
    let behind = text[term.visible.end..].char_indices().filter(|(_, c)| is_counted(*c)).nth(window);
    let to = behind.map_or(text.len(), |(at, _)| term.visible.end + at);
    let around = &text[from..to];
    let written = &text[term.visible.clone()];
    let is_beside = around.match_indices(written).any(|(at, _)| {
        let (before, behind) = (&around[..at], &around[at + written.len()..]);
        let behind = behind.trim_start_matches(['』', '」', '）', '”', '〉']);
        let before = before.trim_end_matches(['『', '「', '（', '“', '〈']);
        BEHIND.iter().any(|sign| behind.starts_with(sign)) || BEFORE.iter().any(|sign| before.ends_with(sign))
    });
    if is_beside || term.meaning.is_empty() {
        return is_beside;
    }
    let sentences = material.sentences()[term.sentence..].iter().take_while(|next| next.visible().start < to).count();
    let mut words = (term.sentence..term.sentence + sentences).flat_map(|at| material.words_of(at));
    words.any(|word| {
        let is_near = word.visible.start < to
            && (word.visible.end <= term.visible.start || term.visible.end <= word.visible.start);
        is_near && word.is_content() && term.meaning.contains(word.base)
    })
}
