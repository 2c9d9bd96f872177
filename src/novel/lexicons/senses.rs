//! The lexicon of words for sensory perceptions.

use std::sync::LazyLock;

use fumi_base::embedded;
use serde::Deserialize;

use super::Phrases;

/// The parsed contents of `senses.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SensesLexicon {
    /// Words for what is seen.
    pub sight: Phrases,
    /// Words for what is heard.
    pub hearing: Phrases,
    /// Words for what is smelt.
    pub smell: Phrases,
    /// Words for what is tasted.
    pub taste: Phrases,
    /// Words for what is felt: warmth, pain, moisture, surfaces.
    pub touch: Phrases,
}

/// The lexicon, loaded on first use.
pub static SENSES: LazyLock<SensesLexicon> =
    LazyLock::new(|| embedded::toml("senses.toml", include_str!("senses.toml")));
