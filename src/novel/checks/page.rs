//! The manual page of a rule, as it stands beside it: what it is for, how much it matters, its thresholds, its texts.

use serde::Deserialize;

use super::finding::{FixLevel, Severity};

/// Which tool reports a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// `check_basic`.
    Basic,
    /// `check_rhythm`.
    Rhythm,
    /// `check_writing_expression`.
    Expression,
}

impl Group {
    /// All, in the order in which a text is reviewed.
    pub const ALL: [Self; 3] = [Self::Basic, Self::Rhythm, Self::Expression];

    /// As the pages write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Rhythm => "rhythm",
            Self::Expression => "expression",
        }
    }

    /// What the ids of its issues begin with.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Basic => "BASIC",
            Self::Rhythm => "RHYTHM",
            Self::Expression => "EXPR",
        }
    }
}

/// Where a rule looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Everywhere.
    All,
    /// Not in speech and thoughts.
    Narration,
    /// Only in speech.
    Dialogue,
}

/// A manual page.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Which tool reports it.
    pub group: Group,
    /// How much a finding matters, unless the rule says otherwise of one.
    pub severity: Severity,
    /// The lowest level at which a finding is mended, if it can be.
    pub fix: Option<FixLevel>,
    /// Where it looks.
    pub scope: Scope,
    /// In English.
    pub en: Words,
    /// In Japanese.
    pub ja: Words,
    /// The numbers that decide.
    #[serde(default)]
    pub threshold: Vec<Threshold>,
    /// A text without the fault.
    pub good: Sample,
    /// The same with it.
    pub bad: Sample,
    /// A text that looks as if it had it.
    pub misleading: Sample,
}

/// What a page says in one language.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// A noun phrase.
    pub title: String,
    /// The page itself: paragraphs.
    pub manual: String,
    /// A sentence about one finding, with placeholders in braces.
    pub message: String,
    /// What to do about it, likewise.
    pub suggestion: String,
}

/// A number that decides, and that a configuration may change.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// Its name within the rule.
    pub name: String,
    /// What it is unless the configuration says otherwise.
    pub value: f64,
    /// The least that it may be.
    pub low: f64,
    /// The most that it may be.
    pub high: f64,
    /// What it counts.
    pub unit: String,
    /// Where the number is from.
    pub source: String,
}

/// A text that tries a rule, with what the rest of its novel says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The manuscript.
    pub text: String,
    /// What is found, as it stands in the source, in order; empty for a finding without words of its own.
    #[serde(default)]
    pub finds: Vec<String>,
    /// How many findings there are, where they are not listed.
    pub count: Option<usize>,
    /// The text after the rule's own fixes.
    pub fixed: Option<String>,
    /// The plot of its episode, as YAML.
    pub plot: Option<String>,
    /// The characters, as YAML.
    pub characters: Option<String>,
    /// The terms, as YAML.
    pub terms: Option<String>,
    /// The conventions that it follows.
    pub preset: Option<crate::project::StylePreset>,
    /// Expressions that its novel does not want.
    #[serde(default)]
    pub forbidden: Vec<String>,
    /// Why it misleads, for readers of the page.
    pub en: Option<Reason>,
    /// The same in Japanese.
    pub ja: Option<Reason>,
}

/// Why a text misleads.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// A sentence.
    pub why: String,
}
