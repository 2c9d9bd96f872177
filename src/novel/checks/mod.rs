//! Checks of a manuscript: rules that find errors, metrics that measure, items that score, and fixes that can be
//! undone.
//!
//! Every result has a place in the text as evidence. A rule is a Rust file and a manual page: the page defines
//! severity, thresholds, messages and test samples, the file only the search. The input is a [`CheckMaterial`], built once
//! for all checks. Nothing here reads a file or calls a model.

pub mod aspects;
mod context;
mod contradiction;
mod correction;
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

pub use context::NovelContext;
pub use contradiction::Contradiction;
pub use correction::{Correction, CorrectionError, CorrectionKind, verify_correction};
pub(crate) use correction::{find_first, is_invisible};
pub use finding::{Edit, Finding, FixLevel, Severity};
pub use fixing::{AppliedChange, FixRequest, FixResult, SkippedIssue, UnfixedReason, fix};
pub(crate) use issue::surrounded;
pub use issue::{CheckIssue, ProposedFix, RULE_VERSION, ids};
pub use material::{AnalysedDraft, CheckMaterial};
pub use page::{RuleGroup, RulePage, RuleScope, Sample, Threshold};
pub use rules::{CheckRule, RULES, rule};
pub(crate) use rules::{narration_stretches, spelling_occurrences};
pub use score::{Score, penalty};
pub use tuning::{ClosingQuotePeriod, ParagraphIndent, Tuning, TuningError};

use std::collections::HashSet;

use crate::morphology::{Ipadic, Morphology};

/// Runs the rules of some groups and returns their findings in the order of the text; of a correction that another rule
/// makes as well, only the other finding. Returns `None` if cancelled.
///
/// On a text without Japanese letters only the basic rules run, since its words cannot be analysed.
pub fn run_rules(
    material: &CheckMaterial<'_>,
    groups: &[RuleGroup],
    is_cancelled: &dyn Fn() -> bool,
) -> Option<Vec<Finding>> {
    let mut findings = Vec::new();
    let is_japanese = material.is_japanese();
    for rule in RULES.iter() {
        let is_readable = is_japanese || matches!(rule.page.group, RuleGroup::Basic | RuleGroup::Proofreading);
        if !is_readable || !groups.contains(&rule.page.group) || material.tuning().is_disabled(rule.name) {
            continue;
        }
        if is_cancelled() {
            return None;
        }
        findings.append(&mut rules::run_rule(rule, material));
    }
    findings.sort_by_key(|finding| (finding.source.start, finding.source.end));
    remove_known_corrections(&mut findings);
    Some(findings)
}

/// Removes the corrections of a proofreader that make the same edit as another finding.
fn remove_known_corrections(findings: &mut Vec<Finding>) {
    let is_correction = |finding: &Finding| finding.rule == "correction";
    if !findings.iter().any(is_correction) {
        return;
    }
    let others = findings.iter().filter(|finding| !is_correction(finding)).flat_map(|finding| &finding.edits);
    let known: HashSet<Edit> = others.cloned().collect();
    findings.retain(|finding| !is_correction(finding) || !finding.edits.iter().all(|edit| known.contains(edit)));
}

/// Returns the embedded dictionary as the morphological analyser.
pub fn morphology() -> &'static dyn Morphology {
    Ipadic::shared()
}
