//! Lists of words and phrases that checks know, as data: each file says in its head how it was made.
//!
//! An entry matches by the base forms of its words, so 胸が痛む is found in 胸が痛んだ; spelled otherwise it is another entry.
//! Nothing is judged here.

pub mod connectives;
mod phrases;

pub use phrases::{Hit, Phrases};

/// Reads a lexicon of this repository.
fn read<T: serde::de::DeserializeOwned>(name: &str, text: &str) -> T {
    toml::from_str(text).unwrap_or_else(|error| panic!("{name}.toml: {error}"))
}
