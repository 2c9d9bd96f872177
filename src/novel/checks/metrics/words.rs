//! The vocabulary of narration: its variety, the openings of sentences, and repeated phrases.
//!
//! Variety is MATTR, the moving-average type-token ratio: the mean over all windows of 100 content words of the share
//! of distinct ones, by base form. A phrase is four words in a row within a sentence, without punctuation, with at
//! least two content words that are not names (novel-checks 2.2).

use std::{collections::HashMap, ops::Range};

use super::{SentenceLengths, share};
use crate::{
    checks::material::CheckMaterial,
    lexicons::connectives::CONNECTIVES,
    morphology::{Morpheme, WordOrigin},
};

/// The number of content words of a window of MATTR (novel-checks 2.2).
pub const WINDOW: usize = 100;

/// The number of words of a phrase.
const PHRASE: usize = 4;

/// The minimum number of content words of a phrase.
const CONTENT: usize = 2;

/// The vocabulary of narration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VocabularyMetrics {
    /// The number of content words.
    pub content: usize,
    /// MATTR, from 0 to 1; for fewer words than a window the share of distinct ones; `None` without words.
    pub variety: Option<f64>,
    /// The sentences that begin with a conjunction.
    pub conjunctions: Vec<ConjunctionOpening>,
    /// The share of sentences that begin with a conjunction.
    pub conjunction_share: f64,
    pub phrases: usize,
    /// The phrases that occurred before.
    pub repeats: Vec<Repeat>,
}

/// A conjunction at the beginning of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConjunctionOpening {
    /// The index of the sentence in [`SentenceLengths::sentences`].
    pub nth: usize,
    /// The byte range of the conjunction in the visible text.
    pub visible: Range<usize>,
}

/// A repetition of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The byte range of the repetition in the visible text.
    pub visible: Range<usize>,
    /// The number of words of narration since the previous occurrence.
    pub distance: usize,
}

impl VocabularyMetrics {
    pub(super) fn from_material(material: &CheckMaterial<'_>, lengths: &SentenceLengths) -> Self {
        let sentences = || lengths.sentences.iter().map(|(at, _)| material.words_of(*at));
        let content: Vec<&str> = sentences().flatten().filter(|word| word.is_content()).map(|word| word.base).collect();
        let openings = sentences().enumerate();
        let conjunctions: Vec<ConjunctionOpening> = openings
            .filter_map(|(nth, words)| conjunction(words).map(|visible| ConjunctionOpening { nth, visible }))
            .collect();
        let (phrases, repeats) = repeats(sentences());
        Self {
            content: content.len(),
            variety: variety(&content, WINDOW),
            conjunction_share: share(conjunctions.len(), lengths.sentences.len()),
            conjunctions,
            phrases,
            repeats,
        }
    }

    /// Iterates over the repetitions within `window` words.
    pub fn repeats_within(&self, window: usize) -> impl Iterator<Item = &Repeat> {
        self.repeats.iter().filter(move |repeat| repeat.distance <= window)
    }

    /// Returns the share of all phrases that are repeated within `window` words.
    pub fn repeated_share(&self, window: usize) -> f64 {
        share(self.repeats_within(window).count(), self.phrases)
    }
}

/// Returns the conjunction that a sentence begins with, after any punctuation.
fn conjunction(words: &[Morpheme<'_>]) -> Option<Range<usize>> {
    let first = words.iter().position(|word| !word.has_parts(&["記号"]))?;
    let hit = CONNECTIVES.conjunctions.at(words, first)?;
    Some(words[hit.words.start].visible.start..words[hit.words.end - 1].visible.end)
}

/// Returns MATTR: the mean share of distinct words over all windows of a length, moved by one word each. For fewer
/// words it is their own share of distinct ones; `None` without words.
pub fn variety(words: &[&str], window: usize) -> Option<f64> {
    let window = window.min(words.len());
    if window == 0 {
        return None;
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let (mut sum, mut stretches) = (0, 0);
    for (at, word) in words.iter().enumerate() {
        *counts.entry(word).or_default() += 1;
        if let Some(left) = at.checked_sub(window)
            && let Some(count) = counts.get_mut(words[left])
        {
            *count -= 1;
            if *count == 0 {
                counts.remove(words[left]);
            }
        }
        if at + 1 >= window {
            sum += counts.len();
            stretches += 1;
        }
    }
    Some(share(sum, stretches * window))
}

/// Returns the number of phrases, and those that occurred before.
fn repeats<'w, 'a: 'w>(sentences: impl Iterator<Item = &'w [Morpheme<'a>]>) -> (usize, Vec<Repeat>) {
    let words: Vec<&Morpheme<'_>> = sentences.flatten().filter(|word| !word.has_parts(&["記号"])).collect();
    let surfaces: Vec<&str> = words.iter().map(|word| word.surface).collect();
    let carries = |word: &&&Morpheme<'_>| word.is_content() && word.origin != WordOrigin::Name;
    let mut last_seen: HashMap<&[&str], usize> = HashMap::new();
    let (mut phrases, mut repeats) = (0, Vec::new());
    for (here, phrase) in words.windows(PHRASE).enumerate() {
        let (first, last) = (phrase[0], phrase[PHRASE - 1]);
        if first.sentence != last.sentence || phrase.iter().filter(carries).count() < CONTENT {
            continue;
        }
        phrases += 1;
        if let Some(before) = last_seen.insert(&surfaces[here..here + PHRASE], here) {
            repeats.push(Repeat { visible: first.visible.start..last.visible.end, distance: here - before });
        }
    }
    (phrases, repeats)
}

#[cfg(test)]
mod tests {
    use super::{WINDOW, variety};
    use crate::checks::metrics::tests::{is_near, measured, measured_with};

    #[test]
    fn variety_is_the_mean_over_all_windows() {
        assert!(is_near(variety(&["犬", "猫", "犬", "鳥"], WINDOW).expect("words"), 0.75));
        let mut words = vec!["犬"; WINDOW];
        words.push("猫");
        // Two windows, with 1 and 2 distinct words of a hundred.
        assert!(is_near(variety(&words, WINDOW).expect("words"), 0.015));
    }

    #[test]
    fn conjunctions_count_only_at_sentence_start() {
        let text = "　雨だ。しかし暑い。――だから窓を開けた。暗く、そして狭い。まだ朝だ。";
        let words = measured(text).words;
        let found: Vec<usize> = words.conjunctions.iter().map(|opening| opening.nth).collect();
        assert_eq!(found, [1, 2]);
        assert!(is_near(words.conjunction_share, 0.4));
    }

    #[test]
    fn repeated_phrases_report_their_distance() {
        let words = measured("　古い橋の真ん中で待つ。古い橋の真ん中だ。").words;
        // 古い 橋 の 真ん中 で 待つ | 古い 橋 の 真ん中 だ
        assert_eq!((words.phrases, words.repeats.len()), (5, 1));
        assert_eq!(words.repeats[0].distance, 6);
        assert!(is_near(words.repeated_share(6), 0.2) && is_near(words.repeated_share(5), 0.0));
        let names = measured_with("　水野はるは立つ。水野はるは走る。", &["水野はる"]).words;
        assert_eq!(names.repeats, []);
    }
}
