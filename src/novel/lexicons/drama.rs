//! What somebody wants, what stands in the way, why, what is asked, what is left open.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Phrases;

/// The file, read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drama {
    /// Somebody wants, must, looks for.
    pub goal: Phrases,
    /// Something resists, is missing, fails.
    pub obstacle: Phrases,
    /// Why somebody does it.
    pub motive: Phrases,
    /// Words that ask.
    pub question_words: Phrases,
    /// Words that leave something open at an end.
    pub unease: Phrases,
    /// What somebody fears, lacks, cannot do.
    pub weakness: Phrases,
}

/// The words, read at the first question.
pub static DRAMA: LazyLock<Drama> =
    LazyLock::new(|| toml::from_str(include_str!("drama.toml")).expect("an embedded lexicon is well-formed"));
