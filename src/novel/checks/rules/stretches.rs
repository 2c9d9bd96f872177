//! Stretches: sequences of adjacent words without a gap, either all quoted or none of them.
//!
//! Text in 『』 or “” within narration is a quotation, too; rules about a narrator's slips skip it.

use crate::{checks::material::CheckMaterial, manuscript::TextVoice, morphology::Morpheme};

const OPEN: [char; 4] = ['『', '“', '〝', '‘'];
const CLOSE: [char; 4] = ['』', '”', '〟', '’'];

/// A sequence of adjacent words.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordStretch<'w, 'a> {
    pub words: &'w [Morpheme<'a>],
    /// True if the words are quoted within narration, quotation marks included.
    pub is_quoted: bool,
}

/// Returns the stretches of a sentence.
pub(super) fn stretches<'w, 'a>(words: &'w [Morpheme<'a>]) -> Vec<WordStretch<'w, 'a>> {
    let mut all = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    let mut was_quoted = false;
    for (at, word) in words.iter().enumerate() {
        depth += word.surface.matches(OPEN).count();
        let is_quoted = depth > 0;
        let touches = at > 0 && words[at - 1].visible.end == word.visible.start;
        if at > start && (!touches || is_quoted != was_quoted) {
            all.push(WordStretch { words: &words[start..at], is_quoted: was_quoted });
            start = at;
        }
        was_quoted = is_quoted;
        depth = depth.saturating_sub(word.surface.matches(CLOSE).count());
    }
    if start < words.len() {
        all.push(WordStretch { words: &words[start..], is_quoted: was_quoted });
    }
    all
}

/// Iterates over the words of a sentence that are not quoted within it.
pub(super) fn unquoted<'w, 'a>(words: &'w [Morpheme<'a>]) -> impl Iterator<Item = &'w Morpheme<'a>> {
    let own = stretches(words).into_iter().filter(|stretch| !stretch.is_quoted);
    own.flat_map(|stretch| stretch.words)
}

/// Iterates over the stretches of the narration, without quotations.
pub(crate) fn narration_stretches<'w, 'a>(material: &'w CheckMaterial<'a>) -> impl Iterator<Item = &'w [Morpheme<'a>]> {
    let heard = material.sentences_in_voice(TextVoice::Narration);
    let all = heard.flat_map(|(_, _, words)| stretches(words));
    all.filter(|stretch| !stretch.is_quoted).map(|stretch| stretch.words)
}

/// Iterates over the stretches of the whole story.
pub(super) fn story_stretches<'w, 'a>(material: &'w CheckMaterial<'a>) -> impl Iterator<Item = WordStretch<'w, 'a>> {
    let sentences = material.sentences().iter().enumerate();
    let story = sentences.filter(|(_, sentence)| sentence.is_story());
    story.flat_map(|(at, _)| stretches(material.words_of(at)))
}
