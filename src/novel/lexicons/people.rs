//! The lexicon of appearance, character traits, relations and roles, and pronouns.

use std::sync::LazyLock;

use fumi_base::embedded;
use serde::Deserialize;

use super::Phrases;

/// The parsed contents of `people.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeopleLexicon {
    /// Words for a person's appearance.
    pub appearance: Phrases,
    /// Words for character traits.
    pub traits: Phrases,
    /// Words for relations and roles, used instead of a name.
    pub kin_and_roles: Phrases,
    pub pronouns: Pronouns,
}

/// Pronouns grouped by grammatical person.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pronouns {
    /// First person: 私 and the like.
    pub first: Phrases,
    /// Second person: あなた and the like.
    pub second: Phrases,
    /// Third person: 彼, 彼女 and the like.
    pub third: Phrases,
}

/// The lexicon, loaded on first use.
pub static PEOPLE: LazyLock<PeopleLexicon> =
    LazyLock::new(|| embedded::toml("people.toml", include_str!("people.toml")));
