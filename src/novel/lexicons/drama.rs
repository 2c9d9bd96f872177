//! The lexicon of dramatic elements: goals, obstacles, motives, questions, unease and weaknesses.

use std::sync::LazyLock;

use fumi_base::embedded;
use serde::Deserialize;

use super::Phrases;

/// The parsed contents of `drama.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DramaLexicon {
    /// Phrases for wanting, having to, or searching.
    pub goal: Phrases,
    /// Phrases for resistance, lack or failure.
    pub obstacle: Phrases,
    /// Phrases that give a reason for acting.
    pub motive: Phrases,
    /// Interrogative words, as signs of an open question.
    pub question_words: Phrases,
    /// Phrases that leave something open at an ending.
    pub unease: Phrases,
    /// Phrases for fear, lack or inability.
    pub weakness: Phrases,
}

/// The lexicon, loaded on first use.
pub static DRAMA: LazyLock<DramaLexicon> = LazyLock::new(|| embedded::toml("drama.toml", include_str!("drama.toml")));
