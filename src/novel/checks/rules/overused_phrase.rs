//! Rule `overused_phrase`: finds phrases used more often than their limit.

use std::{collections::HashSet, ops::Range};

use super::{RuleReporter, phrasing};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    lexicons::{FORBIDDEN, LimitedPhrase},
};

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "limits are small and no text has 2⁵² characters"
)]
pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let windows = material.characters() as f64 / found.threshold("window");
    for (entry, mut uses) in FORBIDDEN.overused.iter().zip(uses(material)) {
        let limit = (f64::from(entry.limit) * windows.max(1.0)).floor() as usize;
        uses.sort_by_key(|range| range.start);
        let count = uses.len();
        for range in uses.into_iter().skip(limit) {
            let finding = phrasing::whole(material, Finding::at(range));
            found.push(finding.with("count", count).with("limit", limit));
        }
    }
}

/// Returns the uses of each entry, as ranges of the source.
fn uses(material: &CheckMaterial<'_>) -> Vec<Vec<Range<usize>>> {
    let mut uses = vec![Vec::new(); FORBIDDEN.overused.len()];
    let story = material.sentences().iter().enumerate().filter(|(_, sentence)| sentence.is_story());
    for words in story.map(|(at, _)| material.words_of(at)) {
        for hit in FORBIDDEN.inflected_in(words) {
            let (first, last) = (&words[hit.words.start], &words[hit.words.end - 1]);
            uses[hit.entry].push(first.source.start..last.source.end);
        }
    }
    let words = material.words().iter();
    let edges: HashSet<usize> = words.flat_map(|word| [word.visible.start, word.visible.end]).collect();
    for prose in material.paragraphs() {
        let text = &material.text()[prose.visible.clone()];
        for (entry, uses) in FORBIDDEN.overused.iter().zip(&mut uses).filter(|(entry, _)| entry.is_literal()) {
            let places = text
                .match_indices(entry.phrase.as_str())
                .map(|(at, phrase)| prose.visible.start + at..prose.visible.start + at + phrase.len());
            uses.extend(places.filter(|range| is_whole(entry, range, &edges)).map(|range| material.source_of(&range)));
        }
    }
    uses
}

/// True if a phrase is not part of other words: いつかのように does not contain かのように.
fn is_whole(entry: &LimitedPhrase, range: &Range<usize>, edges: &HashSet<usize>) -> bool {
    !entry.is_hiragana() || (edges.contains(&range.start) && edges.contains(&range.end))
}
