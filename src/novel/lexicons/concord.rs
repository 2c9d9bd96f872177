//! The lexicon of adverbs that demand an ending.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use regex_lite::Regex;
use serde::Deserialize;

use super::read;
use crate::morphology::Morpheme;

/// The maximum number of characters from an adverb to the end of its stretch of text. Without a limit, the time would grow with
/// the square of the length of a sentence.
const REACH: usize = 300;

/// The lexicon, loaded on first use.
pub static CONCORD: LazyLock<Concord> = LazyLock::new(|| {
    let file: ConcordFile = read("concord", include_str!("concord.toml"));
    let lengths = file.group.iter().flat_map(|group| &group.adverbs).map(|adverb| adverb.chars().count());
    let longest = lengths.max().unwrap_or(0);
    let mut clashing: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, clash) in file.clash.iter().enumerate() {
        for adverb in &clash.adverbs {
            clashing.entry(adverb.clone()).or_default().push(at);
        }
    }
    let longest = longest.max(clashing.keys().map(|adverb| adverb.chars().count()).max().unwrap_or(0));
    Concord {
        groups: file.group.into_iter().map(AdverbGroup::new).collect(),
        clashing,
        clashes: file.clash.into_iter().map(Clash::new).collect(),
        longest,
    }
});

#[derive(Debug)]
pub struct Concord {
    groups: Vec<AdverbGroup>,
    clashes: Vec<Clash>,
    /// The indices in `clashes` of each adverb.
    clashing: HashMap<String, Vec<usize>>,
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
    is_one_word: bool,
}

/// Adverbs with an ending that none of them can have, in speech, too.
#[derive(Debug)]
pub struct Clash {
    set_phrases: Vec<String>,
    unless: Option<Regex>,
    ending: Regex,
    met: Option<Regex>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConcordFile {
    group: Vec<GroupEntry>,
    clash: Vec<ClashEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClashEntry {
    adverbs: HashSet<String>,
    #[serde(default)]
    set_phrases: Vec<String>,
    unless: Option<String>,
    ending: String,
    met: Option<String>,
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
    #[serde(default)]
    one_word: bool,
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| panic!("concord.toml: {error}"))
}

impl Clash {
    fn new(entry: ClashEntry) -> Self {
        Self {
            set_phrases: entry.set_phrases,
            unless: entry.unless.map(|pattern| regex(&format!("^(?:{pattern})"))),
            ending: regex(&format!("^(?:{})", entry.ending)),
            met: entry.met.as_deref().map(regex),
        }
    }

    /// Returns the length of the text after an adverb up to the ending that clashes with it.
    fn length(&self, rest: &str) -> Option<usize> {
        let clash = self.ending.find(rest)?;
        let is_other_word = self.unless.as_ref().is_some_and(|pattern| pattern.is_match(rest));
        let is_met = self.met.as_ref().is_some_and(|met| met.is_match(clash.as_str()));
        (!is_other_word && !is_met).then_some(clash.end())
    }
}

impl AdverbGroup {
    fn new(entry: GroupEntry) -> Self {
        Self {
            adverbs: entry.adverbs,
            set_phrases: entry.set_phrases,
            unless: entry.unless.map(|pattern| regex(&format!("^(?:{pattern})"))),
            bases: entry.bases,
            met: regex(&entry.met),
            broken: entry.broken.as_deref().map(regex),
            is_met_by_noun: entry.noun,
            is_one_word: entry.one_word,
        }
    }

    /// True if the text after an adverb makes it a part of another word.
    pub fn is_other_word(&self, rest: &str) -> bool {
        self.unless.as_ref().is_some_and(|pattern| pattern.is_match(rest))
    }

    /// True if a word may begin an adverb of the group. The さも of 重さも is two words.
    pub fn may_begin_with(&self, word: &Morpheme<'_>) -> bool {
        !self.is_one_word || self.adverbs.contains(word.surface)
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

    /// Returns the adverb that begins at a place of a text, and the length from there up to an ending that clashes with it. An
    /// adverb far from the end of the text has none.
    pub fn find_clash<'t>(&self, text: &'t str, start: usize) -> Option<(&'t str, usize)> {
        let heard = &text[start..];
        let ends = heard.char_indices().map(|(at, character)| at + character.len_utf8()).take(self.longest);
        let found = ends.filter_map(|end| {
            let (adverb, rest) = heard.split_at(end);
            let is_set = |clash: &Clash| clash.set_phrases.iter().any(|phrase| text[..start + end].ends_with(phrase));
            let clashing = self.clashing.get(adverb).filter(|_| !is_far(rest))?;
            let clashes = clashing.iter().map(|at| &self.clashes[*at]);
            clashes.filter(|clash| !is_set(clash)).find_map(|clash| Some((adverb, end + clash.length(rest)?)))
        });
        found.last()
    }
}

/// True if an adverb is too far from the end of its stretch of text, which is `rest`, to be judged.
pub fn is_far(rest: &str) -> bool {
    rest.chars().nth(REACH).is_some()
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
