//! The score of a text: the penalties of its findings relative to its length.
//!
//! score = 100 − Σ over rules of the penalty of each finding, per 1,000 characters. One rule costs at most as much as
//! [`MAX_FINDINGS_PER_RULE`] of its findings per 1,000 characters (novel-checks §2). The score is evidence of errors, not of
//! literary quality. What a proofreader found costs nothing: the same text has the same score before and after it was read.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    finding::{Finding, Severity},
    page::RuleGroup,
    rules::rule,
};

/// The maximum number of findings of one rule that count per 1,000 characters.
const MAX_FINDINGS_PER_RULE: f64 = 5.0;

/// The minimum length for the rate. A shorter text is scored as if it had this many characters, since a rate over a few
/// lines is unreliable.
const LEAST_CHARACTERS: usize = 500;

/// Returns the penalty of one finding (novel-checks §2).
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
    /// Scores findings in a text of `characters` characters.
    pub fn from_findings(findings: &[Finding], characters: usize) -> Self {
        let thousands = characters.max(LEAST_CHARACTERS) as f64 / 1_000.0;
        let mut rules: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
        let is_scored =
            |finding: &&Finding| rule(finding.rule).is_none_or(|rule| rule.page.group != RuleGroup::Proofreading);
        for finding in findings.iter().filter(is_scored) {
            let (cost, count) = rules.entry(finding.rule).or_default();
            *cost += penalty(finding.severity);
            *count += 1;
        }
        let costs = rules.values().map(|(cost, count)| {
            let rate = *count as f64 / thousands;
            cost / thousands * (MAX_FINDINGS_PER_RULE / rate).min(1.0)
        });
        Self((100.0 - costs.sum::<f64>()).max(0.0)).rounded()
    }

    /// Rounds to one decimal; more digits would suggest a precision that the score lacks.
    pub fn rounded(self) -> Self {
        Self((self.0 * 10.0).round() / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Score;
    use crate::checks::{Finding, Severity};

    fn findings(rule: &'static str, severity: Severity, count: usize) -> Vec<Finding> {
        let one = Finding { rule, severity, ..Finding::at(0..1) };
        vec![one; count]
    }

    #[test]
    fn score_depends_on_severity_and_text_length() {
        assert_eq!(Score::from_findings(&[], 4_000), Score(100.0));
        let two = findings("a", Severity::Medium, 2);
        assert_eq!(Score::from_findings(&two, 1_000), Score(90.0));
        assert_eq!(Score::from_findings(&two, 4_000), Score(97.5));
        // A rule that matches everywhere costs as much as five findings, and an info finding costs nothing.
        assert_eq!(Score::from_findings(&findings("a", Severity::Low, 500), 1_000), Score(90.0));
        assert_eq!(Score::from_findings(&findings("a", Severity::Info, 500), 1_000), Score(100.0));
        let both = [findings("a", Severity::Critical, 9), findings("b", Severity::High, 9)].concat();
        assert_eq!(Score::from_findings(&both, 1_000), Score(0.0));
    }
}
