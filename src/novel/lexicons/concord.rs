//! The lexicon of adverbs that demand an ending.

use std::{collections::HashSet, sync::LazyLock};

use regex_lite::Regex;
use serde::Deserialize;

use super::read;
use crate::morphology::Morpheme;

/// The lexicon, loaded on first use.
pub static CONCORD: LazyLock<Concord> = LazyLock::new(|| {
    let file: ConcordFile = read("concord", include_str!("concord.toml"));
    let lengths = file.group.iter().flat_map(|group| &group.adverbs).map(|adverb| adverb.chars().count());
    let longest = lengths.max().unwrap_or(0);
    Concord { groups: file.group.into_iter().map(AdverbGroup::new).collect(), longest }
});

#[derive(Debug)]
pub struct Concord {
    groups: Vec<AdverbGroup>,
    /// The number of characters of the longest adverb.
    longest: usize,
}

/// Adverbs that demand the same ending.
#[derive(Debug)]
pub struct AdverbGroup {
    adverbs: HashSet<String>,
    set_phrases: Vec<String>,
    unless: Option<Regex>,
    bases: HashSet<String>,
    met: Regex,
    broken: Option<Regex>,
    is_met_by_noun: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConcordFile {
    group: Vec<GroupEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupEntry {
    adverbs: HashSet<String>,
    #[serde(default)]
    set_phrases: Vec<String>,
    unless: Option<String>,
    bases: HashSet<String>,
    met: String,
    broken: Option<String>,
    #[serde(default)]
    noun: bool,
}

impl AdverbGroup {
    fn new(entry: GroupEntry) -> Self {
        let regex = |pattern: &str| Regex::new(pattern).unwrap_or_else(|error| panic!("concord.toml: {error}"));
        Self {
            adverbs: entry.adverbs,
            set_phrases: entry.set_phrases,
            unless: entry.unless.map(|pattern| regex(&format!("^(?:{pattern})"))),
            bases: entry.bases,
            met: regex(&entry.met),
            broken: entry.broken.as_deref().map(regex),
            is_met_by_noun: entry.noun,
        }
    }

    /// True if the text after an adverb makes it a part of another word.
    pub fn is_other_word(&self, rest: &str) -> bool {
        self.unless.as_ref().is_some_and(|pattern| pattern.is_match(rest))
    }

    /// True if a text ends in a set phrase with an adverb: 意を決して.
    pub fn is_set_phrase(&self, text: &str) -> bool {
        self.set_phrases.iter().any(|phrase| text.ends_with(phrase))
    }

    /// True if the rest of a sentence, as text and as words, has the ending.
    pub fn is_met(&self, rest: &str, words: &[Morpheme<'_>]) -> bool {
        // ん of のだ and の are neither a negation nor the noun of a sentence.
        let mut meant = words.iter().filter(|word| !word.has_parts(&["名詞", "非自立"]));
        if meant.any(|word| self.bases.contains(word.base)) || (self.is_met_by_noun && ends_in_noun(words)) {
            return true;
        }
        let broken = self.broken.as_ref().and_then(|pattern| pattern.find(rest));
        let met = self.met.find(rest);
        met.is_some_and(|met| broken.is_none_or(|broken| met.start() < broken.start()))
    }
}

impl Concord {
    /// Returns the adverb that a text begins with, the longest one, and its group.
    pub fn find<'t>(&self, text: &'t str) -> Option<(&'t str, &AdverbGroup)> {
        let ends = text.char_indices().map(|(at, character)| at + character.len_utf8()).take(self.longest);
        let found = ends.filter_map(|end| {
            let group = self.groups.iter().find(|group| group.adverbs.contains(&text[..end]))?;
            Some((&text[..end], group))
        });
        found.last()
    }
}

/// True if words end in a noun with だ, です or である.
fn ends_in_noun(words: &[Morpheme<'_>]) -> bool {
    let mut before = words.iter().rev().skip_while(|word| {
        word.has_parts(&["記号"]) || word.has_parts(&["助動詞"]) || word.has_parts(&["助詞", "終助詞"])
    });
    let has_copula = words.iter().rev().take(4).any(|word| matches!(word.base, "だ" | "です" | "ある"));
    let noun = before.next().filter(|word| word.has_parts(&["名詞"]) && !word.has_parts(&["名詞", "非自立"]));
    has_copula && noun.is_some()
}
