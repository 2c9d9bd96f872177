//! The lexicon of patterns that language models repeat in fiction.

use std::{collections::HashSet, ops::Range, sync::LazyLock};

use regex::Regex;
use serde::Deserialize;

use super::{Phrases, read};
use crate::morphology::Morpheme;

/// The lexicon, loaded on first use.
pub static MACHINE_PROSE: LazyLock<MachineProse> = LazyLock::new(|| {
    let file: MachineProseFile = read("machine_prose", include_str!("machine_prose.toml"));
    let sentences = file.sentences.iter().map(|pattern| Regex::new(pattern).expect("a pattern of the lexicon"));
    MachineProse { phrases: file.phrases, sentences: sentences.collect(), pairs: file.pair }
});

/// The maximum number of words between the particle of a pair's noun and its verb.
const REACH: usize = 8;

/// The parsed contents of `machine_prose.toml`.
#[derive(Debug)]
pub struct MachineProse {
    phrases: Phrases,
    sentences: Vec<Regex>,
    pairs: Vec<NounWithVerb>,
}

/// Nouns that say little with one of these verbs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NounWithVerb {
    nouns: HashSet<String>,
    /// True if the nouns include all that are made from adjectives: 重さ, 哀しみ.
    #[serde(default)]
    derived: bool,
    verbs: HashSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MachineProseFile {
    phrases: Phrases,
    sentences: Vec<String>,
    pair: Vec<NounWithVerb>,
}

impl MachineProse {
    /// Returns the phrases and pairs among words, as ranges of their indices, without overlaps, in order.
    pub fn find(&self, words: &[Morpheme<'_>]) -> Vec<Range<usize>> {
        let phrases = self.phrases.find_with_adverbs(words).into_iter().map(|hit| hit.words);
        let mut hits: Vec<Range<usize>> = phrases.collect();
        hits.extend(self.pairs.iter().flat_map(|pair| pair.find(words).chain(pair.find_modified(words))));
        without_overlaps(hits)
    }

    /// Returns the parts of a sentence that follow a pattern, as byte ranges, without overlaps, in order.
    pub fn find_in_sentence(&self, sentence: &str) -> Vec<Range<usize>> {
        let own = self.sentences.iter().flat_map(|pattern| pattern.find_iter(sentence)).map(|found| found.range());
        without_overlaps(own.collect())
    }
}

/// Sorts ranges, and of those that overlap keeps the first and longest.
pub(crate) fn without_overlaps(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    ranges.retain(|range| {
        let is_apart = range.start >= end;
        end = end.max(range.end);
        is_apart
    });
    ranges
}

impl NounWithVerb {
    fn find<'w>(&'w self, words: &'w [Morpheme<'_>]) -> impl Iterator<Item = Range<usize>> + 'w {
        let nouns = (0..words.len()).filter(|at| self.is_noun(words, *at) && is_joined(words.get(at + 1)));
        nouns.filter_map(|noun| {
            let rest = words[noun + 2..].iter().take(REACH).take_while(|word| !word.has_parts(&["記号", "句点"]));
            let verb = rest.into_iter().position(|word| self.verbs.contains(word.base))?;
            Some(noun..noun + 3 + verb)
        })
    }

    /// Returns the pairs in which the verb modifies the noun: 込められた想い.
    fn find_modified<'w>(&'w self, words: &'w [Morpheme<'_>]) -> impl Iterator<Item = Range<usize>> + 'w {
        let verbs = (0..words.len()).filter(|at| self.verbs.contains(words[*at].base));
        verbs.filter_map(|verb| {
            let is_ending = |word: &&Morpheme<'_>| {
                word.has_parts(&["助動詞"])
                    || word.has_parts(&["動詞", "接尾"])
                    || word.has_parts(&["動詞", "非自立"])
                    || word.surface == "て"
            };
            let noun = verb + 1 + words[verb + 1..].iter().take_while(is_ending).count();
            (noun > verb + 1 && noun < words.len() && self.is_noun(words, noun)).then_some(verb..noun + 1)
        })
    }

    fn is_noun(&self, words: &[Morpheme<'_>], at: usize) -> bool {
        let word = &words[at];
        let is_derived = || word.has_parts(&["名詞", "接尾", "特殊"]) && matches!(word.surface, "さ" | "み");
        self.nouns.contains(word.base) || (self.derived && is_derived())
    }
}

/// True if a particle joins a noun to what it does.
fn is_joined(particle: Option<&Morpheme<'_>>) -> bool {
    particle.is_some_and(|word| {
        word.has_parts(&["助詞"]) && matches!(word.surface, "が" | "は" | "も" | "を" | "だけ" | "の" | "と")
    })
}
