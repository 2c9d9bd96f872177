//! The lexicon of conjunctions, demonstratives, negations, and the endings and words of dialects.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Phrases, read};

/// The lexicon, loaded on first use.
pub static CONNECTIVES: LazyLock<Connectives> = LazyLock::new(|| {
    let file: ConnectivesFile = read("connectives", include_str!("connectives.toml"));
    Connectives {
        conjunctions: Phrases::new(file.conjunctions),
        demonstratives: Phrases::new(file.demonstratives),
        negations: Phrases::new(file.negations),
        dialect_endings: file.dialect_endings,
        dialect_words: file.dialect_words,
    }
});

/// Conjunctions, demonstratives, negations and dialect markers.
#[derive(Debug)]
pub struct Connectives {
    /// Words that join sentences.
    pub conjunctions: Phrases,
    /// Words such as これ and その.
    pub demonstratives: Phrases,
    /// Words that negate a statement.
    pub negations: Phrases,
    /// Literal endings of sentences in dialogue.
    pub dialect_endings: Vec<String>,
    /// Literal words within dialogue.
    pub dialect_words: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConnectivesFile {
    conjunctions: Vec<String>,
    demonstratives: Vec<String>,
    negations: Vec<String>,
    dialect_endings: Vec<String>,
    dialect_words: Vec<String>,
}
