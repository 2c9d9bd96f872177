//! The lexicon of redundant honorifics, with the single form of each.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{PhraseHit, Replacements, read};
use crate::checks::Severity;

/// The lexicon, loaded on first use.
pub static HONORIFICS: LazyLock<Honorifics> = LazyLock::new(|| {
    let file: HonorificsFile = read("honorifics", include_str!("honorifics.toml"));
    Honorifics {
        severities: file.double.iter().map(|entry| entry.severity).collect(),
        phrases: Replacements::new(file.double.into_iter().map(|entry| (entry.wrong, entry.right))),
    }
});

/// Redundant honorifics with their replacements.
#[derive(Debug)]
pub struct Honorifics {
    pub phrases: Replacements,
    severities: Vec<Option<Severity>>,
}

impl Honorifics {
    /// Returns the severity of a hit if it differs from the usual one, because usage varies.
    pub fn severity(&self, hit: &PhraseHit) -> Option<Severity> {
        self.severities[hit.entry]
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HonorificsFile {
    double: Vec<HonorificEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HonorificEntry {
    wrong: String,
    right: String,
    severity: Option<Severity>,
}
