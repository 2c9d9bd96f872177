//! Item A31-061: the kinds of open signs in the last `tail` characters (200), full score at `enough` (2): a question,
//! unease, a new person or thing, a voice that breaks off.

use std::ops::Range;

use crate::{
    checks::{
        CheckMaterial,
        features::{ends_in_pause, is_question, tail},
        items::{ItemThresholds, Measure, ramp},
    },
    lexicons::DRAMA,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let tail = tail(material, gauge.limit("tail"));
    let story = material.sentences().iter().enumerate().filter(|(_, sentence)| sentence.is_story());
    let closing: Vec<usize> =
        story.filter(|(_, sentence)| sentence.visible().end > tail.start).map(|(at, _)| at).collect();
    let Some(last) = closing.last() else {
        return Measure::not_applicable();
    };
    let source = |at: usize| material.sentences()[at].source();
    let questions: Vec<Range<usize>> =
        closing.iter().filter(|at| is_question(material, **at)).map(|at| source(*at)).collect();
    let unease = closing.iter().flat_map(|at| {
        let words = material.words_of(*at);
        let hits = DRAMA.unease.find(words).into_iter().map(|hit| &words[hit.words]);
        let hits = hits.filter(|hit| tail.contains(&hit[0].visible.start));
        hits.map(|hit| hit[0].source.start..hit[hit.len() - 1].source.end).collect::<Vec<_>>()
    });
    let unease: Vec<Range<usize>> = unease.collect();
    let words = material.words();
    let new = material.glossary().first_mentions().map(|mention| &words[mention.word]);
    let new: Vec<Range<usize>> = new
        .filter(|word| tail.start > 0 && tail.contains(&word.visible.start))
        .map(|word| word.source.clone())
        .collect();
    let open: Vec<Range<usize>> =
        Some(*last).filter(|last| ends_in_pause(material, *last)).map(source).into_iter().collect();
    let signs = [questions, unease, new, open];
    let kinds = signs.iter().filter(|places| !places.is_empty()).count() as f64;
    let shown = signs.into_iter().flat_map(|places| places.into_iter().take(2));
    Measure::from_score(ramp(kinds, 0.0, gauge.threshold("enough"))).with_value(kinds).with_places(shown)
}
