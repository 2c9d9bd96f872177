//! What a configuration or a novel's settings change about the checks: thresholds, rules that are off, words that are unwanted.
//!
//! Every name and number is checked against the pages before anything is judged with it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{items::ITEMS, page::Threshold, rules::RULES};

/// Changes to the checks. Empty is as the pages say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tuning {
    /// Expressions that this novel does not want.
    pub forbidden: Vec<String>,
    /// Rules that do not look, by name.
    pub disabled: Vec<String>,
    /// Thresholds by `rule.threshold`.
    pub thresholds: BTreeMap<String, f64>,
    /// What becomes of a 。 before a closing bracket; without a word the majority of the text decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closing_quote_period: Option<ClosingQuotePeriod>,
    /// Whether paragraphs of narration are indented; without a word only a text that mixes is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paragraph_indent: Option<ParagraphIndent>,
}

/// What becomes of a 。 before a closing bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClosingQuotePeriod {
    /// It is a fault everywhere.
    Remove,
    /// It is right everywhere.
    Keep,
}

/// Whether paragraphs of narration are indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParagraphIndent {
    /// All of them.
    Always,
    /// The novel does not ask.
    Never,
}

/// What is wrong with a tuning.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TuningError {
    /// There is no such rule.
    #[error("{0:?} is no rule")]
    NoRule(String),
    /// There is no such threshold.
    #[error("{0:?} is no threshold")]
    NoThreshold(String),
    /// The number is out of range.
    #[error("{name} is {value}; it may be {low} to {high}")]
    OutOfRange {
        /// The threshold.
        name: String,
        /// What was asked for.
        value: f64,
        /// The least.
        low: f64,
        /// The most.
        high: f64,
    },
}

impl Tuning {
    /// Whether a rule does not look.
    #[must_use]
    pub fn is_off(&self, rule: &str) -> bool {
        self.disabled.iter().any(|name| name == rule)
    }

    /// The same with another's changes over it.
    #[must_use]
    pub fn over(mut self, other: &Self) -> Self {
        self.forbidden.extend(other.forbidden.iter().cloned());
        self.disabled.extend(other.disabled.iter().cloned());
        let thresholds = other.thresholds.iter().map(|(name, value)| (name.clone(), *value));
        self.thresholds.extend(thresholds);
        self.closing_quote_period = other.closing_quote_period.or(self.closing_quote_period);
        self.paragraph_indent = other.paragraph_indent.or(self.paragraph_indent);
        self
    }

    /// Refuses names that no page has and numbers out of range.
    pub fn check(&self) -> Result<(), TuningError> {
        if let Some(name) = self.disabled.iter().find(|name| super::rule(name).is_none()) {
            return Err(TuningError::NoRule(name.clone()));
        }
        for (name, value) in &self.thresholds {
            let (owner, own) = name.split_once('.').unwrap_or((name, ""));
            let rules = RULES
                .iter()
                .filter(|rule| rule.name == owner)
                .flat_map(|rule| &rule.page.threshold);
            let items = ITEMS
                .iter()
                .filter(|item| item.name == owner)
                .flat_map(|item| &item.page.threshold);
            let known = rules
                .chain(items)
                .find(|known| known.name == own)
                .ok_or_else(|| TuningError::NoThreshold(name.clone()))?;
            if !(known.low..=known.high).contains(value) {
                return Err(TuningError::OutOfRange {
                    name: name.clone(),
                    value: *value,
                    low: known.low,
                    high: known.high,
                });
            }
        }
        Ok(())
    }

    /// A threshold of a rule or an item, as its page or the configuration has it.
    ///
    /// # Panics
    /// When one asks for a threshold that its own page does not have, which no text can bring about.
    #[must_use]
    pub(super) fn threshold(&self, owner: &str, page: &[Threshold], name: &str) -> f64 {
        let tuned = || self.thresholds.get(&format!("{owner}.{name}")).copied();
        let tuned = if self.thresholds.is_empty() { None } else { tuned() };
        let own = || page.iter().find(|known| known.name == name);
        tuned.unwrap_or_else(|| own().expect("who asks for a threshold has it on its own page").value)
    }

    /// A threshold that counts.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "pages allow no negative and no huge counts"
    )]
    pub(super) fn limit(&self, owner: &str, page: &[Threshold], name: &str) -> usize {
        self.threshold(owner, page, name) as usize
    }
}
