//! The manual page of an item, a TOML file beside it: its question, thresholds, rubric for a judge, and samples.

use serde::Deserialize;

use crate::{
    checks::{NovelContext, page::Threshold},
    project::StylePreset,
};

/// The way in which an item is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvaluationKind {
    /// Measured only; judgements are rejected.
    Deterministic,
    /// Measured and judged; the judgement decides.
    Hybrid,
    /// Judged only; without a judgement not evaluated.
    Judged,
}

/// A text that a rubric compares a manuscript with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ComparedText {
    /// The files of the settings folder.
    Settings,
    /// The plot of the episode.
    Plot,
    /// The end of the previous episode.
    Previous,
    /// The worn devices of the novel's genre.
    Devices,
}

impl ComparedText {
    /// True if the novel has the text. An item is not judged without it.
    pub fn is_in(self, context: &NovelContext) -> bool {
        match self {
            Self::Settings => context.world.iter().any(|file| !file.words().is_empty()),
            Self::Plot => context.plot.is_some(),
            Self::Previous => context.previous.as_ref().is_some_and(|text| !text.trim().is_empty()),
            // A judge knows what is worn without a list too.
            Self::Devices => true,
        }
    }
}

/// The manual page of an item.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemPage {
    /// The id, such as `A31-001`.
    pub id: String,
    /// The way in which the item is evaluated.
    pub kind: EvaluationKind,
    /// True if its measurement alone makes a score, or has a part in one. False if it ranks labelled texts no better
    /// than chance (tests/labelled): then the measured value is only shown.
    #[serde(default)]
    pub is_scored: bool,
    /// The texts that its rubric compares the manuscript with. A judge may also quote the settings, if they are among
    /// them.
    #[serde(default)]
    pub compares_with: Vec<ComparedText>,
    /// The texts in English.
    pub en: ItemTexts,
    /// The texts in Japanese.
    pub ja: ItemTexts,
    /// The configurable thresholds.
    #[serde(default)]
    pub threshold: Vec<Threshold>,
    /// A text that scores high.
    pub good: ItemSample,
    /// The same text, badly written.
    pub bad: ItemSample,
    /// A text that looks bad but is not, or that cannot be evaluated.
    pub misleading: ItemSample,
}

/// The texts of a page in one language.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemTexts {
    /// The title, a noun phrase.
    pub title: String,
    /// The manual itself, in paragraphs.
    pub manual: String,
    /// Advice for an author on a low score.
    pub advice: String,
    /// The instruction for a judge; `None` for a measured item.
    pub rubric: Option<String>,
}

/// A text that tests an item, with the context of its novel.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemSample {
    /// The text of the manuscript.
    pub text: String,
    /// The simulated judgement of the text.
    pub judgement: Option<ScriptedJudgement>,
    /// The expected result for a misleading text.
    pub expect: Option<SampleExpectation>,
    /// The explanation of why it misleads.
    pub why: Option<SampleExplanation>,
    /// The plot of the episode, as YAML.
    pub plot: Option<String>,
    /// The characters, as YAML.
    pub characters: Option<String>,
    /// The terms, as YAML.
    pub terms: Option<String>,
    /// The world, as YAML.
    pub world: Option<String>,
    /// The ledger of foreshadowing, as YAML.
    pub ledger: Option<String>,
    /// The text of the previous episode.
    pub previous: Option<String>,
    /// The genre named in the settings.
    pub genre: Option<String>,
    /// The style preset of the novel.
    pub preset: Option<StylePreset>,
    /// The number of the episode; 1 if absent.
    pub episode: Option<u32>,
}

/// A simulated judgement of a sample; the tests check what the scoring makes of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedJudgement {
    /// The score, from 0 to 1.
    pub score: f64,
    /// Literal quotations from the text.
    pub quotes: Vec<String>,
}

/// The expected result for a misleading text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleExpectation {
    /// A good score.
    Fine,
    /// No score, since there is nothing to measure.
    NotApplicable,
    /// No score, since the judgement quotes words that are not in the text.
    Rejected,
}

/// The explanation of why a text misleads.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleExplanation {
    /// The explanation in English.
    pub en: String,
    /// The explanation in Japanese.
    pub ja: String,
}
