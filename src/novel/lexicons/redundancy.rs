//! The lexicon of wordy phrases, with the shorter form of each.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Replacements, read};

/// The lexicon, loaded on first use.
pub static REDUNDANCY: LazyLock<Replacements> = LazyLock::new(|| {
    let file: RedundancyFile = read("redundancy", include_str!("redundancy.toml"));
    Replacements::new(file.phrase.into_iter().map(|entry| (entry.long, entry.short)))
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RedundancyFile {
    phrase: Vec<RedundancyEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RedundancyEntry {
    long: String,
    short: String,
}
