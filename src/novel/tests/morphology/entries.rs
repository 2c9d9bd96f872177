//! The writer of the dictionary's entries, in the format that `morphology/entries.rs` reads.

use std::{collections::BTreeSet, num::TryFromIntError};

/// The entries of all words.
#[derive(Default)]
pub(crate) struct Entries {
    /// The grammar, base form and reading of each word, in the order of vibrato's words.
    rows: Vec<[String; 3]>,
    /// The grammars of unknown words that do not occur in `rows`.
    unknown: BTreeSet<String>,
}

impl Entries {
    /// Adds the entry of a word.
    pub(crate) fn push(&mut self, grammar: String, base: &str, reading: &str) {
        self.rows.push([grammar, base.to_owned(), reading.to_owned()]);
    }

    /// Adds a grammar that unknown words may have.
    pub(crate) fn unknown(&mut self, grammar: String) {
        self.unknown.insert(grammar);
    }

    /// Returns the encoded bytes, or an error if there are too many texts for the index types.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, TryFromIntError> {
        let texts = |column: usize| self.rows.iter().map(move |row| row[column].as_str());
        let lists =
            [texts(0).chain(self.unknown.iter().map(String::as_str)).collect(), texts(1).collect(), texts(2).collect()]
                .map(|different: BTreeSet<&str>| different.into_iter().collect::<Vec<_>>());
        let mut rows = Vec::new();
        for row in &self.rows {
            let place = |column: usize| lists[column].partition_point(|text| **text < *row[column]);
            rows.extend(u16::try_from(place(0))?.to_le_bytes());
            rows.extend(u16::try_from(place(1))?.to_le_bytes());
            rows.extend(u32::try_from(place(2))?.to_le_bytes());
        }
        let mut bytes = Vec::new();
        let lines = lists.map(|texts| texts.join("\n") + "\n");
        for block in lines.iter().map(String::as_bytes).chain([rows.as_slice()]) {
            bytes.extend(u32::try_from(block.len())?.to_le_bytes());
            bytes.extend(block);
        }
        Ok(bytes)
    }
}
