//! The lexicon of nouns that stand before a verb without a particle.

use std::{collections::HashSet, sync::LazyLock};

use serde::Deserialize;

use super::read;
use crate::manuscript::is_kanji;

/// The lexicon, loaded on first use.
pub static BARE_NOUNS: LazyLock<BareNouns> = LazyLock::new(|| read("bare_nouns", include_str!("bare_nouns.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BareNouns {
    adverbs: HashSet<String>,
    dialect_endings: Vec<String>,
    /// The first characters of nouns of number.
    numbers: String,
    things: HashSet<String>,
    joining: HashSet<String>,
    idioms: HashSet<(String, String)>,
    /// Adjectives that follow a thing with が.
    pub qualities: HashSet<String>,
    /// Pronouns of persons.
    pub pronouns: HashSet<String>,
    /// Nouns of persons, pronouns included.
    pub persons: HashSet<String>,
    /// Words that follow a person without a particle.
    pub after_persons: HashSet<String>,
    /// Nouns of a place at something.
    pub places: HashSet<String>,
    /// Nouns that follow such a place without a particle.
    pub after_places: HashSet<String>,
    holders: HashSet<String>,
    holding: HashSet<String>,
}

impl BareNouns {
    /// True if a noun cannot stand before a verb without a particle: it ends in a kanji (a noun that ends in kana may be the
    /// first half of a verb: 覗き込む) or is written in katakana, is in the list if it is a single kanji, and is not an adverb.
    pub fn needs_particle(&self, noun: &str) -> bool {
        let is_number = noun.starts_with(|first| self.numbers.contains(first));
        let is_katakana = noun.chars().all(|character| matches!(character, 'ァ'..='ヺ' | 'ー'));
        let is_single = noun.chars().count() == 1;
        let is_thing = if is_single { self.is_thing(noun) } else { noun.ends_with(is_kanji) || is_katakana };
        is_thing && !is_number && !self.adverbs.contains(noun)
    }

    /// True for a sentence, without signs, in a dialect that drops particles.
    pub fn is_dialect(&self, sentence: &str) -> bool {
        self.dialect_endings.iter().any(|ending| sentence.ends_with(ending))
    }

    /// True for a single kanji that needs a particle: a thing or a pronoun.
    pub fn is_thing(&self, noun: &str) -> bool {
        self.things.contains(noun)
    }

    /// True for a part of the body, and what follows it, as base forms, where someone holds or wears a thing: 手, に取る.
    pub fn is_held_in(&self, part: &str, after: &str) -> bool {
        self.holders.contains(part) && self.holding.contains(after)
    }

    /// True if a verb needs no particle after a noun.
    pub fn joins(&self, noun: &str, verb: &str) -> bool {
        self.joining.contains(verb) || self.idioms.iter().any(|(own, joined)| own == noun && joined == verb)
    }
}
