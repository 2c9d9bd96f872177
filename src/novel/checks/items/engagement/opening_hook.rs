//! Item A31-059: 1 if the first `sentences` (3) sentences have a sign of a hook, else 0; at most `worn` (0.3) if they
//! are a hackneyed opening.

use crate::{
    checks::{
        CheckMaterial,
        features::{has_indirect_question, has_pause, head, is_question},
        items::{ItemThresholds, Measure},
    },
    lexicons::{DRAMA, OPENINGS, VERBS},
    manuscript::TextVoice,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let head = head(material, gauge.limit("head"));
    let story = material.sentences().iter().enumerate().filter(|(_, sentence)| sentence.is_story());
    let opening = story.take(gauge.limit("sentences")).filter(|(_, sentence)| sentence.visible().start < head.end);
    let opening: Vec<usize> = opening.map(|(at, _)| at).collect();
    if opening.is_empty() {
        return Measure::not_applicable();
    }
    let words = |at: usize| {
        let all = material.words_of(at);
        &all[..all.partition_point(|word| word.visible.start < head.end)]
    };
    let has = |list: &crate::lexicons::Phrases, at: usize| {
        (0..words(at).len()).any(|word| list.at(words(at), word).is_some())
    };
    let signs: [&dyn Fn(usize) -> bool; 5] = [
        &|at| material.sentences()[at].voice == TextVoice::Dialogue,
        &|at| is_question(material, at) || has_indirect_question(material, at),
        &|at| has(&VERBS.action, at),
        &|at| has(&DRAMA.unease, at),
        &|at| has_pause(material, at),
    ];
    let found = signs.iter().filter(|sign| opening.iter().any(|at| sign(*at))).count();
    let worn: Vec<usize> = opening.iter().copied().filter(|at| has(&OPENINGS, *at)).collect();
    let most = if worn.is_empty() { 1.0 } else { gauge.threshold("worn") };
    let score: f64 = if found >= gauge.limit("signs") { 1.0 } else { 0.0 };
    let shown = if worn.is_empty() { opening } else { worn };
    Measure::from_score(score.min(most))
        .with_value(found as f64)
        .with_places(shown.into_iter().map(|at| material.sentences()[at].source()))
}
