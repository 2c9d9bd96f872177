//! Contradictions of a manuscript to other passages: of the same episode, of an earlier one, or of the settings.

use serde::Deserialize;

use super::Severity;

/// A passage that contradicts another one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// The passage of the manuscript.
    pub quote: String,
    /// The episode of the other passage; 0 for the settings.
    pub episode: u32,
    /// The other passage.
    pub other_quote: String,
    /// The subject with both values, or the reader's reason.
    pub reason: String,
    /// The severity: `high`, unless a person may well have changed.
    #[serde(default = "high")]
    pub severity: Severity,
}

const fn high() -> Severity {
    Severity::High
}
