//! The lexicon of verbs, grouped by their function in a story.

use std::sync::LazyLock;

use fumi_base::embedded;
use serde::Deserialize;

use super::Phrases;

/// The parsed contents of `verbs.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerbLexicon {
    /// Verbs of thinking, feeling, noticing and remembering.
    pub thought: Phrases,
    /// Verbs of speaking, and verbs that take their place beside a line of dialogue.
    pub speech: Phrases,
    /// Verbs of visible actions.
    pub action: Phrases,
    /// Verbs of state such as to be, belong, mean. ある and いる count as independent verbs only.
    pub state: Phrases,
}

/// The lexicon, loaded on first use.
pub static VERBS: LazyLock<VerbLexicon> = LazyLock::new(|| embedded::toml("verbs.toml", include_str!("verbs.toml")));
