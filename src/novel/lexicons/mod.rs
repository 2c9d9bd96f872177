//! Lists of words and phrases that checks know, as data: each file says in its head how it was made.
//!
//! An entry matches by the base forms of its words, so 胸が痛む is found in 胸が痛んだ; spelled otherwise it is another entry.
//! Nothing is judged here.

mod body;
pub mod connectives;
mod drama;
mod onomatopoeia;
mod openings;
mod people;
mod phrases;
mod senses;
mod setting;
mod tropes;
mod verbs;

pub use body::{BODY, Body};
pub use drama::{DRAMA, Drama};
pub use onomatopoeia::{ONOMATOPOEIA, Onomatopoeia};
pub use openings::OPENINGS;
pub use people::{PEOPLE, People, Pronouns};
pub use phrases::{Hit, Phrases};
pub use senses::{SENSES, Senses};
pub use setting::{DailyLife, SETTING, Setting};
pub use tropes::{Genre, GenreName, genre};
pub use verbs::{VERBS, Verbs};

/// Reads a lexicon of this repository.
fn read<T: serde::de::DeserializeOwned>(name: &str, text: &str) -> T {
    toml::from_str(text).unwrap_or_else(|error| panic!("{name}.toml: {error}"))
}
