//! Phrases found by the base forms of their words, the longest first.
//!
//! A phrase is analysed with the same dictionary as the text: a phrase that is segmented differently inside a sentence
//! than alone is not found.

use std::{collections::HashMap, ops::Range};

use serde::{Deserialize, Deserializer};

use crate::{
    manuscript::is_kanji,
    morphology::{Ipadic, Morpheme, Morphology},
};

/// A list of phrases with an index by first word.
#[derive(Clone, Debug, Default)]
pub struct Phrases {
    entries: Vec<String>,
    /// For the base form of each first word: the following base forms and the index of the entry, the longest first.
    by_first: HashMap<String, Vec<(Vec<String>, usize)>>,
}

impl<'de> Deserialize<'de> for Phrases {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::new(Vec::<String>::deserialize(deserializer)?))
    }
}

/// An occurrence of a phrase in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhraseHit {
    /// The range of matched words, as indices in the searched words.
    pub words: Range<usize>,
    /// The index of the phrase in the list.
    pub entry: usize,
}

/// Returns the form in which base forms are compared: 達す for 達する too, since the dictionary reads 達した as a form of either.
fn key(base: &str) -> &str {
    let is_short = base.chars().count() == 3 && base.starts_with(is_kanji) && base.ends_with("する");
    if is_short { base.strip_suffix('る').unwrap_or(base) } else { base }
}

impl Phrases {
    /// Analyses phrases. Loads the dictionary on first use.
    pub fn new<S: Into<String>>(entries: impl IntoIterator<Item = S>) -> Self {
        Self::in_context(entries.into_iter().map(|entry| ("", entry.into(), "")))
    }

