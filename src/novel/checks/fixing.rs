//! Fixing: applies the edits of findings until no fixable finding is left.
//!
//! Invariants: a second run changes nothing. Every change is recorded with its place, so that undoing all of them
//! restores the original text. Of two edits that touch, the one that begins first is made; the other is searched for
//! again in the new text.

use std::{collections::BTreeSet, ops::Range};

use super::{
    AnalysedDraft, CheckMaterial, Finding, FixLevel, NovelContext, RuleGroup, Severity, Tuning, finding::Edit, issue,
    rules, run_rules,
};
use crate::{manuscript::ManuscriptOptions, morphology::Morphology};

/// The maximum number of rounds. A fix may expose another finding, which the second round fixes; a text that needs more
/// than a few rounds indicates a bug. The last round only checks.
const ROUNDS: usize = 6;

/// The maximum number of characters of a change that are shown.
const SHOWN: usize = 200;

/// The result of fixing a text.
#[derive(Clone, Debug, Default)]
pub struct FixResult {
    /// The text after the fixes.
    pub text: String,
    /// The changes made, in the order in which they were made.
    pub applied: Vec<AppliedChange>,
    /// The fixes that were skipped.
    pub skipped: Vec<SkippedIssue>,
    /// The edits of each round with the text that each replaced, ordered by their position in the input of that round.
    rounds: Vec<Vec<(Edit, String)>>,
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedChange {
    /// The id of the issue that was fixed.
    pub issue_id: String,
    /// The name of the rule.
    pub rule: &'static str,
    /// The line number in the input of the round, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The change among the characters around it, in the form `そして[!→！]彼は`.
    pub excerpt: String,
    /// The replaced text, shortened for display.
    pub before: String,
    /// The new text, shortened for display.
    pub after: String,
    /// The confidence in the fix, from 0 to 1.
    pub confidence: f64,
}

/// An issue that was not fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedIssue {
    pub issue_id: String,
    /// The name of the rule; `None` for an unknown id.
    pub rule: Option<&'static str>,
    /// The line number in the input of the round, from 1; `None` for an unknown id.
    pub line: Option<usize>,
    /// The reason for skipping it.
    pub reason: UnfixedReason,
}

/// The reason for not fixing an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfixedReason {
    /// The text has no issue with this id.
    Unknown,
    /// The finding has no automatic fix.
    NoFix,
    /// The fix needs this higher level.
    Level(FixLevel),
    /// The finding is only information and its fix changes words: it is fixed only if its id is named.
    Style,
    /// A proofreader proposed the fix: it is applied only if its id is named.
    Proposed,
    /// In every round another fix beside it had to be made first.
    Unsettled,
    /// The fixes would lower the score of the text.
    Worse,
}

/// The parameters of a run of fixes.
#[derive(Clone, Copy)]
pub struct FixRequest<'a> {
    /// The reading options of the manuscript format.
    pub reading: ManuscriptOptions,
    /// The context that the novel provides.
    pub context: &'a NovelContext,
    /// The configured changes to the checks.
    pub tuning: &'a Tuning,
    /// The morphological analyser.
    pub morphology: &'a dyn Morphology,
    /// The highest level of fixes to apply.
    pub level: FixLevel,
}

/// Fixes a text: every finding that can be fixed at the level, or only the issues in `only`. A finding of severity `info`
/// whose fix changes words is fixed only if `only` names it. Returns `None` if cancelled.
pub fn fix(
    text: &str,
    fixing: FixRequest<'_>,
    only: Option<&BTreeSet<String>>,
    is_cancelled: &dyn Fn() -> bool,
) -> Option<FixResult> {
    let mut fixed = FixResult { text: text.to_owned(), ..FixResult::default() };
    for round in 0..ROUNDS {
        let draft = AnalysedDraft::read(fixed.text.as_str(), fixing.reading);
        let material = CheckMaterial::new(&draft, fixing.context, fixing.tuning, fixing.morphology);
        let findings = run_rules(&material, &RuleGroup::ALL, is_cancelled)?;
        let ids = issue::ids(&material, &findings);
        let mut chosen: Vec<Edit> = Vec::new();
        let mut end = 0;
        for (finding, (id, _)) in findings.iter().zip(&ids) {
            let is_named = only.is_none_or(|only| only.contains(id));
            match unfixed_reason(finding, fixing.level, only.is_some()) {
                // Ids change with the text of their line, so named issues are only known in the first round.
                _ if !is_named || (round > 0 && only.is_some()) => {}
                Some(why) if round == 0 => fixed.skipped.push(skipped(&material, finding, id, why)),
                Some(_) => {}
                // The last round only checks: the findings that are left never settled.
                None if span(finding).start < end || round + 1 == ROUNDS => {
                    if round + 1 == ROUNDS || only.is_some() {
                        fixed.skipped.push(skipped(&material, finding, id, UnfixedReason::Unsettled));
                    }
                }
                None => {
                    let span = span(finding);
                    // Two insertions at one place touch as well.
                    end = span.end.max(span.start + 1);
                    fixed.applied.push(applied(&material, finding, id));
                    chosen.extend(finding.edits.iter().cloned());
                }
            }
        }
        if round == 0
            && let Some(only) = only
        {
            let known: BTreeSet<&String> = ids.iter().map(|(id, _)| id).collect();
            let mut unknown: Vec<&String> = only.iter().filter(|id| !known.contains(id)).collect();
            unknown.sort();
            fixed.skipped.extend(unknown.into_iter().map(|id| SkippedIssue {
                issue_id: id.clone(),
                rule: None,
                line: None,
                reason: UnfixedReason::Unknown,
            }));
        }
        if chosen.is_empty() {
            break;
        }
        let (text, made) = apply_edits(&fixed.text, chosen);
        fixed.text = text;
        fixed.rounds.push(made);
    }
    Some(fixed)
}

