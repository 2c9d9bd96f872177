//! Rule `kanji_run`: finds long runs of kanji, except names and numbers.

use std::ops::Range;

use super::RuleReporter;
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::{SpanKind, is_kanji},
    morphology::WordOrigin,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let longest = found.limit("longest");
    let names = names(material);
    let rubies = rubies(material);
    let story = material.sentences().iter().filter(|sentence| sentence.is_story());
    for piece in story.flat_map(|sentence| &sentence.pieces) {
        for run in runs(material.text(), &piece.visible) {
            let is_long = |run: &Range<usize>| length(material, run) >= longest;
            if !is_long(&run) || overlapping(&rubies, &run).next().is_some() {
                continue;
            }
            // The dictionary may read a name as part of a longer word: 管理局 in 管理局員.
            let mut known: Vec<Range<usize>> = overlapping(&names, &run).cloned().collect();
            known.extend(within(material, &run));
            known.sort_by_key(|name| name.start);
            for part in without(&run, &known) {
                if is_long(&part) && !is_number(&material.text()[part.clone()]) {
                    let count = length(material, &part);
                    found.push(Finding::at(material.source_of(&part)).with("count", count));
                }
            }
        }
    }
}

fn length(material: &CheckMaterial<'_>, run: &Range<usize>) -> usize {
    material.text()[run.clone()].chars().count()
}

/// Returns the runs of kanji in a piece of text.
fn runs(text: &str, piece: &Range<usize>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, c) in text[piece.clone()].char_indices() {
        let (at, end) = (piece.start + at, piece.start + at + c.len_utf8());
        match runs.last_mut() {
            _ if !is_kanji(c) => {}
            Some(last) if last.end == at => last.end = end,
            _ => runs.push(at..end),
        }
    }
    runs
}

/// Returns the ranges of the novel's names, in the order of the text.
fn names(material: &CheckMaterial<'_>) -> Vec<Range<usize>> {
    let words = material.words().iter();
    let names = words.filter(|word| word.origin == WordOrigin::Name);
    let mut names: Vec<Range<usize>> = names.map(|word| word.visible.clone()).collect();
    names.sort_by_key(|name| name.start);
    names
}

/// Returns the ranges of the bases of rubies, in the order of the text.
fn rubies(material: &CheckMaterial<'_>) -> Vec<Range<usize>> {
    let visible = material.manuscript().visible();
    let spans = material.manuscript().spans().iter();
    let mut bases: Vec<Range<usize>> = spans
        .filter_map(|span| match &span.kind {
            SpanKind::Ruby { base, .. } => Some(visible.from_source(base.start)..visible.from_source(base.end)),
            _ => None,
        })
        .collect();
    bases.sort_by_key(|base| base.start);
    bases
}

/// Iterates over those of some ordered ranges that overlap a run.
fn overlapping<'r>(ranges: &'r [Range<usize>], run: &Range<usize>) -> impl Iterator<Item = &'r Range<usize>> + use<'r> {
    let end = run.end;
    let first = ranges.partition_point(|range| range.end <= run.start);
    ranges[first..].iter().take_while(move |range| range.start < end)
}

/// Returns the occurrences in a run of names of two or more characters.
fn within(material: &CheckMaterial<'_>, run: &Range<usize>) -> Vec<Range<usize>> {
    let text = &material.text()[run.clone()];
    let names = material.context().names.names().iter().map(|name| name.surface.as_str());
    let long = names.filter(|name| name.chars().nth(1).is_some());
    let places = long.flat_map(|name| text.match_indices(name));
    places.map(|(at, name)| run.start + at..run.start + at + name.len()).collect()
}

/// Returns the parts of a run between the names.
fn without(run: &Range<usize>, names: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut at = run.start;
    for name in names {
        parts.push(at..name.start.max(at));
        at = name.end.max(at);
    }
    parts.push(at..run.end.max(at));
    parts
}

/// True if a run contains a number of two or more digits, or a date.
fn is_number(run: &str) -> bool {
    let is_digit = |c: char| "〇零一二三四五六七八九十百千万億兆".contains(c);
    let mut characters = run.chars().peekable();
    while let Some(c) = characters.next() {
        let next = characters.peek().copied();
        if is_digit(c) && next.is_some_and(|next| is_digit(next) || "年月日".contains(next)) {
            return true;
        }
    }
    false
}
