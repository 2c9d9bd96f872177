//! The body as the place of a feeling.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Phrases;

/// The file, read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Its parts, and what belongs to them.
    pub nouns: Phrases,
    /// What it does, as phrases.
    pub reactions: Phrases,
    /// Verbs of doing so, beside a noun of the body.
    pub reaction_verbs: Phrases,
}

/// The words, read at the first question.
pub static BODY: LazyLock<Body> =
    LazyLock::new(|| toml::from_str(include_str!("body.toml")).expect("an embedded lexicon is well-formed"));
