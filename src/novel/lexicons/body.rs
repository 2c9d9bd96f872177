//! The lexicon of body parts and bodily reactions that express feelings.

use std::sync::LazyLock;

use fumi_base::embedded;
use serde::Deserialize;

use super::Phrases;

/// The parsed contents of `body.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyLexicon {
    /// Nouns for parts of the body and what belongs to them.
    pub nouns: Phrases,
    /// Phrases for bodily reactions.
    pub reactions: Phrases,
    /// Verbs that express a reaction beside a noun of the body.
    pub reaction_verbs: Phrases,
}

/// The lexicon, loaded on first use.
pub static BODY: LazyLock<BodyLexicon> = LazyLock::new(|| embedded::toml("body.toml", include_str!("body.toml")));