impl FixResult {
    /// Reverts all changes: every fix becomes skipped because it would lower the score of the text.
    pub fn reverted(mut self) -> Self {
        self.text = self.original_text();
        self.rounds.clear();
        let applied = self.applied.drain(..);
        self.skipped.extend(applied.map(|one| SkippedIssue {
            issue_id: one.issue_id,
            rule: Some(one.rule),
            line: Some(one.line),
            reason: UnfixedReason::Worse,
        }));
        self
    }

    /// Returns the text before the fixes, restored from the text after them and the recorded changes.
    pub fn original_text(&self) -> String {
        let mut text = self.text.clone();
        for round in self.rounds.iter().rev() {
            let mut shift = 0_isize;
            let inverse: Vec<Edit> = round
                .iter()
                .map(|(edit, before)| {
                    let start = edit.range.start.strict_add_signed(shift);
                    shift += edit.text.len().cast_signed() - before.len().cast_signed();
                    Edit { range: start..start + edit.text.len(), text: before.clone() }
                })
                .collect();
            text = apply_edits(&text, inverse).0;
        }
        text
    }
}

/// Returns the reason for not fixing a finding at a level; `None` if it is fixed. `is_named` is true if the caller named the
/// finding by its id.
fn unfixed_reason(finding: &Finding, level: FixLevel, is_named: bool) -> Option<UnfixedReason> {
    let needed = rules::rule_of_finding(finding.rule).page.fix;
    match needed {
        None => Some(UnfixedReason::NoFix),
        Some(_) if finding.edits.is_empty() => Some(UnfixedReason::NoFix),
        Some(FixLevel::Named) => (!is_named).then_some(UnfixedReason::Proposed),
        Some(needed) if needed > level => Some(UnfixedReason::Level(needed)),
        Some(needed) if needed > FixLevel::Safe && finding.severity == Severity::Info && !is_named => {
            Some(UnfixedReason::Style)
        }
        Some(_) => None,
    }
}

/// Returns the range from the first edit of a finding to the last.
fn span(finding: &Finding) -> Range<usize> {
    let start = finding.edits.iter().map(|edit| edit.range.start).min().unwrap_or(0);
    let end = finding.edits.iter().map(|edit| edit.range.end).max().unwrap_or(0);
    start..end
}

fn skipped(material: &CheckMaterial<'_>, finding: &Finding, id: &str, reason: UnfixedReason) -> SkippedIssue {
    SkippedIssue {
        issue_id: id.to_owned(),
        rule: Some(finding.rule),
        line: Some(material.manuscript().position(finding.source.start).line),
        reason,
    }
}

fn applied(material: &CheckMaterial<'_>, finding: &Finding, id: &str) -> AppliedChange {
    let source = material.manuscript().source();
    let span = span(finding);
    let moved: Vec<Edit> = finding
        .edits
        .iter()
        .map(|edit| Edit { range: edit.range.start - span.start..edit.range.end - span.start, text: edit.text.clone() })
        .collect();
    let before = source[span.clone()].to_owned();
    let position = material.manuscript().position(span.start);
    let (before, after) = (shown(&before), shown(&apply_edits(&before, moved).0));
    AppliedChange {
        issue_id: id.to_owned(),
        rule: finding.rule,
        line: position.line,
        column: position.column,
        excerpt: issue::surrounded(source, &span, &format!("[{before}→{after}]").replace('\n', "⏎")),
        after,
        before,
        confidence: finding.confidence,
    }
}

/// Shortens a text to what a reply needs; the manuscript's backup contains all of it.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Applies edits that do not touch. Returns the new text and the edits in order, each with the text that it replaced.
fn apply_edits(text: &str, mut edits: Vec<Edit>) -> (String, Vec<(Edit, String)>) {
    edits.sort_by_key(|edit| edit.range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut made = Vec::with_capacity(edits.len());
    for edit in edits {
        out.push_str(&text[at..edit.range.start]);
        out.push_str(&edit.text);
        at = edit.range.end;
        let before = text[edit.range.clone()].to_owned();
        made.push((edit, before));
    }
    out.push_str(&text[at..]);
    (out, made)
}
