//! Lists of words and phrases that checks know, as data: each file says in its head how it was made.
//!
//! An entry matches by the base forms of its words, so 胸が痛む is found in 胸が痛んだ; spelled otherwise it is another entry.
//! Nothing is judged here.

pub mod cliches;
pub mod connectives;
pub mod emotion;
pub mod honorifics;
mod inflected;
pub mod misuses;
mod phrases;
pub mod redundancy;
pub mod spellings;
mod wording;

pub use phrases::{Hit, Phrases};
pub(crate) use wording::shared;
pub use wording::{Replacements, Wording};

/// Reads a lexicon of this repository.
fn read<T: serde::de::DeserializeOwned>(name: &str, text: &str) -> T {
    toml::from_str(text).unwrap_or_else(|error| panic!("{name}.toml: {error}"))
}
