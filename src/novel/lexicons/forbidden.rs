//! The lexicon of phrases that do not belong into a finished story, and of phrases that should not be frequent.
//!
//! `forbidden.toml` is embedded in the program: a mistake in the file fails the first test that loads it. This module
//! finds phrases and does not judge them.

use std::{ops::Range, sync::LazyLock};

use fumi_base::embedded;
use regex::Regex;
use serde::Deserialize;

use super::{PhraseHit, Phrases};
use crate::{checks::Severity, morphology::Morpheme};

/// The lexicon, loaded on first use.
pub static FORBIDDEN: LazyLock<ForbiddenLexicon> = LazyLock::new(|| {
    ForbiddenLexicon::read(include_str!("forbidden.toml")).unwrap_or_else(|error| panic!("forbidden.toml: {error}"))
});

/// The parsed contents of `forbidden.toml`.
#[derive(Debug)]
pub struct ForbiddenLexicon {
    /// Phrases that a language model writes around a text.
    pub assistant: Vec<UnwantedText>,
    /// Placeholders for text still to be written.
    pub placeholder: Vec<UnwantedText>,
    /// Remarks of the author to the readers.
    pub aside: Vec<UnwantedText>,
    /// Phrases that weary readers if they are frequent.
    pub overused: Vec<LimitedPhrase>,
    /// The phrases of `overused` that are matched by base forms, with their indices in `overused`.
    inflected: (Phrases, Vec<usize>),
}

/// A text or pattern that a story should not contain.
#[derive(Debug)]
pub struct UnwantedText {
    pattern: UnwantedPattern,
    /// The part of the text in which it is unwanted.
    pub place: UnwantedPlace,
    /// The severity if it differs from that of its section.
    pub severity: Option<Severity>,
}

#[derive(Debug)]
enum UnwantedPattern {
    /// A literal text in lower case.
    Text(String),
    Regex(Regex),
}

/// The part of a text in which a phrase is unwanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnwantedPlace {
    /// In narration and in dialogue.
    #[default]
    Both,
    /// In narration, that is, outside dialogue.
    Narration,
    /// Inside dialogue only.
    Dialogue,
    /// In narration, at the beginning of a line.
    Line,
}

/// A phrase that is acceptable up to a certain frequency.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitedPhrase {
    pub phrase: String,
    /// The largest acceptable number of occurrences in 4,000 characters.
    pub limit: u16,
    /// True if the phrase is compared literally instead of by base forms.
    #[serde(default)]
    pub literal: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForbiddenFile {
    assistant: ForbiddenSection,
    placeholder: ForbiddenSection,
    aside: ForbiddenSection,
    overused: Overused,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForbiddenSection {
    entries: Vec<UnwantedRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Overused {
    phrases: Vec<LimitedPhrase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnwantedRow {
    text: Option<String>,
    regex: Option<String>,
    #[serde(default)]
    scope: UnwantedPlace,
    severity: Option<Severity>,
    #[serde(rename = "note")]
    _note: Option<String>,
}

impl ForbiddenLexicon {
    fn read(text: &str) -> Result<Self, String> {
        let file: ForbiddenFile = embedded::parse(text).map_err(|error| error.to_string())?;
        let section = |section: ForbiddenSection| {
            section.entries.into_iter().map(UnwantedText::from_row).collect::<Result<Vec<_>, _>>()
        };
        let overused = file.overused.phrases;
        let places: Vec<usize> = (0..overused.len()).filter(|at| !overused[*at].is_literal()).collect();
        let phrases = Phrases::new(places.iter().map(|at| overused[*at].phrase.as_str()));
        Ok(Self {
            assistant: section(file.assistant)?,
            placeholder: section(file.placeholder)?,
            aside: section(file.aside)?,
            overused,
            inflected: (phrases, places),
        })
    }

    /// Finds overused phrases among the words of a sentence in any inflection; the entries of the hits are indices in
    /// `overused`.
    pub fn inflected_in(&self, words: &[Morpheme<'_>]) -> Vec<PhraseHit> {
        let (phrases, places) = &self.inflected;
        let hits = phrases.find(words).into_iter();
        hits.map(|hit| PhraseHit { entry: places[hit.entry], ..hit }).collect()
    }
}

impl LimitedPhrase {
    /// True if the phrase is compared literally. Phrases of hiragana alone always are, because they have too many
    /// analyses.
    pub fn is_literal(&self) -> bool {
        self.literal || self.is_hiragana()
    }

    /// True if the phrase consists of hiragana alone, so that it may occur inside other words.
    pub fn is_hiragana(&self) -> bool {
        self.phrase.chars().all(|c| matches!(c, 'ぁ'..='ゖ'))
    }
}

impl UnwantedText {
    fn from_row(row: UnwantedRow) -> Result<Self, String> {
        let pattern = match (row.text, row.regex) {
            (Some(text), None) if !text.is_empty() => UnwantedPattern::Text(text.to_ascii_lowercase()),
            (None, Some(regex)) => UnwantedPattern::Regex(Regex::new(&regex).map_err(|error| error.to_string())?),
            _ => return Err("an entry has either a text or a regex".to_owned()),
        };
        Ok(Self { pattern, place: row.scope, severity: row.severity })
    }

    /// Finds the text or pattern in a line, which is given as written and with its Latin letters in lower case.
    pub fn find(&self, line: &str, lower: &str) -> Vec<Range<usize>> {
        match &self.pattern {
            UnwantedPattern::Text(text) => lower.match_indices(text).map(|(at, text)| at..at + text.len()).collect(),
            UnwantedPattern::Regex(regex) if regex.captures_len() == 1 => {
                regex.find_iter(line).map(|found| found.range()).collect()
            }
            UnwantedPattern::Regex(regex) => {
                let captures = regex.captures_iter(line);
                let found = captures.filter_map(|captures| captures.name("it").or_else(|| captures.get(0)));
                found.map(|found| found.range()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FORBIDDEN;

    #[test]
    fn only_the_named_group_of_a_pattern_is_found() {
        let line = "　TODO 港の○○食堂、二〇〇五年";
        let mut found: Vec<&str> =
            FORBIDDEN.placeholder.iter().flat_map(|one| one.find(line, line)).map(|range| &line[range]).collect();
        found.dedup();
        assert_eq!(found, ["TODO", "○○"]);
        assert!(FORBIDDEN.assistant.len() > 50 && FORBIDDEN.overused.len() > 60);
    }
}
