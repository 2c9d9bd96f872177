//! Verbs by what they do in a story.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Phrases;

/// The file, read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verbs {
    /// To think, feel, notice, remember.
    pub thought: Phrases,
    /// To speak, and what stands beside a line in its place.
    pub speech: Phrases,
    /// What can be seen.
    pub action: Phrases,
    /// To be, belong, mean: ある and いる count as independent verbs only.
    pub state: Phrases,
}

/// The words, read at the first question.
pub static VERBS: LazyLock<Verbs> =
    LazyLock::new(|| toml::from_str(include_str!("verbs.toml")).expect("an embedded lexicon is well-formed"));
