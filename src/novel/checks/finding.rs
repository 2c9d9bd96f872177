//! What a rule reports: a place in the source, what its message needs, and the edits that would mend it.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; often meant.
    Info,
    /// A reader hardly stumbles.
    Low,
    /// A reader stumbles.
    Medium,
    /// A reader is misled, or the text is damaged.
    High,
    /// It cannot be published so.
    Critical,
}

impl Severity {
    /// All, from the lightest.
    pub const ALL: [Self; 5] = [Self::Info, Self::Low, Self::Medium, Self::High, Self::Critical];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// How far a fix goes. A higher level includes the lower ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FixLevel {
    /// Signs, width, white space: no word changes.
    Safe,
    /// Spellings and forms of words, in narration only.
    Standard,
    /// Sentences, in narration only.
    Aggressive,
}

impl FixLevel {
    /// All, from the most careful.
    pub const ALL: [Self; 3] = [Self::Safe, Self::Standard, Self::Aggressive];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Standard => "standard",
            Self::Aggressive => "aggressive",
        }
    }
}

/// One replacement in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Bytes of the source; empty where something is added.
    pub range: Range<usize>,
    /// What is to stand there.
    pub text: String,
}

/// Something that a rule found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static str,
    /// Bytes of the source. Empty at the place that a finding about a whole text is shown at.
    pub source: Range<usize>,
    /// How much it matters.
    pub severity: Severity,
    /// What fills the placeholders of the message, besides `{found}`.
    pub facts: Vec<(&'static str, String)>,
    /// Bytes of the source that a finding about a whole text rests on, in order.
    pub evidence: Vec<Range<usize>>,
    /// What would mend it; none where only a writer can.
    pub edits: Vec<Edit>,
    /// How sure the fix is, from 0 to 1.
    pub confidence: f64,
}

impl Finding {
    /// A finding in a range of the source; who finds and how much it matters is filled in when it is reported.
    #[must_use]
    pub fn at(source: Range<usize>) -> Self {
        Self {
            rule: "",
            source,
            severity: Severity::Info,
            facts: Vec::new(),
            evidence: Vec::new(),
            edits: Vec::new(),
            confidence: 0.0,
        }
    }

    /// Adds what the message says.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "numbers and texts read better without a reference")]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.facts.push((name, value.to_string()));
        self
    }

    /// Adds the places that a finding about a whole text rests on.
    #[must_use]
    pub fn seen_at(mut self, places: impl IntoIterator<Item = Range<usize>>) -> Self {
        self.evidence.extend(places);
        self
    }

    /// Mends it by writing something else in its place.
    #[must_use]
    pub fn replaced_by(self, text: impl Into<String>) -> Self {
        let range = self.source.clone();
        let text = text.into();
        self.with("expected", &text).edited(range, text)
    }

    /// Mends it by one edit, wherever that is.
    #[must_use]
    pub fn edited(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self.edits.push(Edit {
            range,
            text: text.into(),
        });
        self
    }
}
