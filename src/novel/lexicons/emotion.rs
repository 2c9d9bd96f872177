//! Words that name a feeling, by kind of feeling, each with a valence from -2 to 2.

use std::{collections::BTreeMap, sync::LazyLock};

use super::{Hit, Phrases, read};

/// The words.
pub static EMOTION: LazyLock<Emotion> = LazyLock::new(|| {
    let kinds: BTreeMap<String, BTreeMap<String, i8>> = read("emotion", include_str!("emotion.toml"));
    let (mut words, mut feelings) = (Vec::new(), Vec::new());
    for (kind, entries) in kinds {
        for (word, valence) in entries {
            words.push(word);
            feelings.push((kind.clone(), valence));
        }
    }
    Emotion {
        phrases: Phrases::new(words),
        feelings,
    }
});

/// A list of words that name feelings.
#[derive(Debug)]
pub struct Emotion {
    /// The words.
    pub phrases: Phrases,
    feelings: Vec<(String, i8)>,
}

impl Emotion {
    /// The kind and the valence of a word that was found.
    #[must_use]
    pub fn feeling(&self, hit: &Hit) -> (&str, i8) {
        let (kind, valence) = &self.feelings[hit.entry];
        (kind, *valence)
    }
}
