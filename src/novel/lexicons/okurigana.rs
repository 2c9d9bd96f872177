//! The lexicon of words with wrong okurigana.

use std::{ops::Range, sync::LazyLock};

use serde::Deserialize;

use super::read;
use crate::manuscript::is_kanji;

/// The lexicon, loaded on first use.
pub static OKURIGANA: LazyLock<Okurigana> = LazyLock::new(|| read("okurigana", include_str!("okurigana.toml")));

/// The wrong forms, each with the right one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Okurigana {
    pairs: Vec<(String, String)>,
}

impl Okurigana {
    /// Returns the wrong forms of a text as byte ranges, each with the right form. A form that continues a word of kanji
    /// is skipped: 負担な is not 担なう.
    pub fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (Range<usize>, &'t str)> {
        self.pairs.iter().flat_map(move |(wrong, right)| {
            let places = text.match_indices(wrong.as_str());
            let own = places.filter(|(at, _)| !text[..*at].ends_with(is_kanji));
            own.map(|(at, wrong)| (at..at + wrong.len(), right.as_str()))
        })
    }
}
