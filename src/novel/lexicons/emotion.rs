//! The lexicon of words that name a feeling, each with its kind and valence.

use std::{collections::BTreeMap, sync::LazyLock};

use super::Phrases;
use crate::morphology::{Ipadic, Morphology as _};
use fumi_base::embedded;

/// The parsed contents of `emotion.toml`. The lists are parallel, one element per entry.
#[derive(Debug)]
pub struct EmotionLexicon {
    /// The words that name feelings.
    pub words: Phrases,
    /// The valence of each word, from -2 (unpleasant) to 2 (pleasant).
    pub valences: Vec<i8>,
    /// The kind of feeling that each word names: `joy`, `anger` and so on.
    pub kinds: Vec<String>,
    /// The reading of each word in katakana, so that 嬉しい and うれしい count as one word.
    pub readings: Vec<String>,
}

impl EmotionLexicon {
    /// Returns the valence of an entry, from -2 to 2; 0 if the entry does not exist.
    pub fn valence(&self, entry: usize) -> i8 {
        self.valences.get(entry).copied().unwrap_or_default()
    }

    /// Returns the reading of an entry in katakana; empty if the entry does not exist.
    pub fn reading(&self, entry: usize) -> &str {
        self.readings.get(entry).map_or("", String::as_str)
    }

    /// Returns the kind of feeling of an entry; empty if the entry does not exist.
    pub fn kind(&self, entry: usize) -> &str {
        self.kinds.get(entry).map_or("", String::as_str)
    }
}

/// The lexicon, loaded on first use.
pub static EMOTION: LazyLock<EmotionLexicon> = LazyLock::new(|| {
    let kinds: BTreeMap<String, BTreeMap<String, i8>> = embedded::toml("emotion.toml", include_str!("emotion.toml"));
    let (mut words, mut valences, mut of_kinds) = (Vec::new(), Vec::new(), Vec::new());
    for (kind, entries) in kinds {
        for (word, valence) in entries {
            words.push(word);
            valences.push(valence);
            of_kinds.push(kind.clone());
        }
    }
    EmotionLexicon { readings: readings(&words), words: Phrases::new(words), valences, kinds: of_kinds }
});

fn readings(entries: &[String]) -> Vec<String> {
    let mut reader = Ipadic::shared().reader();
    let mut words = Vec::new();
    let mut read = |entry: &String| {
        words.clear();
        reader.read(entry, &mut words);
        let parts = words.iter().map(|word| word.entry.reading.unwrap_or(&entry[word.range.clone()]).to_owned());
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
        assert_eq!((entries.len(), entries.len()), (EMOTION.valences.len(), EMOTION.kinds.len()));
        let of = |word: &str| entries.iter().position(|entry| entry == word);
        let joy = of("嬉しい").map(|entry| (EMOTION.valence(entry), EMOTION.kind(entry)));
        assert_eq!(joy, Some((2, "joy")));
        assert!(EMOTION.valences.iter().all(|valence| (-2..=2).contains(valence)));
    }
}
