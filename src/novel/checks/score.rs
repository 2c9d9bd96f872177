//! From findings to a number: how much they weigh in a text of this length.
//!
//! score = 100 − Σ over rules of the weight of each finding, per 1,000 characters, where one rule cannot cost more than
//! [`MOST_OF_A_RULE`] findings in 1,000 characters (novel-checks §2). It is evidence of faults, not of literary quality.

use std::collections::BTreeMap;

use serde::Serialize;

use super::finding::{Finding, Severity};

/// How many findings of one rule count in 1,000 characters.
const MOST_OF_A_RULE: f64 = 5.0;

/// A text shorter than this is weighed as if it had so many characters: a rate of a few lines says little.
const LEAST_CHARACTERS: usize = 500;

/// What one finding costs (novel-checks §2).
#[must_use]
pub const fn penalty(severity: Severity) -> f64 {
    match severity {
        Severity::Info => 0.0,
        Severity::Low => 2.0,
        Severity::Medium => 5.0,
        Severity::High => 10.0,
        Severity::Critical => 20.0,
    }
}

/// A score from 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
pub struct Score(pub f64);

impl Score {
    /// Weighs findings in a text of so many characters.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "no text has that many characters")]
    pub fn of(findings: &[Finding], characters: usize) -> Self {
        let thousands = characters.max(LEAST_CHARACTERS) as f64 / 1_000.0;
        let mut rules: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
        for finding in findings {
            let (cost, count) = rules.entry(finding.rule).or_default();
            *cost += penalty(finding.severity);
            *count += 1;
        }
        let costs = rules.values().map(|(cost, count)| {
            let rate = *count as f64 / thousands;
            cost / thousands * (MOST_OF_A_RULE / rate).min(1.0)
        });
        Self((100.0 - costs.sum::<f64>()).max(0.0)).rounded()
    }

    /// To one decimal: more would pretend.
    #[must_use]
    pub fn rounded(self) -> Self {
        Self((self.0 * 10.0).round() / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Score;
    use crate::checks::{Finding, Severity};

    fn findings(rule: &'static str, severity: Severity, count: usize) -> Vec<Finding> {
        let one = Finding {
            rule,
            severity,
            ..Finding::at(0..1)
        };
        vec![one; count]
    }

    #[test]
    fn findings_weigh_by_severity_and_by_the_length_of_the_text() {
        assert_eq!(Score::of(&[], 4_000), Score(100.0));
        let two = findings("a", Severity::Medium, 2);
        assert_eq!(Score::of(&two, 1_000), Score(90.0));
        assert_eq!(Score::of(&two, 4_000), Score(97.5));
        // A rule that always finds costs what five findings cost, and a note nothing.
        assert_eq!(Score::of(&findings("a", Severity::Low, 500), 1_000), Score(90.0));
        assert_eq!(Score::of(&findings("a", Severity::Info, 500), 1_000), Score(100.0));
        let both = [findings("a", Severity::Critical, 9), findings("b", Severity::High, 9)].concat();
        assert_eq!(Score::of(&both, 1_000), Score(0.0));
    }
}
