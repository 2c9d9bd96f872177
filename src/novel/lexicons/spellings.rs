//! Spellings of the same word, and kanji of words that only help another.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Hit, Phrases, Replacements, Wording, read};
use crate::morphology::Morpheme;

/// The groups of spellings.
pub static SPELLINGS: LazyLock<Spellings> = LazyLock::new(|| {
    let mut members = Vec::new();
    for (group, spellings) in FILE.groups.iter().enumerate() {
        members.extend(spellings.iter().map(|spelling| (group, Wording::new(spelling))));
    }
    Spellings {
        phrases: Phrases::new(members.iter().map(|(_, wording)| wording.text.as_str())),
        members,
    }
});

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
    /// In the order of the groups.
    members: Vec<(usize, Wording)>,
}

impl Spellings {
    /// Where spellings of any group stand.
    #[must_use]
    pub fn find(&self, words: &[Morpheme<'_>]) -> Vec<Hit> {
        self.phrases.find(words)
    }

    /// The group of a spelling, by the place of the spelling.
    #[must_use]
    pub fn group(&self, member: usize) -> usize {
        self.members[member].0
    }

    /// A spelling, by its place.
    #[must_use]
    pub fn wording(&self, member: usize) -> &Wording {
        &self.members[member].1
    }
}
