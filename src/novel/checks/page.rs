//! The manual page of a rule, a TOML file beside it: purpose, severity, thresholds, messages and samples.

use serde::Deserialize;

use super::{
    contradiction::Contradiction,
    correction::Correction,
    finding::{FixLevel, Severity},
};

/// The group of a rule, which is the tool that reports it, in the order in which a text is reviewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, fumi_base::Named)]
#[serde(rename_all = "lowercase")]
pub enum RuleGroup {
    /// Reported by `check_basic`.
    Basic,
    /// Reported by `check_rhythm`.
    Rhythm,
    /// Reported by `check_writing_expression`.
    Expression,
    /// Reported by `check_proofreading`: what a proofreader found, verified.
    Proofreading,
}

impl RuleGroup {
    /// Returns the prefix of the group's issue ids.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Basic => "BASIC",
            Self::Rhythm => "RHYTHM",
            Self::Expression => "EXPR",
            Self::Proofreading => "PROOF",
        }
    }
}

/// The voices that a rule applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleScope {
    /// All of the text.
    All,
    /// Narration only, neither speech nor thoughts.
    Narration,
    Dialogue,
}

/// The manual page of a rule.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulePage {
    /// The tool that reports the rule.
    pub group: RuleGroup,
    /// The severity of a finding, unless the rule reports another one.
    pub severity: Severity,
    /// The lowest level at which a finding is fixed; `None` if it cannot be.
    pub fix: Option<FixLevel>,
    /// The voices that the rule applies to.
    pub scope: RuleScope,
    /// The texts in English.
    pub en: RuleTexts,
    /// The texts in Japanese.
    pub ja: RuleTexts,
    /// The configurable thresholds.
    #[serde(default)]
    pub threshold: Vec<Threshold>,
    /// A text without the error.
    pub good: Sample,
    /// The same text with the error.
    pub bad: Sample,
    /// A correct text that could be mistaken for one with the error.
    pub misleading: Sample,
}

/// The texts of a page in one language.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleTexts {
    /// The title, a noun phrase.
    pub title: String,
    /// The manual itself, in paragraphs.
    pub manual: String,
    /// A sentence about one finding, with placeholders in braces.
    pub message: String,
    /// Advice about the finding, with the same placeholders.
    pub suggestion: String,
}

/// A threshold of a rule or an item that a configuration may change.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The name, unique within the rule.
    pub name: String,
    /// The default value.
    pub value: f64,
    /// The minimum that a configuration may set.
    pub low: f64,
    /// The maximum that a configuration may set.
    pub high: f64,
    /// The unit of the value.
    pub unit: String,
    /// The source of the value.
    pub source: String,
}

/// A text that tests a rule, with the context of its novel.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The text of the manuscript.
    pub text: String,
    /// The expected findings as they occur in the source, in order; an empty string for a finding with an empty range.
    #[serde(default)]
    pub finds: Vec<String>,
    /// The expected number of findings, if they are not listed.
    pub count: Option<usize>,
    /// The expected text after the rule's own fixes.
    pub fixed: Option<String>,
    /// The plot of the episode, as YAML.
    pub plot: Option<String>,
    /// The characters, as YAML.
    pub characters: Option<String>,
    /// The terms, as YAML.
    pub terms: Option<String>,
    /// The style preset of the novel.
    pub preset: Option<crate::project::StylePreset>,
    /// The expressions that the novel forbids.
    #[serde(default)]
    pub forbidden: Vec<String>,
    /// The corrections of the last proofreading.
    #[serde(default)]
    pub corrections: Vec<Correction>,
    /// The contradictions to the recorded states.
    #[serde(default)]
    pub contradictions: Vec<Contradiction>,
    /// The reason why the text misleads, shown on the English page.
    pub en: Option<SampleReason>,
    /// The reason why the text misleads, shown on the Japanese page.
    pub ja: Option<SampleReason>,
}

/// The reason why a sample misleads.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleReason {
    /// The explanation, one sentence.
    pub why: String,
}
