//! Phrases with replacements, in the inflection of the text.
//!
//! Only the differing part is exchanged: 汚名を挽回した becomes 汚名を返上した. If the words around it would have to change, no
//! replacement is proposed.

use super::{PhraseHit, Phrases, inflected::inflect_like};
use crate::morphology::{Ipadic, Morpheme, Morphology};

/// A phrase with its last word, if that word inflects.
#[derive(Clone, Debug)]
pub struct Wording {
    /// The phrase in its dictionary form.
    pub text: String,
    last: Option<LastWord>,
}

/// The inflecting last word of a phrase.
#[derive(Clone, Debug)]
struct LastWord {
    /// The byte offset of the word in the phrase.
    start: usize,
    base: String,
    kind: String,
}

impl Wording {
    /// Analyses a phrase in its dictionary form.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let mut words = Vec::new();
        Ipadic::shared().reader().read(&text, &mut words);
        let last = words.last().and_then(|word| {
            let inflection = word.entry.inflection?;
            Some(LastWord {
                start: word.range.start,
                base: word.entry.base.unwrap_or(&text[word.range.clone()]).to_owned(),
                kind: inflection.kind.to_owned(),
            })
        });
        Self { text, last }
    }

    /// Returns this phrase as a replacement of `other`, which occurs in the text as `words`. Returns `None` if no form
    /// fits.
    pub fn replacing(&self, other: &Self, words: &[Morpheme<'_>], next: Option<&Morpheme<'_>>) -> Option<String> {
        let found: String = words.iter().map(|word| word.surface).collect();
        if found == other.text {
            return Some(self.text.clone());
        }
        let inflection = words.last()?.inflection;
        match (inflection, &self.last) {
            (None, None) => self.exchanged(other, &found),
            (Some(own), Some(last)) if own.kind == last.kind => self.exchanged(other, &found),
            (Some(own), Some(last)) => {
                let before = other.last.as_ref().map_or("", |last| &other.text[..last.start]);
                let form = inflect_like(&last.base, &last.kind, own, next)?;
                found.starts_with(before).then(|| format!("{}{form}", &self.text[..last.start]))
            }
            _ => None,
        }
    }

    /// True if the last word inflects.
    pub fn inflects(&self) -> bool {
        self.last.is_some()
    }

    /// True if the words are spelled as the phrase is, except for the inflection of the last word.
    pub fn is_spelled_by(&self, words: &[Morpheme<'_>]) -> bool {
        let before = self.last.as_ref().map_or("", |last| &self.text[..last.start]);
        let [own @ .., _] = words else { return false };
        own.iter().map(|word| word.surface).collect::<String>() == before
    }

    /// Exchanges the part that differs between the two dictionary forms; the shared end may be inflected.
    fn exchanged(&self, other: &Self, found: &str) -> Option<String> {
        let (_, tail) = common_affixes(&other.text, &self.text);
        let old = &other.text[..other.text.len() - tail];
        let rest = found.strip_prefix(old)?;
        Some(format!("{}{rest}", &self.text[..self.text.len() - tail]))
    }
}

/// Returns the lengths in bytes of the common prefix and of the common suffix.
pub(crate) fn common_affixes(one: &str, other: &str) -> (usize, usize) {
    let same = |(a, b): &(char, char)| a == b;
    let head: usize = one.chars().zip(other.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (one, other) = (&one[head..], &other[head..]);
    let tail = one.chars().rev().zip(other.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    (head, tail)
}

/// A list of phrases with their replacements.
#[derive(Clone, Debug)]
pub struct Replacements {
    phrases: Phrases,
    /// For each phrase, the old and the new wording.
    pairs: Vec<(Wording, Wording)>,
}

impl Replacements {
    /// Creates the list from pairs of a phrase and its replacement.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let pairs: Vec<(Wording, Wording)> =
            pairs.into_iter().map(|(old, new)| (Wording::new(old), Wording::new(new))).collect();
        Self { phrases: Phrases::new(pairs.iter().map(|(old, _)| old.text.as_str())), pairs }
    }

    /// Finds the phrases among words.
    pub fn find(&self, words: &[Morpheme<'_>]) -> Vec<PhraseHit> {
        self.phrases.find(words)
    }

    /// Returns the phrase of a hit and its replacement, in their dictionary forms.
    pub fn pair(&self, hit: &PhraseHit) -> (&str, &str) {
        let (old, new) = &self.pairs[hit.entry];
        (&old.text, &new.text)
    }

    /// Returns the replacement of a hit, inflected for these words.
    pub fn replacement(&self, hit: &PhraseHit, words: &[Morpheme<'_>]) -> Option<String> {
        let (old, new) = &self.pairs[hit.entry];
        new.replacing(old, &words[hit.words.clone()], words.get(hit.words.end))
    }
}
