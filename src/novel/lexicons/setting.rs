//! The lexicon of words for time, place, nature and things of daily life.

use std::sync::LazyLock;

use fumi_base::embedded;
use serde::Deserialize;

use super::Phrases;

/// The parsed contents of `setting.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingLexicon {
    /// Words for times and dates.
    pub time: Phrases,
    /// Words for places and locations.
    pub place: Phrases,
    /// Words for weather, light, sounds, animals and plants.
    pub nature: Phrases,
    pub daily_life: DailyLife,
}

/// Words for things of daily life.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DailyLife {
    pub clothing: Phrases,
    pub food: Phrases,
    /// Words for homes and their parts.
    pub dwelling: Phrases,
    pub tools: Phrases,
}

/// The lexicon, loaded on first use.
pub static SETTING: LazyLock<SettingLexicon> =
    LazyLock::new(|| embedded::toml("setting.toml", include_str!("setting.toml")));
