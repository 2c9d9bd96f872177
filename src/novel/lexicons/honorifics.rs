//! Honorifics that are one too many, with the single form of each.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Hit, Replacements, read};
use crate::checks::Severity;

/// The double honorifics.
pub static HONORIFICS: LazyLock<Honorifics> = LazyLock::new(|| {
    let file: File = read("honorifics", include_str!("honorifics.toml"));
    Honorifics {
        severities: file.double.iter().map(|entry| entry.severity).collect(),
        phrases: Replacements::new(file.double.into_iter().map(|entry| (entry.wrong, entry.right))),
    }
});

/// A list of them.
#[derive(Debug)]
pub struct Honorifics {
    /// The phrases and what is to stand instead.
    pub phrases: Replacements,
    severities: Vec<Option<Severity>>,
}

impl Honorifics {
    /// How much a hit matters, if usage differs about it.
    #[must_use]
    pub fn severity(&self, hit: &Hit) -> Option<Severity> {
        self.severities[hit.entry]
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    double: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    wrong: String,
    right: String,
    severity: Option<Severity>,
}
