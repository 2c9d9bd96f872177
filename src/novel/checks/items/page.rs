//! The manual page of an item, as it stands beside it: what it asks, its thresholds, what a judge is asked, its texts.

use serde::Deserialize;

use crate::{checks::page::Threshold, project::StylePreset};

/// How an item is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Measured.
    Deterministic,
    /// Measured and judged.
    Hybrid,
    /// Judged.
    Judged,
}

/// A manual page.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemPage {
    /// `A31-001`.
    pub id: String,
    /// How it is evaluated.
    pub kind: Kind,
    /// Whether a judge may quote the settings beside the text.
    #[serde(default)]
    pub quotes_settings: bool,
    /// In English.
    pub en: ItemWords,
    /// In Japanese.
    pub ja: ItemWords,
    /// The numbers that decide.
    #[serde(default)]
    pub threshold: Vec<Threshold>,
    /// A text that does it well.
    pub good: ItemSample,
    /// The same, badly done.
    pub bad: ItemSample,
    /// A text that looks bad and is not, or that cannot be evaluated.
    pub misleading: ItemSample,
}

/// What a page says in one language.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemWords {
    /// A noun phrase.
    pub title: String,
    /// The page itself: paragraphs.
    pub manual: String,
    /// What a writer can do about a low score.
    pub advice: String,
    /// What a judge is asked; none of an item that is measured.
    pub rubric: Option<String>,
}

/// A text that tries an item, with what the rest of its novel says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemSample {
    /// The manuscript.
    pub text: String,
    /// What a judge says of it.
    pub judgement: Option<Scripted>,
    /// What is expected of a misleading text.
    pub expect: Option<Expected>,
    /// Why it misleads.
    pub why: Option<Why>,
    /// The plot of its episode, as YAML.
    pub plot: Option<String>,
    /// The characters, as YAML.
    pub characters: Option<String>,
    /// The terms, as YAML.
    pub terms: Option<String>,
    /// The world, as YAML.
    pub world: Option<String>,
    /// The ledger of foreshadowing, as YAML.
    pub ledger: Option<String>,
    /// The text of the episode before.
    pub previous: Option<String>,
    /// The genre, as the settings have it.
    pub genre: Option<String>,
    /// The conventions that it follows.
    pub preset: Option<StylePreset>,
    /// The number of the episode; 1 without.
    pub episode: Option<u32>,
}

/// A judgement that is scripted beside its text: what is tested is what is done with it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scripted {
    /// From 0 to 1.
    pub score: f64,
    /// Parts of the text.
    pub quotes: Vec<String>,
}

/// What is expected of a misleading text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// A good score.
    Fine,
    /// No score, for there is nothing to measure.
    NotApplicable,
    /// No score, for the judgement quotes what is not in the text.
    Rejected,
}

/// Why a text misleads.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// In English.
    pub en: String,
    /// In Japanese.
    pub ja: String,
}