    /// Analyses phrases within a context of a text before and after each. A phrase whose ends are not word boundaries
    /// in its context is never found.
    pub fn in_context<'t>(entries: impl IntoIterator<Item = (&'t str, String, &'t str)>) -> Self {
        let mut phrases = Self::default();
        let mut reader = Ipadic::shared().reader();
        let mut words = Vec::new();
        for (before, entry, after) in entries {
            let text = format!("{before}{entry}{after}");
            let place = before.len()..before.len() + entry.len();
            words.clear();
            reader.read(&text, &mut words);
            words.retain(|word| word.range.start < place.end && place.start < word.range.end);
            let starts = words.first().is_some_and(|word| word.range.start == place.start);
            let ends = words.last().is_some_and(|word| word.range.end == place.end);
            if !starts || !ends {
                words.clear();
            }
            let bases = words.iter().map(|word| word.entry.base.unwrap_or(&text[word.range.clone()]));
            let mut bases = bases.map(|base| key(base).to_owned());
            let place = phrases.entries.len();
            if let Some(first) = bases.next() {
                let rest: Vec<String> = bases.collect();
                let same = phrases.by_first.entry(first).or_default();
                let longer = same.partition_point(|(known, _)| known.len() >= rest.len());
                same.insert(longer, (rest, place));
            }
            phrases.entries.push(entry);
        }
        phrases
    }

    /// Returns the phrases as they were given.
    pub fn entries(&self) -> &[String] {
        &self.entries
    }

    /// Finds phrases in the words of a sentence: the longest first, without overlaps.
    pub fn find(&self, words: &[Morpheme<'_>]) -> Vec<PhraseHit> {
        let mut hits = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let hit = self.at(words, at);
            at = hit.as_ref().map_or(at + 1, |hit| hit.words.end);
            hits.extend(hit);
        }
        hits
    }

    /// Returns the longest phrase that begins at a word.
    pub fn at(&self, words: &[Morpheme<'_>], at: usize) -> Option<PhraseHit> {
        let same = self.by_first.get(key(words.get(at)?.base))?;
        let (rest, entry) = same.iter().find(|(rest, _)| is_here(words, at, rest))?;
        Some(PhraseHit { words: at..at + 1 + rest.len(), entry: *entry })
    }

    /// Returns every phrase that begins at a word, the longest first.
    pub fn all_at(&self, words: &[Morpheme<'_>], at: usize) -> Vec<PhraseHit> {
        let same = words.get(at).and_then(|word| self.by_first.get(key(word.base)));
        let same = same.into_iter().flatten().filter(|(rest, _)| is_here(words, at, rest));
        same.map(|(rest, entry)| PhraseHit { words: at..at + 1 + rest.len(), entry: *entry }).collect()
    }

    /// Finds phrases like [`Self::find`], also with adverbs and commas between their words (静かに動き出す) and with は or も in
    /// the place of が.
    pub fn find_with_adverbs(&self, words: &[Morpheme<'_>]) -> Vec<PhraseHit> {
        let mut hits = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let same = self.by_first.get(key(words[at].base));
            let hit = same.into_iter().flatten().find_map(|(rest, entry)| {
                let length = length_with_adverbs(&words[at + 1..], rest)?;
                Some(PhraseHit { words: at..at + 1 + length, entry: *entry })
            });
            at = hit.as_ref().map_or(at + 1, |hit| hit.words.end);
            hits.extend(hit);
        }
        hits
    }

    /// True if a base form is an entry of one word.
    pub fn has(&self, base: &str) -> bool {
        let same = self.by_first.get(key(base));
        same.is_some_and(|same| same.iter().any(|(rest, _)| rest.is_empty()))
    }
}

/// True if the words after a place have these base forms.
fn is_here(words: &[Morpheme<'_>], at: usize, rest: &[String]) -> bool {
    let following = words[at + 1..].iter().map(|word| key(word.base));
    rest.len() < words.len() - at && following.zip(rest).all(|(own, asked)| own == asked)
}

/// Returns the number of words that these base forms take at the beginning of `words`, adverbs in between included.
fn length_with_adverbs(words: &[Morpheme<'_>], bases: &[String]) -> Option<usize> {
    let mut at = 0;
    for base in bases {
        while !is_same(words.get(at)?.base, base) {
            at += adverb(&words[at..])?;
        }
        at += 1;
    }
    Some(at)
}

fn is_same(own: &str, asked: &str) -> bool {
    key(own) == asked || (asked == "が" && matches!(own, "は" | "も"))
}

/// Returns the number of words of an adverb or comma at the beginning of `words`.
fn adverb(words: &[Morpheme<'_>]) -> Option<usize> {
    let word = words.first()?;
    let is_next = |surfaces: &[&str]| words.get(1).is_some_and(|next| surfaces.contains(&next.surface));
    if word.has_parts(&["記号", "読点"]) {
        return Some(1);
    }
    if word.has_parts(&["副詞"]) {
        return Some(if is_next(&["と", "に"]) { 2 } else { 1 });
    }
    let is_sound = word.surface.ends_with(['ん', 'り', 'っ']) && word.surface.chars().all(|c| matches!(c, 'ぁ'..='ヺ'));
    if (word.has_parts(&["名詞", "形容動詞語幹"]) && is_next(&["に"])) || (is_sound && is_next(&["と"])) {
        return Some(2);
    }
    let is_inflected = |inflection: &crate::morphology::Inflection<'_>| inflection.form == "連用テ接続";
    (word.has_parts(&["形容詞"]) && word.inflection.is_some_and(is_inflected)).then_some(1)
}

#[cfg(test)]
mod tests {
    use super::Phrases;
    use crate::{
        manuscript::{Manuscript, ManuscriptOptions},
        morphology::{Ipadic, NameLexicon, WordAnalysis},
        text::Sentences,
    };

    #[test]
    fn phrases_are_found_in_whatever_form_the_longest_first() {
        let phrases = Phrases::new(["痛む", "胸が痛む", "嬉しい"]);
        let manuscript = Manuscript::read("　胸が痛んだ。足は痛まない。嬉しかった。", ManuscriptOptions::default());
        let sentences = Sentences::find(&manuscript);
        let names = NameLexicon::default();
        let analysis = WordAnalysis::new(&manuscript, &sentences, &names, Ipadic::shared());
        let found: Vec<(&str, &str)> = phrases
            .find(analysis.words())
            .iter()
            .map(|hit| {
                let last = &analysis.words()[hit.words.end - 1];
                (phrases.entries()[hit.entry].as_str(), last.surface)
            })
            .collect();
        assert_eq!(found, [("胸が痛む", "痛ん"), ("痛む", "痛ま"), ("嬉しい", "嬉しかっ")]);
        assert!(phrases.has("嬉しい") && !phrases.has("胸"));
    }
}
