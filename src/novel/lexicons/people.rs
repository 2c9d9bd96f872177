//! How people look, what they are like, what they are to others, and pronouns.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Phrases;

/// The file, read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct People {
    /// How somebody looks.
    pub appearance: Phrases,
    /// What somebody is like.
    pub traits: Phrases,
    /// Who somebody is without a name.
    pub kin_and_roles: Phrases,
    /// Pronouns.
    pub pronouns: Pronouns,
}

/// Pronouns by person.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pronouns {
    /// Of who speaks.
    pub first: Phrases,
    /// Of who is spoken to.
    pub second: Phrases,
    /// Of who is spoken of.
    pub third: Phrases,
}

/// The words, read at the first question.
pub static PEOPLE: LazyLock<People> =
    LazyLock::new(|| toml::from_str(include_str!("people.toml")).expect("an embedded lexicon is well-formed"));
