//! Words that put a sense on the page.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Phrases;

/// The file, read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Senses {
    /// Seen.
    pub sight: Phrases,
    /// Heard.
    pub hearing: Phrases,
    /// Smelt.
    pub smell: Phrases,
    /// Tasted.
    pub taste: Phrases,
    /// Felt: warmth, pain, moisture, surfaces.
    pub touch: Phrases,
}

/// The words, read at the first question.
pub static SENSES: LazyLock<Senses> =
    LazyLock::new(|| toml::from_str(include_str!("senses.toml")).expect("an embedded lexicon is well-formed"));
