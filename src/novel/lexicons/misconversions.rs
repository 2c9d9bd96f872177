//! The lexicon of words written with the kanji of another word of the same sound.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use regex_lite::Regex;
use serde::Deserialize;

use super::read;
use crate::manuscript::is_kanji;

/// The lexicon, loaded on first use.
pub static MISCONVERSIONS: LazyLock<Misconversions> = LazyLock::new(|| {
    let file: MisconversionFile = read("misconversions", include_str!("misconversions.toml"));
    Misconversions::new(file.pairs)
});

/// The maximum number of characters that the context before a word is searched in.
const LONGEST_CONTEXT: usize = 30;

/// The entries by the first character of the wrong word.
#[derive(Debug)]
pub struct Misconversions {
    by_first: HashMap<char, Vec<Misconversion>>,
}

/// A word that is wrong in one context.
#[derive(Debug)]
struct Misconversion {
    wrong: String,
    right: String,
    /// Matches at the end of the text before the word.
    before: Option<ContextPattern>,
    /// Matches at the beginning of the text after the word.
    after: Option<ContextPattern>,
    /// Does not match at the beginning of the text after the word.
    unless: Option<ContextPattern>,
}

/// A pattern of the text beside a word. It is compiled each time that it may match: that is rare, and thousands of compiled
/// patterns would take memory.
#[derive(Debug)]
struct ContextPattern {
    pattern: String,
    /// True if every match begins and ends with a character that the pattern names.
    is_literal: bool,
}

impl ContextPattern {
    fn new(pattern: &str, anchored: String) -> Self {
        let is_literal = !pattern.contains(['.', '^', '-', '$', '\\']);
        Self { pattern: anchored, is_literal }
    }

    /// Returns a pattern that matches at the end of a text.
    fn at_end(pattern: &str) -> Self {
        Self::new(pattern, format!("(?:{pattern})$"))
    }

    /// Returns a pattern that matches at the beginning of a text.
    fn at_start(pattern: &str) -> Self {
        Self::new(pattern, format!("^(?:{pattern})"))
    }

    /// Returns the start of the match in a text of which this is the character beside the word.
    fn find(&self, text: &str, beside: Option<char>) -> Option<usize> {
        let may_match = !self.is_literal || beside.is_some_and(|beside| self.pattern.contains(beside));
        may_match.then(|| self.compiled().find(text).map(|found| found.start()))?
    }

    fn compiled(&self) -> Regex {
        Regex::new(&self.pattern).unwrap_or_else(|error| panic!("misconversions.toml: {error}"))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MisconversionFile {
    pairs: Vec<MisconversionEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MisconversionEntry {
    wrong: String,
    right: String,
    before: Option<String>,
    after: Option<String>,
    unless: Option<String>,
}

impl Misconversions {
    fn new(entries: Vec<MisconversionEntry>) -> Self {
        let mut by_first: HashMap<char, Vec<Misconversion>> = HashMap::new();
        for entry in entries {
            let first = entry.wrong.chars().next().expect("an entry has a word");
            by_first.entry(first).or_default().push(Misconversion {
                wrong: entry.wrong,
                right: entry.right,
                before: entry.before.as_deref().map(ContextPattern::at_end),
                after: entry.after.as_deref().map(ContextPattern::at_start),
                unless: entry.unless.as_deref().map(ContextPattern::at_start),
            });
        }
        Self { by_first }
    }

    /// Returns the wrong words of a sentence as byte ranges, each with the right word, in order and without overlaps.
    pub fn find(&self, sentence: &str) -> Vec<(Range<usize>, &str)> {
        let mut hits: Vec<(Range<usize>, &str)> = Vec::new();
        for (at, first) in sentence.char_indices() {
            let is_free = hits.last().is_none_or(|(last, _)| last.end <= at);
            let entries = self.by_first.get(&first).filter(|_| is_free);
            let hit = entries.into_iter().flatten().find(|entry| entry.is_at(sentence, at));
            hits.extend(hit.map(|entry| (at..at + entry.wrong.len(), entry.right.as_str())));
        }
        hits
    }
}

/// True if no word of kanji continues at this position.
fn is_word_start(sentence: &str, at: usize) -> bool {
    let (before, after) = sentence.split_at(at);
    !(before.ends_with(is_kanji) && after.starts_with(is_kanji))
}

impl Misconversion {
    fn is_at(&self, sentence: &str, at: usize) -> bool {
        let (before, rest) = sentence.split_at(at);
        // The contexts are short; a long sentence is not searched from its beginning.
        let first = before.char_indices().rev().nth(LONGEST_CONTEXT).map_or(0, |(at, _)| at);
        let Some(after) = rest.strip_prefix(self.wrong.as_str()) else { return false };
        let next = after.chars().next();
        let is_after = self.after.as_ref().is_none_or(|pattern| pattern.find(after, next).is_some())
            && self.unless.as_ref().is_none_or(|pattern| pattern.find(after, next).is_none());
        if !is_after {
            return false;
        }
        // 土手を降りる contains 手を, and 早速 contains 速: a word is not the end of a longer one.
        let context = match &self.before {
            Some(pattern) => pattern.find(&before[first..], before.chars().next_back()).map(|start| first + start),
            None => Some(at),
        };
        context.is_some_and(|start| is_word_start(sentence, start))
    }
}

#[cfg(test)]
mod tests {
    use super::MISCONVERSIONS;

    #[test]
    fn every_pattern_compiles_and_matches_a_character() {
        for entry in MISCONVERSIONS.by_first.values().flatten() {
            for pattern in [&entry.before, &entry.after, &entry.unless].into_iter().flatten() {
                let matches_empty = pattern.compiled().is_match("");
                assert!(!(pattern.is_literal && matches_empty), "{}", pattern.pattern);
            }
        }
    }
}
