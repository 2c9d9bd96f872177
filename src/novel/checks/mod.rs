//! Checks of a manuscript: rules that find faults, metrics that measure, and fixes that can be undone.
//!
//! Everything is evidence with a place. A rule is a file and its manual page: the page holds severity, thresholds, messages and
//! the texts that try it, the file only the search. What is judged is a [`Material`], made once for all of them; nothing here
//! reads a file or asks a model.

pub mod aspects;
mod context;
pub mod features;
mod finding;
mod fixing;
mod issue;
pub mod items;
mod material;
pub mod metrics;
mod page;
pub mod rules;
mod score;
mod splitting;
mod tuning;

pub use context::Context;
pub use finding::{Edit, Finding, FixLevel, Severity};
pub use fixing::{Applied, Fixed, Fixing, Skipped, Why, fix};
pub use issue::{Issue, Proposal, RULE_VERSION, ids};
pub use material::{Draft, Material};
pub use page::{Group, Page, Sample, Scope, Threshold};
pub use rules::{RULES, Rule, rule};
pub use score::{Score, penalty};
pub use tuning::{ClosingQuotePeriod, ParagraphIndent, Tuning, TuningError};

use crate::morphology::{Ipadic, Morphology};

/// What the rules of some groups find, in the order of the text. `None` when the token says to stop.
///
/// In a text without a Japanese letter only the basic rules look: for the others its words are no words.
#[must_use]
pub fn look(material: &Material<'_>, groups: &[Group], is_cancelled: &dyn Fn() -> bool) -> Option<Vec<Finding>> {
    let mut findings = Vec::new();
    let is_japanese = material.is_japanese();
    for rule in RULES.iter() {
        let is_readable = is_japanese || rule.page.group == Group::Basic;
        if !is_readable || !groups.contains(&rule.page.group) || material.tuning().is_off(rule.name) {
            continue;
        }
        if is_cancelled() {
            return None;
        }
        findings.append(&mut rules::apply(rule, material));
    }
    findings.sort_by_key(|finding| (finding.source.start, finding.source.end));
    Some(findings)
}

/// The embedded dictionary, as what reads words.
#[must_use]
pub fn morphology() -> &'static dyn Morphology {
    Ipadic::shared()
}
