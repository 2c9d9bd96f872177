//! The lexicon of misused set phrases and tautologies, with the right form of each.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Replacements, read};

/// Misused phrases with their right forms.
pub static MISUSES: LazyLock<Replacements> = LazyLock::new(|| replacements(&FILE.misuse));

/// Tautological phrases with their right forms.
pub static TAUTOLOGIES: LazyLock<Replacements> = LazyLock::new(|| replacements(&FILE.tautology));

static FILE: LazyLock<MisusesFile> = LazyLock::new(|| read("misuses", include_str!("misuses.toml")));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MisusesFile {
    misuse: Vec<MisuseEntry>,
    tautology: Vec<MisuseEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MisuseEntry {
    wrong: String,
    right: String,
    #[serde(rename = "why")]
    _why: MisuseReason,
}

/// The explanation for readers of the file; the program does not use it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MisuseReason {
    #[serde(rename = "en")]
    _en: String,
    #[serde(rename = "ja")]
    _ja: String,
}

fn replacements(entries: &[MisuseEntry]) -> Replacements {
    let pairs = entries.iter().map(|entry| (entry.wrong.clone(), entry.right.clone()));
    Replacements::new(pairs)
}
