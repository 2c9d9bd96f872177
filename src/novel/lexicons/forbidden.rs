//! `forbidden.toml`: what does not belong into a finished story, and what should not come too often.
//!
//! The file is part of the program: a fault in it is found by the first test that reads it. Nothing is judged here.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;
use serde::Deserialize;

use super::{Hit, Phrases};
use crate::{checks::Severity, morphology::Morpheme};

/// The lexicon, read once.
pub static FORBIDDEN: LazyLock<Forbidden> = LazyLock::new(|| {
    Forbidden::read(include_str!("forbidden.toml")).unwrap_or_else(|error| panic!("forbidden.toml: {error}"))
});

/// What does not belong into a story.
#[derive(Debug)]
pub struct Forbidden {
    /// What an assistant says around a text.
    pub assistant: Vec<Unwanted>,
    /// Places left open.
    pub placeholder: Vec<Unwanted>,
    /// The author's words to the readers.
    pub aside: Vec<Unwanted>,
    /// Phrases that tire when they come often.
    pub overused: Vec<Limited>,
    /// Those of them that are found by the base forms of their words, with their places in `overused`.
    inflected: (Phrases, Vec<usize>),
}

/// Words or a pattern that a text should not have.
#[derive(Debug)]
pub struct Unwanted {
    pattern: Pattern,
    /// Where it is unwanted.
    pub place: Where,
    /// How much it matters, where it is another than that of its section.
    pub severity: Option<Severity>,
}

#[derive(Debug)]
enum Pattern {
    /// In lower case.
    Text(String),
    Regex(Regex),
}

/// Where something is unwanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Where {
    /// Everywhere.
    #[default]
    Both,
    /// Outside of speech.
    Narration,
    /// In speech.
    Dialogue,
    /// Outside of speech, at the beginning of a line.
    Line,
}

/// A phrase that is right so many times.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limited {
    /// The phrase.
    pub phrase: String,
    /// How often it may come in 4,000 characters.
    pub limit: u16,
    /// Whether it is compared as it stands.
    #[serde(default)]
    pub literal: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    assistant: Section,
    placeholder: Section,
    aside: Section,
    overused: Overused,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    entries: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Overused {
    phrases: Vec<Limited>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    text: Option<String>,
    regex: Option<String>,
    #[serde(default)]
    scope: Where,
    severity: Option<Severity>,
    #[serde(rename = "note")]
    _note: Option<String>,
}

impl Forbidden {
    fn read(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let section = |section: Section| {
            section
                .entries
                .into_iter()
                .map(Unwanted::of)
                .collect::<Result<Vec<_>, _>>()
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

    /// Where overused phrases stand among the words of a sentence, whatever their form; entries are places in `overused`.
    #[must_use]
    pub fn inflected_in(&self, words: &[Morpheme<'_>]) -> Vec<Hit> {
        let (phrases, places) = &self.inflected;
        let hits = phrases.find(words).into_iter();
        hits.map(|hit| Hit {
            entry: places[hit.entry],
            ..hit
        })
        .collect()
    }
}

impl Limited {
    /// Whether it is compared as it stands: words of hiragana alone are read in too many ways.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        self.literal || self.is_hiragana()
    }

    /// Whether it is of hiragana alone, so that it may stand within other words.
    #[must_use]
    pub fn is_hiragana(&self) -> bool {
        self.phrase.chars().all(|c| matches!(c, 'ぁ'..='ゖ'))
    }
}

impl Unwanted {
    fn of(row: Row) -> Result<Self, String> {
        let pattern = match (row.text, row.regex) {
            (Some(text), None) if !text.is_empty() => Pattern::Text(text.to_ascii_lowercase()),
            (None, Some(regex)) => Pattern::Regex(Regex::new(&regex).map_err(|error| error.to_string())?),
            _ => return Err("an entry has either a text or a regex".to_owned()),
        };
        Ok(Self {
            pattern,
            place: row.scope,
            severity: row.severity,
        })
    }

    /// Where it stands in a line, given as it is and with its Latin letters in lower case.
    #[must_use]
    pub fn find(&self, line: &str, lower: &str) -> Vec<Range<usize>> {
        match &self.pattern {
            Pattern::Text(text) => lower
                .match_indices(text)
                .map(|(at, text)| at..at + text.len())
                .collect(),
            Pattern::Regex(regex) if regex.captures_len() == 1 => {
                regex.find_iter(line).map(|found| found.range()).collect()
            }
            Pattern::Regex(regex) => {
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
    fn what_stands_around_a_pattern_is_not_found() {
        let line = "　TODO 港の○○食堂、二〇〇五年";
        let mut found: Vec<&str> = FORBIDDEN
            .placeholder
            .iter()
            .flat_map(|one| one.find(line, line))
            .map(|range| &line[range])
            .collect();
        found.dedup();
        assert_eq!(found, ["TODO", "○○"]);
        assert!(FORBIDDEN.assistant.len() > 50 && FORBIDDEN.overused.len() > 60);
    }
}
