//! The lexicon of humble and honorific words.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use serde::Deserialize;

use super::read;
use crate::morphology::Morpheme;

/// The lexicon, loaded on first use.
pub static HUMBLE: LazyLock<HumbleLexicon> = LazyLock::new(|| read("humble", include_str!("humble.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HumbleLexicon {
    /// Nouns of acts of a guest.
    pub guest_actions: HashSet<String>,
    /// Acts that the addressee does, besides those of `guest_actions`.
    pub addressee_actions: HashSet<String>,
    /// Acts of asking, which honour the one who is asked.
    pub asking: HashSet<String>,
    /// Acts without another person as their object.
    pub acts_alone: HashSet<String>,
    /// Acts whose object is a guest.
    pub acts_on_guests: HashSet<String>,
    /// Nouns that are polite and neither humble nor honorific.
    pub polite_nouns: HashSet<String>,
    /// Nouns of food and drink that a guest orders.
    pub orders: HashSet<String>,
    /// Those who are not honoured by being asked.
    pub staff: HashSet<String>,
    /// Nouns of one's own side.
    pub own_side: HashSet<String>,
    /// Those of them who are younger than the speaker, or as old.
    pub own_young: HashSet<String>,
    /// Members of one's own house, after うちの.
    pub own_members: HashSet<String>,
    /// One's own house.
    pub own_places: HashSet<String>,
    /// Words for those who are spoken to.
    pub addressed: HashSet<String>,
    /// States that honour who is in them.
    pub states: HashSet<String>,
    /// Pronouns of the speaker.
    pub speaker: HashSet<String>,
    /// Verbs that lower someone who is asked.
    pub asked_verbs: HashSet<String>,
    /// Verbs that honour the one who is asked, told or given something.
    pub toward_another: HashSet<String>,
    /// Those of them that demand someone to be honoured with てください.
    pub needs_honoured: HashSet<String>,
    /// Verbs that lower someone to be honoured as their subject.
    pub never_of_honoured: HashSet<String>,
    /// Before の and a title: one's own side.
    pub own_house: HashSet<String>,
    honoured: Vec<String>,
    /// Buildings whose names end like those of someone to be honoured.
    halls: Vec<String>,
    exalted: Vec<String>,
    titles: Vec<String>,
    verb: Vec<HumbleVerb>,
    /// From a humble act after お or ご (お伺い) to the honorific verb to use (お尋ねになる).
    honorific_of_act: HashMap<String, String>,
    for_own_side: Vec<HonorificVerb>,
}

/// Humble verbs that share one honorific verb.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HumbleVerb {
    humble: Vec<String>,
    honorific: String,
}

/// Honorific verbs that share one humble verb.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HonorificVerb {
    honorific: Vec<String>,
    humble: String,
}

impl HumbleLexicon {
    /// Returns the honorific verb in place of a humble one.
    pub fn honorific(&self, word: &Morpheme<'_>) -> Option<&str> {
        let entry = self.verb.iter().find(|entry| entry.humble.iter().any(|humble| humble == word.base))?;
        Some(&entry.honorific)
    }

    /// Returns the honorific verb in place of お or ご with a humble act.
    pub fn honorific_of_act(&self, act: &str) -> Option<&str> {
        self.honorific_of_act.get(act).map(String::as_str)
    }

    /// Returns the humble verb in place of an honorific one.
    pub fn humble(&self, word: &Morpheme<'_>) -> Option<&str> {
        let entry = self.for_own_side.iter().find(|entry| entry.honorific.iter().any(|verb| verb == word.base))?;
        Some(&entry.humble)
    }

    /// True if a word is someone to be honoured, or ends the name of one.
    pub fn is_honoured(&self, word: &Morpheme<'_>) -> bool {
        let ends_in = |ends: &[String]| ends.iter().any(|end| word.surface.ends_with(end.as_str()));
        word.has_parts(&["名詞"]) && ends_in(&self.honoured) && !ends_in(&self.halls)
    }

    /// True if a word is someone of whom even others of the same house speak with honour, or ends the name of one.
    pub fn is_exalted(&self, word: &Morpheme<'_>) -> bool {
        word.has_parts(&["名詞"]) && self.exalted.iter().any(|end| word.surface.ends_with(end.as_str()))
    }

    /// True if a word is a title, or ends in one.
    pub fn is_title(&self, word: &Morpheme<'_>) -> bool {
        word.has_parts(&["名詞"]) && self.titles.iter().any(|end| word.surface.ends_with(end.as_str()))
    }
}
