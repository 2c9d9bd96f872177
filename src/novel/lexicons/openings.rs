//! The lexicon of clichéd story openings.

use std::{collections::BTreeMap, sync::LazyLock};

use fumi_base::embedded;
use serde::Deserialize;

use super::Phrases;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OpeningSection {
    phrases: Vec<String>,
}

/// The phrases of all sections, loaded on first use.
pub static OPENINGS: LazyLock<Phrases> = LazyLock::new(|| {
    let sections: BTreeMap<String, OpeningSection> = embedded::toml("openings.toml", include_str!("openings.toml"));
    Phrases::new(sections.into_values().flat_map(|section| section.phrases))
});
