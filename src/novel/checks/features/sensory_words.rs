//! Sensory words: words of the five senses anywhere in the story.
//!
//! Of overlapping entries of all lists the longest counts, so that no word belongs to two senses. The freshness of a
//! perception is not determined.

use std::ops::Range;

use crate::{
    checks::CheckMaterial,
    lexicons::{Phrases, SENSES},
    morphology::Morpheme,
};

/// One of the five senses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sense {
    /// Sight, 視覚.
    Sight,
    /// Hearing, 聴覚.
    Hearing,
    /// Smell, 嗅覚.
    Smell,
    /// Taste, 味覚.
    Taste,
    /// Touch, 触覚: warmth, pain, moisture, surfaces.
    Touch,
}

impl Sense {
    pub const ALL: [Self; 5] = [Self::Sight, Self::Hearing, Self::Smell, Self::Taste, Self::Touch];

    fn words(self) -> &'static Phrases {
        match self {
            Self::Sight => &SENSES.sight,
            Self::Hearing => &SENSES.hearing,
            Self::Smell => &SENSES.smell,
            Self::Taste => &SENSES.taste,
            Self::Touch => &SENSES.touch,
        }
    }
}

/// A sensory word in the story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SensoryWord {
    pub sense: Sense,
    /// The index of its sentence.
    pub sentence: usize,
    /// The indices of its words within the sentence.
    pub words: Range<usize>,
    /// The byte range in the source.
    pub source: Range<usize>,
}

/// Returns all sensory words of the story, sentence by sentence.
pub(in crate::checks) fn sensory_words(material: &CheckMaterial<'_>) -> Vec<SensoryWord> {
    let sentences = material.sentences().iter().enumerate();
    let story = sentences.filter(|(_, sentence)| sentence.is_story());
    story.flat_map(|(at, _)| in_words(at, material.words_of(at))).collect()
}

fn in_words(sentence: usize, words: &[Morpheme<'_>]) -> Vec<SensoryWord> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let hits = Sense::ALL.into_iter().filter_map(|sense| Some((sense, sense.words().at(words, at)?)));
        let Some((sense, hit)) = hits.max_by_key(|(_, hit)| hit.words.len()) else {
            at += 1;
            continue;
        };
        at = hit.words.end;
        all.push(SensoryWord {
            sense,
            sentence,
            source: words[hit.words.start].source.start..words[hit.words.end - 1].source.end,
            words: hit.words,
        });
    }
    all
}
