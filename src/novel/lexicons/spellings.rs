//! The lexicon of variant spellings of the same word, and of auxiliaries written in kanji.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{PhraseHit, Phrases, Replacements, Wording, read};
use crate::morphology::Morpheme;

/// The groups of variant spellings, loaded on first use.
pub static SPELLINGS: LazyLock<Spellings> = LazyLock::new(|| {
    let (mut members, mut phrases, mut of_phrases) = (Vec::new(), Vec::new(), Vec::new());
    for (group, spellings) in FILE.groups.iter().enumerate() {
        let wordings: Vec<Wording> = spellings.iter().map(Wording::new).collect();
        let inflects = wordings.first().is_some_and(Wording::inflects);
        for wording in wordings {
            // A word alone is often analysed differently from the same word in a sentence.
            let settings: &[_] = if inflects { &OF_VERBS } else { &OF_NOUNS };
            for (before, after) in settings {
                phrases.push((*before, wording.text.clone(), *after));
                of_phrases.push(members.len());
            }
            members.push(SpellingVariant { group, wording, inflects });
        }
    }
    Spellings { phrases: Phrases::in_context(phrases), of_phrases, members }
});

/// The contexts in which verbs are analysed.
const OF_VERBS: [(&str, &str); 3] = [("", ""), ("を", ""), ("は", "")];

/// The contexts in which nouns are analysed.
const OF_NOUNS: [(&str, &str); 3] = [("", ""), ("その", "を"), ("は", "が")];

/// Auxiliaries after て or で, with their kana spelling.
pub static AFTER_TE: LazyLock<Replacements> = LazyLock::new(|| auxiliaries(Some("て")));
/// Auxiliaries after た or だ, with their kana spelling.
pub static AFTER_TA: LazyLock<Replacements> = LazyLock::new(|| auxiliaries(Some("た")));
/// The other auxiliaries, with their kana spelling.
pub static AUXILIARIES: LazyLock<Replacements> = LazyLock::new(|| auxiliaries(None));

static FILE: LazyLock<SpellingsFile> = LazyLock::new(|| read("spellings", include_str!("spellings.toml")));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpellingsFile {
    groups: Vec<Vec<String>>,
    longer: Vec<String>,
    auxiliary: Auxiliary,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Auxiliary {
    pairs: Vec<AuxiliaryPair>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AuxiliaryPair {
    kanji: String,
    kana: String,
}

/// Returns the pairs that begin with `head`, without it; for `None`, the pairs that begin with neither て nor た.
fn auxiliaries(head: Option<&str>) -> Replacements {
    let pairs = FILE.auxiliary.pairs.iter();
    Replacements::new(pairs.filter_map(|AuxiliaryPair { kanji, kana }| match head {
        Some(head) => Some((kanji.strip_prefix(head)?.to_owned(), kana.strip_prefix(head)?.to_owned())),
        None => (!kanji.starts_with(['て', 'た'])).then(|| (kanji.clone(), kana.clone())),
    }))
}

/// Groups of variant spellings, the preferred spelling first in each.
#[derive(Debug)]
pub struct Spellings {
    phrases: Phrases,
    /// For each phrase, the index of the spelling of which it is an analysis.
    of_phrases: Vec<usize>,
    /// The spellings in the order of the groups.
    members: Vec<SpellingVariant>,
}

/// A spelling and its group.
#[derive(Debug)]
struct SpellingVariant {
    group: usize,
    wording: Wording,
    /// True if the words of its group inflect.
    inflects: bool,
}

impl Spellings {
    /// Finds spellings of any group; the entries of the hits are indices of spellings.
    pub fn find(&self, words: &[Morpheme<'_>]) -> Vec<PhraseHit> {
        let mut hits = self.phrases.find(words);
        hits.retain_mut(|hit| {
            hit.entry = self.of_phrases[hit.entry];
            let SpellingVariant { wording, inflects, .. } = &self.members[hit.entry];
            let own = &words[hit.words.clone()];
            if *inflects {
                wording.is_spelled_by(own)
            } else {
                own.iter().map(|word| word.surface).collect::<String>() == wording.text
            }
        });
        hits
    }

    /// True if a spelling between two texts is a part of another word: 時々 of 時々刻々.
    pub fn is_part(&self, before: &str, spelling: &str, after: &str) -> bool {
        FILE.longer.iter().any(|longer| {
            longer.match_indices(spelling).any(|(at, _)| {
                let (head, tail) = (&longer[..at], &longer[at + spelling.len()..]);
                before.ends_with(head) && after.starts_with(tail)
            })
        })
    }

    /// Returns the group of a spelling.
    pub fn group(&self, member: usize) -> usize {
        self.members[member].group
    }

    /// Returns the wording of a spelling.
    pub fn wording(&self, member: usize) -> &Wording {
        &self.members[member].wording
    }
}
