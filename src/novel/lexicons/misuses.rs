//! The lexicon of misused set phrases and tautologies, with the right form of each.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Replacements, read};

/// Misused phrases with their right forms.
pub static MISUSES: LazyLock<Replacements> = LazyLock::new(|| replacements(&FILE.misuse));

/// Tautological phrases with their right forms.
pub static TAUTOLOGIES: LazyLock<Replacements> = LazyLock::new(|| replacements(&FILE.tautology));

static FILE: LazyLock<File> = LazyLock::new(|| read("misuses", include_str!("misuses.toml")));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    misuse: Vec<Entry>,
    tautology: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    wrong: String,
    right: String,
    #[serde(rename = "why")]
    _why: Reason,
}

/// The explanation for readers of the file; the program does not use it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    #[serde(rename = "en")]
    _en: String,
    #[serde(rename = "ja")]
    _ja: String,
}

fn replacements(entries: &[Entry]) -> Replacements {
    let pairs = entries.iter().map(|entry| (entry.wrong.clone(), entry.right.clone()));
    Replacements::new(pairs)
}
