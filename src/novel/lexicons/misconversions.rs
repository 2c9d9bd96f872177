//! The lexicon of words written with the kanji of another word of the same sound.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use regex_lite::Regex;

use crate::manuscript::is_kanji;

/// The lexicon, loaded on first use.
pub static MISCONVERSIONS: LazyLock<Misconversions> =
    LazyLock::new(|| Misconversions::read(include_str!("misconversions.txt")));

/// The maximum number of characters that the context before a word is searched in.
const LONGEST_CONTEXT: usize = 30;

/// The entries by the first character of the wrong word. Everything is a part of the embedded file, as in the lexicon of
/// homophones.
#[derive(Debug)]
pub struct Misconversions {
    by_first: HashMap<char, Vec<Misconversion>>,
}

/// A word that is wrong in one context.
#[derive(Debug)]
struct Misconversion {
    wrong: &'static str,
    right: &'static str,
    /// Matches at the end of the text before the word.
    before: Option<ContextPattern>,
    /// Matches at the beginning of the text after the word.
    after: Option<ContextPattern>,
    /// Does not match at the beginning of the text after the word.
    unless: Option<ContextPattern>,
}

/// A pattern of the text beside a word. It is compiled each time that it may match: that is rare, and thousands of compiled
/// patterns would take memory.
#[derive(Clone, Copy, Debug)]
struct ContextPattern(&'static str);

impl ContextPattern {
    /// True if the character beside the word may belong to a match.
    fn may_match(self, beside: Option<char>) -> bool {
        // Every match begins and ends with a character that the pattern names.
        let is_literal = !self.0.contains(['.', '^', '-', '$', '\\']);
        !is_literal || beside.is_some_and(|beside| self.0.contains(beside))
    }

    /// Returns the start of the match at the end of the text before a word.
    fn start_at_end_of(self, text: &str) -> Option<usize> {
        let may_match = self.may_match(text.chars().next_back());
        may_match.then(|| compiled(&format!("(?:{})$", self.0)).find(text).map(|found| found.start()))?
    }

    /// True if the pattern matches at the beginning of the text after a word.
    fn begins(self, text: &str) -> bool {
        self.may_match(text.chars().next()) && compiled(&format!("^(?:{})", self.0)).is_match(text)
    }
}

fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| panic!("misconversions.txt: {error}"))
}

impl Misconversions {
    /// Reads a file in the form that the head of `misconversions.txt` explains.
    fn read(text: &'static str) -> Self {
        let mut by_first: HashMap<char, Vec<Misconversion>> = HashMap::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let entry = Misconversion::read(line).unwrap_or_else(|| panic!("misconversions.txt: {line}"));
            by_first.entry(entry.wrong.chars().next().unwrap_or_default()).or_default().push(entry);
        }
        Self { by_first }
    }

    /// Returns the wrong words of a sentence as byte ranges, each with the right word, in order and without overlaps.
    pub fn find(&self, sentence: &str) -> Vec<(Range<usize>, &'static str)> {
        let mut hits: Vec<(Range<usize>, &'static str)> = Vec::new();
        for (at, first) in sentence.char_indices() {
            let is_free = hits.last().is_none_or(|(last, _)| last.end <= at);
            let entries = self.by_first.get(&first).filter(|_| is_free);
            let hit = entries.into_iter().flatten().find(|entry| entry.is_at(sentence, at));
            hits.extend(hit.map(|entry| (at..at + entry.wrong.len(), entry.right)));
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
    /// Reads a line; `None` if it is malformed.
    fn read(line: &'static str) -> Option<Self> {
        let mut parts = line.split(' ');
        let (wrong, right) = (parts.next()?, parts.next()?);
        let mut entry = Self { wrong, right, before: None, after: None, unless: None };
        for part in parts {
            let (place, pattern) = part.split_once(':')?;
            let context = match place {
                "before" => &mut entry.before,
                "after" => &mut entry.after,
                "unless" => &mut entry.unless,
                _ => return None,
            };
            *context = Some(ContextPattern(pattern));
        }
        Some(entry)
    }

    fn is_at(&self, sentence: &str, at: usize) -> bool {
        let (before, rest) = sentence.split_at(at);
        // The contexts are short; a long sentence is not searched from its beginning.
        let first = before.char_indices().rev().nth(LONGEST_CONTEXT).map_or(0, |(at, _)| at);
        let Some(after) = rest.strip_prefix(self.wrong) else { return false };
        let is_after = self.after.is_none_or(|pattern| pattern.begins(after))
            && self.unless.is_none_or(|pattern| !pattern.begins(after));
        if !is_after {
            return false;
        }
        // 土手を降りる contains 手を, and 早速 contains 速: a word is not the end of a longer one.
        let context = match self.before {
            Some(pattern) => pattern.start_at_end_of(&before[first..]).map(|start| first + start),
            None => Some(at),
        };
        context.is_some_and(|start| is_word_start(sentence, start))
    }
}

#[cfg(test)]
mod tests {
    use super::{MISCONVERSIONS, compiled};

    #[test]
    fn every_pattern_compiles_and_matches_a_character() {
        for entry in MISCONVERSIONS.by_first.values().flatten() {
            for pattern in [entry.before, entry.after, entry.unless].into_iter().flatten() {
                let matches_empty = compiled(&format!("^(?:{})$", pattern.0)).is_match("");
                assert!(pattern.may_match(None) || !matches_empty, "{}", pattern.0);
            }
        }
    }
}
