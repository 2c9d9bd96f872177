//! Onomatopoeia of fiction.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Phrases;

/// The file, read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Onomatopoeia {
    /// Those that are read as words.
    pub words: Phrases,
    /// Those that match as strings of the text.
    pub spelled: Vec<String>,
}

/// The words, read at the first question.
pub static ONOMATOPOEIA: LazyLock<Onomatopoeia> =
    LazyLock::new(|| toml::from_str(include_str!("onomatopoeia.toml")).expect("an embedded lexicon is well-formed"));
