//! The lexicon of words with wrong okurigana.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use serde::Deserialize;

use super::read;
use crate::manuscript::is_kanji;

/// The lexicon, loaded on first use.
pub static OKURIGANA: LazyLock<Okurigana> = LazyLock::new(|| {
    let file: OkuriganaFile = read("okurigana", include_str!("okurigana.toml"));
    let mut by_first: HashMap<char, Vec<(String, String)>> = HashMap::new();
    for (wrong, right) in file.pairs {
        by_first.entry(wrong.chars().next().unwrap_or_default()).or_default().push((wrong, right));
    }
    Okurigana { by_first }
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OkuriganaFile {
    /// The wrong forms, each with the right one.
    pairs: Vec<(String, String)>,
}

/// The wrong forms, each with the right one, by their first character.
#[derive(Debug)]
pub struct Okurigana {
    by_first: HashMap<char, Vec<(String, String)>>,
}

impl Okurigana {
    /// Returns the wrong forms of a text as byte ranges, each with the right form, in order. A form that continues a word of
    /// kanji is skipped: 負担な is not 担なう.
    pub fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (Range<usize>, &'t str)> {
        text.char_indices().flat_map(move |(at, first)| {
            let pairs = self.by_first.get(&first).filter(|_| !text[..at].ends_with(is_kanji));
            let own = pairs.into_iter().flatten().filter(move |(wrong, _)| text[at..].starts_with(wrong.as_str()));
            own.map(move |(wrong, right)| (at..at + wrong.len(), right.as_str()))
        })
    }
}
