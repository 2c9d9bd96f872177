//! A finding of a rule: its place in the source, the parameters of its message, and the edits that would fix it.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The severity of a finding, from the lightest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, fumi_base::Named)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; often intended by the author.
    Info,
    /// Readers hardly notice it.
    Low,
    /// Readers stumble over it.
    Medium,
    /// Readers are misled, or the text is damaged.
    High,
    /// The text cannot be published as it is.
    Critical,
}

/// The level of intervention of a fix. A higher level includes the lower ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, fumi_base::Named)]
#[serde(rename_all = "lowercase")]
pub enum FixLevel {
    /// Signs, widths and white space; no word changes.
    Safe,
    /// Spellings and forms of words, in narration only.
    Standard,
    /// Whole sentences, in narration only.
    Aggressive,
    /// Whatever a proofreader corrected, in speech too; applied only to issues that are named.
    Named,
}

/// One replacement in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// The byte range in the source; empty for an insertion.
    pub range: Range<usize>,
    /// The replacement text.
    pub text: String,
}

/// A match of a rule in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The name of the rule.
    pub rule: &'static str,
    /// The byte range in the source. Empty for a finding about a whole text; it is then only the place where the
    /// finding is shown.
    pub source: Range<usize>,
    /// The byte range in the source that messages quote: `source`, up to the end of its last inflected phrase if it is about
    /// words.
    pub quoted: Range<usize>,
    /// The severity, set when the finding is reported.
    pub severity: Severity,
    /// The values of the message's placeholders, besides `{found}`.
    pub facts: Vec<(&'static str, String)>,
    /// The byte ranges in the source that support a finding about a whole text, in order.
    pub evidence: Vec<Range<usize>>,
    /// The edits that would fix it; empty if only an author can.
    pub edits: Vec<Edit>,
    /// The confidence in the fix, from 0 to 1.
    pub confidence: f64,
}

impl Finding {
    /// Creates a finding at a range of the source. Rule and severity are filled in when it is reported.
    pub fn at(source: Range<usize>) -> Self {
        Self {
            rule: "",
            quoted: source.clone(),
            source,
            severity: Severity::Info,
            facts: Vec::new(),
            evidence: Vec::new(),
            edits: Vec::new(),
            confidence: 0.0,
        }
    }

    /// Lets messages quote the source up to `end`, so that no word is cut.
    #[must_use]
    pub fn quoted_to(mut self, end: usize) -> Self {
        self.quoted.end = end;
        self
    }

    /// Adds a value for a placeholder of the message.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers pass numbers and texts, which are easier to read without a reference"
    )]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.facts.push((name, value.to_string()));
        self
    }

    /// Adds places in the source that support a finding about a whole text.
    pub fn with_evidence(mut self, places: impl IntoIterator<Item = Range<usize>>) -> Self {
        self.evidence.extend(places);
        self
    }

    /// Adds a fix that replaces the range of the finding, and the new text as `expected`.
    pub fn with_replacement(self, text: impl Into<String>) -> Self {
        let range = self.source.clone();
        let text = text.into();
        self.with("expected", &text).with_edit(range, text)
    }

    /// Adds an edit at any range of the source to the fix.
    pub fn with_edit(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self.edits.push(Edit { range, text: text.into() });
        self
    }
}
