//! Phrases with what to write instead, in the inflection in which they stand.
//!
//! Only what differs is exchanged: 汚名を挽回した becomes 汚名を返上した. Where that cannot be done without changing what stands
//! around it, nothing is proposed.

use super::{Hit, Phrases, inflected::inflected};
use crate::morphology::{Ipadic, Morpheme, Morphology};

/// A phrase with its last word, if that inflects.
#[derive(Clone, Debug)]
pub struct Wording {
    /// The phrase in its dictionary form.
    pub text: String,
    last: Option<Last>,
}

/// The last word of a phrase.
#[derive(Clone, Debug)]
struct Last {
    /// Where it begins.
    start: usize,
    base: String,
    kind: String,
}

impl Wording {
    /// Reads a phrase.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let mut words = Vec::new();
        Ipadic::shared().reader().read(&text, &mut words);
        let last = words.last().and_then(|word| {
            let inflection = word.entry.inflection?;
            Some(Last {
                start: word.range.start,
                base: word.entry.base.unwrap_or(&text[word.range.clone()]).to_owned(),
                kind: inflection.kind.to_owned(),
            })
        });
        Self { text, last }
    }

    /// This phrase in place of another, which stands as these words of a text do.
    #[must_use]
    pub fn instead_of(&self, other: &Self, words: &[Morpheme<'_>], next: Option<&Morpheme<'_>>) -> Option<String> {
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
                let form = inflected(&last.base, &last.kind, own, next)?;
                found
                    .starts_with(before)
                    .then(|| format!("{}{form}", &self.text[..last.start]))
            }
            _ => None,
        }
    }

    /// Whether its last word inflects.
    #[must_use]
    pub fn inflects(&self) -> bool {
        self.last.is_some()
    }

    /// Whether words stand as the phrase does, but for the inflection of the last one.
    #[must_use]
    pub fn is_spelled_by(&self, words: &[Morpheme<'_>]) -> bool {
        let before = self.last.as_ref().map_or("", |last| &self.text[..last.start]);
        let [own @ .., _] = words else { return false };
        own.iter().map(|word| word.surface).collect::<String>() == before
    }

    /// Exchanges what differs between the two dictionary forms; the ends that they share may be inflected.
    fn exchanged(&self, other: &Self, found: &str) -> Option<String> {
        let (_, tail) = shared(&other.text, &self.text);
        let old = &other.text[..other.text.len() - tail];
        let rest = found.strip_prefix(old)?;
        Some(format!("{}{rest}", &self.text[..self.text.len() - tail]))
    }
}

/// How many bytes two texts share at their beginnings and at their ends.
#[must_use]
pub(crate) fn shared(one: &str, other: &str) -> (usize, usize) {
    let same = |(a, b): &(char, char)| a == b;
    let head: usize = one
        .chars()
        .zip(other.chars())
        .take_while(same)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let (one, other) = (&one[head..], &other[head..]);
    let tail = one
        .chars()
        .rev()
        .zip(other.chars().rev())
        .take_while(same)
        .map(|(c, _)| c.len_utf8())
        .sum();
    (head, tail)
}

/// A list of phrases with their replacements.
#[derive(Clone, Debug)]
pub struct Replacements {
    phrases: Phrases,
    /// For each phrase what it is and what replaces it.
    pairs: Vec<(Wording, Wording)>,
}

impl Replacements {
    /// Of phrases and what is to stand instead.
    #[must_use]
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let pairs: Vec<(Wording, Wording)> = pairs
            .into_iter()
            .map(|(old, new)| (Wording::new(old), Wording::new(new)))
            .collect();
        Self {
            phrases: Phrases::new(pairs.iter().map(|(old, _)| old.text.as_str())),
            pairs,
        }
    }

    /// Where the phrases stand.
    #[must_use]
    pub fn find(&self, words: &[Morpheme<'_>]) -> Vec<Hit> {
        self.phrases.find(words)
    }

    /// The phrase of a hit, and its replacement, in their dictionary forms.
    #[must_use]
    pub fn pair(&self, hit: &Hit) -> (&str, &str) {
        let (old, new) = &self.pairs[hit.entry];
        (&old.text, &new.text)
    }

    /// The replacement as it would stand in these words.
    #[must_use]
    pub fn instead(&self, hit: &Hit, words: &[Morpheme<'_>]) -> Option<String> {
        let (old, new) = &self.pairs[hit.entry];
        new.instead_of(old, &words[hit.words.clone()], words.get(hit.words.end))
    }
}
