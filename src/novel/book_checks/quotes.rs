//! Passages that recorded states quote, found in the manuscripts while these are read.

use std::collections::HashMap;

use super::{BookEpisode, SourcePlace};
use crate::checks::find_first;

/// The passages to be found, by episode.
#[derive(Debug, Default)]
pub(super) struct QuotedPassages {
    wanted: HashMap<u32, Vec<String>>,
    found: HashMap<(u32, String), SourcePlace>,
}

impl QuotedPassages {
    /// Adds a passage before its episode is read.
    pub(super) fn want(&mut self, episode: u32, quote: &str) {
        let wanted = self.wanted.entry(episode).or_default();
        if !wanted.iter().any(|known| known == quote) {
            wanted.push(quote.to_owned());
        }
    }

    pub(super) fn read(&mut self, episode: &BookEpisode<'_, '_>) {
        for quote in self.wanted.remove(&episode.number).unwrap_or_default() {
            if let Some(range) = find_first(episode.material, &quote) {
                self.found.insert((episode.number, quote), SourcePlace::new(episode.number, &range));
            }
        }
    }

    /// Returns the place of a passage; `None` if its episode does not have it.
    pub(super) fn place(&self, episode: u32, quote: &str) -> Option<SourcePlace> {
        self.found.get(&(episode, quote.to_owned())).copied()
    }
}
