//! Words that name a feeling, each with its kind and how pleasant it is.

use std::{collections::BTreeMap, sync::LazyLock};

use super::Phrases;
use crate::morphology::{Ipadic, Morphology as _};

/// The file, read. The lists go together, entry by entry.
#[derive(Debug)]
pub struct Emotion {
    /// The words.
    pub words: Phrases,
    /// How pleasant each is, from -2 to 2.
    pub valences: Vec<i8>,
    /// What kind of feeling each names: `joy`, `anger` and so on.
    pub kinds: Vec<String>,
    /// How each is read, in katakana: 嬉しい and うれしい are one word.
    pub readings: Vec<String>,
}

impl Emotion {
    /// How pleasant an entry is, from -2 to 2; 0 of one that is not there.
    #[must_use]
    pub fn valence(&self, entry: usize) -> i8 {
        self.valences.get(entry).copied().unwrap_or_default()
    }

    /// How an entry is read, in katakana; empty of one that is not there.
    #[must_use]
    pub fn reading(&self, entry: usize) -> &str {
        self.readings.get(entry).map_or("", String::as_str)
    }

    /// What kind of feeling an entry names; empty of one that is not there.
    #[must_use]
    pub fn kind(&self, entry: usize) -> &str {
        self.kinds.get(entry).map_or("", String::as_str)
    }
}

/// The words, read at the first question.
pub static EMOTION: LazyLock<Emotion> = LazyLock::new(|| {
    let kinds: BTreeMap<String, BTreeMap<String, i8>> =
        toml::from_str(include_str!("emotion.toml")).expect("an embedded lexicon is well-formed");
    let (mut words, mut valences, mut of_kinds) = (Vec::new(), Vec::new(), Vec::new());
    for (kind, entries) in kinds {
        for (word, valence) in entries {
            words.push(word);
            valences.push(valence);
            of_kinds.push(kind.clone());
        }
    }
    Emotion {
        readings: readings(&words),
        words: Phrases::new(words),
        valences,
        kinds: of_kinds,
    }
});

fn readings(entries: &[String]) -> Vec<String> {
    let mut reader = Ipadic::shared().reader();
    let mut words = Vec::new();
    let mut read = |entry: &String| {
        words.clear();
        reader.read(entry, &mut words);
        let parts = words
            .iter()
            .map(|word| word.entry.reading.unwrap_or(&entry[word.range.clone()]).to_owned());
        parts.collect()
    };
    entries.iter().map(&mut read).collect()
}

#[cfg(test)]
mod tests {
    use super::EMOTION;

    #[test]
    fn every_word_has_a_kind_and_a_valence() {
        let entries = EMOTION.words.entries();
        assert_eq!(
            (entries.len(), entries.len()),
            (EMOTION.valences.len(), EMOTION.kinds.len())
        );
        let of = |word: &str| entries.iter().position(|entry| entry == word);
        let joy = of("嬉しい").map(|entry| (EMOTION.valence(entry), EMOTION.kind(entry)));
        assert_eq!(joy, Some((2, "joy")));
        assert!(EMOTION.valences.iter().all(|valence| (-2..=2).contains(valence)));
    }
}
