//! The lexicon of clichéd phrases in fiction.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use super::{Phrases, read};

/// The phrases of all sections, loaded on first use.
pub static CLICHES: LazyLock<Phrases> = LazyLock::new(|| {
    let sections: BTreeMap<String, ClicheSection> = read("cliches", include_str!("cliches.toml"));
    Phrases::new(sections.into_values().flat_map(|section| section.phrases))
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClicheSection {
    phrases: Vec<String>,
}
