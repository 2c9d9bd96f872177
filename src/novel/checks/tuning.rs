//! Configured changes to the checks: thresholds, disabled rules, forbidden expressions.
//!
//! They come from the configuration or from a novel's settings. Every name and number is validated against the pages
//! before it is used.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{items::ITEMS, page::Threshold, rules::RULES};

/// The changes to the checks. An empty value leaves the defaults of the pages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tuning {
    /// The expressions that the novel forbids.
    pub forbidden: Vec<String>,
    /// The names of disabled rules.
    pub disabled: Vec<String>,
    /// The thresholds by `rule.threshold`.
    pub thresholds: BTreeMap<String, f64>,
    /// The treatment of a 。 before a closing bracket. If unset, the majority of the text decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closing_quote_period: Option<ClosingQuotePeriod>,
    /// The convention for indenting paragraphs of narration. If unset, only a text that mixes both is reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paragraph_indent: Option<ParagraphIndent>,
}

/// The treatment of a 。 before a closing bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClosingQuotePeriod {
    /// It is an error everywhere.
    Remove,
    /// It is correct everywhere.
    Keep,
}

/// The convention for indenting paragraphs of narration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParagraphIndent {
    /// Every paragraph must be indented.
    Always,
    /// Indents are not checked.
    Never,
}

/// An error in the configured changes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TuningError {
    /// The rule is unknown.
    #[error("unknown rule {0:?}")]
    NoRule(String),
    /// The threshold is unknown.
    #[error("unknown threshold {0:?}")]
    NoThreshold(String),
    #[error("{name} is {value}; the allowed range is {low} to {high}")]
    OutOfRange {
        /// The name of the threshold.
        name: String,
        value: f64,
        low: f64,
        high: f64,
    },
}

impl Tuning {
    pub fn is_disabled(&self, rule: &str) -> bool {
        self.disabled.iter().any(|name| name == rule)
    }

    /// Returns these changes overlaid with `other`, whose thresholds and options take precedence; the lists are joined.
    pub fn overlaid_with(mut self, other: &Self) -> Self {
        self.forbidden.extend(other.forbidden.iter().cloned());
        self.disabled.extend(other.disabled.iter().cloned());
        let thresholds = other.thresholds.iter().map(|(name, value)| (name.clone(), *value));
        self.thresholds.extend(thresholds);
        self.closing_quote_period = other.closing_quote_period.or(self.closing_quote_period);
        self.paragraph_indent = other.paragraph_indent.or(self.paragraph_indent);
        self
    }

    /// Returns an error if a name is unknown or a number is out of range.
    pub fn check(&self) -> Result<(), TuningError> {
        if let Some(name) = self.disabled.iter().find(|name| super::rule(name).is_none()) {
            return Err(TuningError::NoRule(name.clone()));
        }
        for (name, value) in &self.thresholds {
            let (owner, own) = name.split_once('.').unwrap_or((name, ""));
            let rules = RULES.iter().filter(|rule| rule.name == owner).flat_map(|rule| &rule.page.threshold);
            let items = ITEMS.iter().filter(|item| item.name == owner).flat_map(|item| &item.page.threshold);
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

    /// Returns a threshold of a rule or an item, as configured, else as on its page.
    ///
    /// # Panics
    /// If the page of the caller does not define the threshold. No text can cause that.
    pub(super) fn threshold(&self, owner: &str, page: &[Threshold], name: &str) -> f64 {
        let tuned = || self.thresholds.get(&format!("{owner}.{name}")).copied();
        let tuned = if self.thresholds.is_empty() { None } else { tuned() };
        let own = || page.iter().find(|known| known.name == name);
        tuned.unwrap_or_else(|| own().expect("the page of the caller defines the threshold").value)
    }

    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "pages allow neither negative nor huge counts"
    )]
    pub(super) fn limit(&self, owner: &str, page: &[Threshold], name: &str) -> usize {
        self.threshold(owner, page, name) as usize
    }
}
