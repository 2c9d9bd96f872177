//! The lexicon of strings that only a slip of typing leaves.

use std::{ops::Range, sync::LazyLock};

use regex_lite::Regex;
use serde::Deserialize;

use super::read;

/// The lexicon, loaded on first use.
pub static TYPOS: LazyLock<Typos> = LazyLock::new(|| {
    let file: TypoFile = read("typos", include_str!("typos.toml"));
    let compiled = |(pattern, right): (String, String)| {
        (Regex::new(&pattern).unwrap_or_else(|error| panic!("typos.toml: {error}")), right)
    };
    Typos { rows: file.typos.into_iter().map(compiled).collect() }
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypoFile {
    typos: Vec<(String, String)>,
}

/// Patterns of typos, each with what was meant.
#[derive(Debug)]
pub struct Typos {
    rows: Vec<(Regex, String)>,
}

impl Typos {
    /// Returns the typos of a text as byte ranges, each with what was meant.
    pub fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (Range<usize>, &'t str)> {
        self.rows.iter().flat_map(move |(pattern, right)| {
            let found = pattern.captures_iter(text).filter_map(|captures| captures.name("it"));
            found.map(move |found| (found.range(), right.as_str()))
        })
    }
}
