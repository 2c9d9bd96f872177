//! The twelve steps of a staged review (novel-checks §1), with the rules and items of each, in `steps.toml`.
//!
//! A step applies rules, items, or both; `checks` implements them. The durations help people to plan: fumi's own work
//! takes milliseconds, a model's judgement minutes.

use std::sync::LazyLock;

use fumi_base::{embedded, text::BilingualText};
use serde::Deserialize;

use crate::checks::{
    RuleGroup,
    items::{EvaluationKind, item},
};

/// A step of a staged review.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewStep {
    /// The number from 1 to 12.
    pub id: u32,
    /// The name of its phase in files and replies.
    pub phase: String,
    pub title: BilingualText,
    /// The groups of rules that the step applies.
    #[serde(default)]
    pub groups: Vec<RuleGroup>,
    /// The rules of those groups that the step applies; all if empty.
    #[serde(default)]
    pub rules: Vec<String>,
    /// The ids of the items that the step evaluates.
    pub items: Vec<String>,
    /// The approximate duration for a judge, in seconds.
    pub estimated_seconds: u32,
}

/// The parsed contents of `steps.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepsFile {
    step: Vec<ReviewStep>,
}

/// The steps in order, loaded on first use.
pub static STEPS: LazyLock<Vec<ReviewStep>> = LazyLock::new(|| {
    let file: StepsFile = embedded::toml("steps.toml", include_str!("steps.toml"));
    file.step
});

impl ReviewStep {
    /// Returns the number of items that need a judge.
    pub fn judged_items(&self) -> usize {
        let kinds = self.items.iter().filter_map(|id| item(id)).map(|item| item.page.kind);
        kinds.filter(|kind| *kind != EvaluationKind::Deterministic).count()
    }

    /// True if the step applies the rule, provided that the rule is in one of its groups.
    pub fn has_rule(&self, rule: &str) -> bool {
        self.rules.is_empty() || self.rules.iter().any(|own| own == rule)
    }
}

pub fn review_step(id: u32) -> Option<&'static ReviewStep> {
    STEPS.iter().find(|step| step.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::STEPS;
    use crate::checks::{RULES, items::ITEMS};

    #[test]
    fn every_item_is_evaluated_in_one_step_and_every_rule_in_one_before_the_last() {
        assert!(STEPS.iter().zip(1..).all(|(step, number)| step.id == number));
        let mut seen = BTreeSet::new();
        for id in STEPS.iter().flat_map(|step| &step.items) {
            assert!(seen.insert(id), "{id} is in two steps");
        }
        let all: BTreeSet<&String> = ITEMS.iter().map(|item| &item.id).collect();
        assert_eq!(seen, all);
        for rule in RULES.iter() {
            let mut steps = STEPS[..11].iter();
            assert!(
                steps.any(|step| step.groups.contains(&rule.page.group) && step.has_rule(rule.name)),
                "{}",
                rule.name
            );
        }
        for step in STEPS.iter() {
            for name in &step.rules {
                let known = RULES.iter().find(|rule| rule.name == name);
                assert!(known.is_some_and(|rule| step.groups.contains(&rule.page.group)), "{}: {name}", step.id);
            }
        }
    }
}
