//! Spellings of the same word, and kanji of words that only help another.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Hit, Phrases, Replacements, Wording, read};
use crate::morphology::Morpheme;

/// The groups of spellings.
pub static SPELLINGS: LazyLock<Spellings> = LazyLock::new(|| {
    let (mut members, mut phrases, mut of_phrases) = (Vec::new(), Vec::new(), Vec::new());
    for (group, spellings) in FILE.groups.iter().enumerate() {
        let wordings: Vec<Wording> = spellings.iter().map(Wording::new).collect();
        let inflects = wordings.first().is_some_and(Wording::inflects);
        for wording in wordings {
            // A word is often read as something else where it stands alone.
            let settings: &[_] = if inflects { &OF_VERBS } else { &OF_NOUNS };
            for (before, after) in settings {
                phrases.push((*before, wording.text.clone(), *after));
                of_phrases.push(members.len());
            }
            members.push(Member {
                group,
                wording,
                inflects,
            });
        }
    }
    Spellings {
        phrases: Phrases::within(phrases),
        of_phrases,
        members,
    }
});

/// What verbs are read in.
const OF_VERBS: [(&str, &str); 3] = [("", ""), ("を", ""), ("は", "")];

/// What nouns are read in.
const OF_NOUNS: [(&str, &str); 3] = [("", ""), ("その", "を"), ("は", "が")];

/// What follows て or で, with its kana.
pub static AFTER_TE: LazyLock<Replacements> = LazyLock::new(|| auxiliaries(Some("て")));
/// What follows た or だ, with its kana.
pub static AFTER_TA: LazyLock<Replacements> = LazyLock::new(|| auxiliaries(Some("た")));
/// Other auxiliaries, with their kana.
pub static AUXILIARIES: LazyLock<Replacements> = LazyLock::new(|| auxiliaries(None));

static FILE: LazyLock<File> = LazyLock::new(|| read("spellings", include_str!("spellings.toml")));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    groups: Vec<Vec<String>>,
    auxiliary: Auxiliary,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Auxiliary {
    pairs: Vec<Pair>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    kanji: String,
    kana: String,
}

/// The pairs that begin with a kana, without it; or those that begin with neither て nor た.
fn auxiliaries(head: Option<&str>) -> Replacements {
    let pairs = FILE.auxiliary.pairs.iter();
    Replacements::new(pairs.filter_map(|Pair { kanji, kana }| match head {
        Some(head) => Some((
            kanji.strip_prefix(head)?.to_owned(),
            kana.strip_prefix(head)?.to_owned(),
        )),
        None => (!kanji.starts_with(['て', 'た'])).then(|| (kanji.clone(), kana.clone())),
    }))
}

/// Groups of spellings, the preferred one first in each.
#[derive(Debug)]
pub struct Spellings {
    phrases: Phrases,
    /// For each phrase the spelling that it is a reading of.
    of_phrases: Vec<usize>,
    /// In the order of the groups.
    members: Vec<Member>,
}

/// A spelling.
#[derive(Debug)]
struct Member {
    group: usize,
    wording: Wording,
    /// Whether the words of its group inflect.
    inflects: bool,
}

impl Spellings {
    /// Where spellings of any group stand; the entries of the hits are spellings.
    #[must_use]
    pub fn find(&self, words: &[Morpheme<'_>]) -> Vec<Hit> {
        let mut hits = self.phrases.find(words);
        hits.retain_mut(|hit| {
            hit.entry = self.of_phrases[hit.entry];
            let Member { wording, inflects, .. } = &self.members[hit.entry];
            let own = &words[hit.words.clone()];
            if *inflects {
                wording.is_spelled_by(own)
            } else {
                own.iter().map(|word| word.surface).collect::<String>() == wording.text
            }
        });
        hits
    }

    /// The group of a spelling, by the place of the spelling.
    #[must_use]
    pub fn group(&self, member: usize) -> usize {
        self.members[member].group
    }

    /// A spelling, by its place.
    #[must_use]
    pub fn wording(&self, member: usize) -> &Wording {
        &self.members[member].wording
    }
}
