//! Words that put one of the five senses on the page, wherever they stand in the story.
//!
//! At one place the longest entry of all lists counts, so that no word belongs to two senses. Whether a perception is fresh is
//! not known here.

use std::ops::Range;

use crate::{
    checks::Material,
    lexicons::{Phrases, SENSES},
    morphology::Morpheme,
};

/// A sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sense {
    /// 視覚.
    Sight,
    /// 聴覚.
    Hearing,
    /// 嗅覚.
    Smell,
    /// 味覚.
    Taste,
    /// 触覚: warmth, pain, moisture, surfaces.
    Touch,
}

impl Sense {
    /// All.
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

/// A word of a sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensed {
    /// Which sense.
    pub sense: Sense,
    /// The sentence it stands in.
    pub sentence: usize,
    /// The words of the sentence that it is.
    pub words: Range<usize>,
    /// Bytes of the source.
    pub source: Range<usize>,
}

/// All words of the senses in the story, sentence by sentence.
pub(in crate::checks) fn sensed(material: &Material<'_>) -> Vec<Sensed> {
    let sentences = material.sentences().iter().enumerate();
    let story = sentences.filter(|(_, sentence)| sentence.is_story());
    story.flat_map(|(at, _)| in_words(at, material.words_of(at))).collect()
}

fn in_words(sentence: usize, words: &[Morpheme<'_>]) -> Vec<Sensed> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let hits = Sense::ALL
            .into_iter()
            .filter_map(|sense| Some((sense, sense.words().at(words, at)?)));
        let Some((sense, hit)) = hits.max_by_key(|(_, hit)| hit.words.len()) else {
            at += 1;
            continue;
        };
        at = hit.words.end;
        all.push(Sensed {
            sense,
            sentence,
            source: words[hit.words.start].source.start..words[hit.words.end - 1].source.end,
            words: hit.words,
        });
    }
    all
}
