//! The lexicon of words whose repetition is a slip, and of words that are repeated on purpose.

use std::{collections::HashSet, sync::LazyLock};

use serde::Deserialize;

use super::read;

/// The lexicon, loaded on first use.
pub static REPETITIONS: LazyLock<Repetitions> = LazyLock::new(|| read("repetitions", include_str!("repetitions.toml")));

/// The words that decide whether a repetition is a slip.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repetitions {
    /// Adverbs whose direct repetition is not emphasis.
    pub adverbs: HashSet<String>,
    /// Words before a noun or at the head of a sentence that never follow themselves in narration.
    pub leading: HashSet<String>,
    /// Amounts that are not repeated with も.
    pub counted: HashSet<String>,
    /// Connectives of which a clause has one.
    pub connectives: HashSet<String>,
    /// Adverbs that a clause may have twice.
    pub loose: HashSet<String>,
    /// The characters of nouns of direction.
    pub directions: String,
    /// Nouns whose repetition is a word of its own.
    pub idioms: HashSet<String>,
    /// Nouns after which a repeated の may be meant.
    pub chained: HashSet<String>,
    /// Nouns that repeat to express "each".
    pub each: HashSet<String>,
}
