//! Words that tell when, where, in what weather, among which things.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Phrases;

/// The file, read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// When.
    pub time: Phrases,
    /// Where.
    pub place: Phrases,
    /// Weather, light, sounds, animals and plants.
    pub nature: Phrases,
    /// Things of daily life.
    pub daily_life: DailyLife,
}

/// Things of daily life.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DailyLife {
    /// What people wear.
    pub clothing: Phrases,
    /// What they eat.
    pub food: Phrases,
    /// Where they live.
    pub dwelling: Phrases,
    /// What they use.
    pub tools: Phrases,
}

/// The words, read at the first question.
pub static SETTING: LazyLock<Setting> =
    LazyLock::new(|| toml::from_str(include_str!("setting.toml")).expect("an embedded lexicon is well-formed"));
