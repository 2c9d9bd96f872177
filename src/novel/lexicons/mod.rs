//! Lexicons of words and phrases for the checks, as data; the head of each file describes its origin.
//!
//! An entry matches by the base forms of its words: 胸が痛む is found in 胸が痛んだ. Another spelling needs another entry.
//! Nothing is judged here.

pub mod bare_nouns;
mod body;
mod book;
pub mod case_particles;
pub mod cliches;
pub mod concord;
pub mod connectives;
pub mod doublings;
mod drama;

mod emotion;
mod facets;
mod forbidden;
pub mod homophones;
pub mod honorifics;
pub mod humble;
mod inflected;
pub mod machine_prose;
pub mod misconversions;
pub mod misuses;
pub mod okurigana;
mod openings;
mod people;
mod phrases;
pub mod redundancy;
pub mod repetitions;
mod senses;
mod setting;
pub mod spellings;
pub mod topics;
mod tropes;
pub mod typos;
mod verbs;
mod wording;

pub use body::{BODY, BodyLexicon};
pub use book::{BOOK, BookLexicon};
pub use drama::{DRAMA, DramaLexicon};
pub use emotion::{EMOTION, EmotionLexicon};
pub use facets::{FACETS, Facet, Facets};
pub use forbidden::{FORBIDDEN, ForbiddenLexicon, LimitedPhrase, UnwantedPlace, UnwantedText};
pub use openings::OPENINGS;
pub use people::{PEOPLE, PeopleLexicon, Pronouns};
pub use phrases::{PhraseHit, Phrases};
pub use senses::{SENSES, SensesLexicon};
pub use setting::{DailyLife, SETTING, SettingLexicon};
pub use tropes::{Genre, GenreName, genre};
pub use verbs::{VERBS, VerbLexicon};
pub(crate) use wording::common_affixes;
pub use wording::{Replacements, Wording};

/// Parses an embedded lexicon.
fn read<T: serde::de::DeserializeOwned>(name: &str, text: &str) -> T {
    fumi_base::embedded::toml(&format!("{name}.toml"), text)
}
