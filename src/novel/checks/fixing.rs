//! Fixing: the edits of findings, applied until nothing more is found that they would mend.
//!
//! Invariants: a second run changes nothing; every change is known with its place, so that undoing them gives the text that
//! was there; of two edits that touch, the one that begins first is made and the other is looked for again in the new text.

use std::{collections::BTreeSet, ops::Range};

use super::{Context, Draft, Finding, FixLevel, Group, Material, Tuning, finding::Edit, issue, look, rules};
use crate::{manuscript::Reading, morphology::Morphology};

/// How often a text is looked at again. What one fix lays open is mended in the second round; more than a few are a fault.
const ROUNDS: usize = 6;

/// How many characters of what was changed are shown.
const SHOWN: usize = 200;

/// A text after its fixes.
#[derive(Clone, Debug, Default)]
pub struct Fixed {
    /// The new text.
    pub text: String,
    /// What was changed, in the order of the changes.
    pub applied: Vec<Applied>,
    /// What was not.
    pub skipped: Vec<Skipped>,
    /// For each round the edits that it made, in the order of the text that it met.
    rounds: Vec<Vec<(Edit, String)>>,
}

/// A change.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The issue.
    pub issue_id: String,
    /// Its rule.
    pub rule: &'static str,
    /// The line in the text as this round met it, from 1.
    pub line: usize,
    /// What stood there.
    pub before: String,
    /// What stands there.
    pub after: String,
    /// How sure it is.
    pub confidence: f64,
}

/// What was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The issue.
    pub issue_id: String,
    /// Its rule; none of an id that nobody knows.
    pub rule: Option<&'static str>,
    /// Why not.
    pub why: Why,
}

/// Why something was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// No issue of the text has this id.
    Unknown,
    /// Only a writer can mend it here.
    NoFix,
    /// It is mended at a higher level.
    Level(FixLevel),
    /// Another fix beside it would have to go first, again and again.
    Unsettled,
    /// The text would score lower with it.
    Worse,
}

/// What is fixed and with what.
#[derive(Clone, Copy)]
pub struct Fixing<'a> {
    /// How the text is read.
    pub reading: Reading,
    /// What its novel says.
    pub context: &'a Context,
    /// What is changed about the checks.
    pub tuning: &'a Tuning,
    /// What reads its words.
    pub morphology: &'a dyn Morphology,
    /// How far fixes go.
    pub level: FixLevel,
}

/// Fixes a text: all that can be fixed at a level, or only the issues named. `None` when the token says to stop.
#[must_use]
pub fn fix(
    text: &str,
    fixing: Fixing<'_>,
    only: Option<&BTreeSet<String>>,
    is_cancelled: &dyn Fn() -> bool,
) -> Option<Fixed> {
    let mut fixed = Fixed {
        text: text.to_owned(),
        ..Fixed::default()
    };
    for round in 0..ROUNDS {
        let draft = Draft::read(fixed.text.as_str(), fixing.reading);
        let material = Material::of(&draft, fixing.context, fixing.tuning, fixing.morphology);
        let findings = look(&material, &Group::ALL, is_cancelled)?;
        let ids = issue::ids(&material, &findings);
        let mut chosen: Vec<Edit> = Vec::new();
        let mut end = 0;
        for (finding, (id, _)) in findings.iter().zip(&ids) {
            let is_named = only.is_none_or(|only| only.contains(id));
            match fate(finding, fixing.level) {
                // Ids change with their line: what was named is known in the first round only.
                _ if !is_named || (round > 0 && only.is_some()) => {}
                Some(why) if round == 0 => fixed.skipped.push(Skipped {
                    issue_id: id.clone(),
                    rule: Some(finding.rule),
                    why,
                }),
                Some(_) => {}
                // The last round only looks: what is left never settled.
                None if span(finding).start < end || round + 1 == ROUNDS => {
                    if round + 1 == ROUNDS || only.is_some() {
                        fixed.skipped.push(Skipped {
                            issue_id: id.clone(),
                            rule: Some(finding.rule),
                            why: Why::Unsettled,
                        });
                    }
                }
                None => {
                    let span = span(finding);
                    // Two insertions at one place touch, too.
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
            fixed.skipped.extend(unknown.into_iter().map(|id| Skipped {
                issue_id: id.clone(),
                rule: None,
                why: Why::Unknown,
            }));
        }
        if chosen.is_empty() {
            break;
        }
        let (text, made) = edited(&fixed.text, chosen);
        fixed.text = text;
        fixed.rounds.push(made);
    }
    Some(fixed)
}

impl Fixed {
    /// The same with nothing changed: every fix is skipped, because the text scores lower with them.
    #[must_use]
    pub fn taken_back(mut self) -> Self {
        self.text = self.undone();
        self.rounds.clear();
        let applied = self.applied.drain(..);
        self.skipped.extend(applied.map(|one| Skipped {
            issue_id: one.issue_id,
            rule: Some(one.rule),
            why: Why::Worse,
        }));
        self
    }

    /// The text before the fixes, made from the text after them and the changes.
    #[must_use]
    pub fn undone(&self) -> String {
        let mut text = self.text.clone();
        for round in self.rounds.iter().rev() {
            let mut shift = 0_isize;
            let inverse: Vec<Edit> = round
                .iter()
                .map(|(edit, before)| {
                    let start = edit.range.start.strict_add_signed(shift);
                    shift += edit.text.len().cast_signed() - before.len().cast_signed();
                    Edit {
                        range: start..start + edit.text.len(),
                        text: before.clone(),
                    }
                })
                .collect();
            text = edited(&text, inverse).0;
        }
        text
    }
}

/// Why a finding is not fixed at a level; `None` if it is.
fn fate(finding: &Finding, level: FixLevel) -> Option<Why> {
    let needed = rules::known(finding.rule).page.fix;
    match needed {
        None => Some(Why::NoFix),
        Some(_) if finding.edits.is_empty() => Some(Why::NoFix),
        Some(needed) if needed > level => Some(Why::Level(needed)),
        Some(_) => None,
    }
}

/// From the first edit of a finding to the last.
fn span(finding: &Finding) -> Range<usize> {
    let start = finding.edits.iter().map(|edit| edit.range.start).min().unwrap_or(0);
    let end = finding.edits.iter().map(|edit| edit.range.end).max().unwrap_or(0);
    start..end
}

fn applied(material: &Material<'_>, finding: &Finding, id: &str) -> Applied {
    let source = material.manuscript().source();
    let span = span(finding);
    let moved: Vec<Edit> = finding
        .edits
        .iter()
        .map(|edit| Edit {
            range: edit.range.start - span.start..edit.range.end - span.start,
            text: edit.text.clone(),
        })
        .collect();
    let before = source[span.clone()].to_owned();
    Applied {
        issue_id: id.to_owned(),
        rule: finding.rule,
        line: material.manuscript().position(span.start).line,
        after: shown(&edited(&before, moved).0),
        before: shown(&before),
        confidence: finding.confidence,
    }
}

/// A text cut to what a reply needs; the manuscript's backup has all of it.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Applies edits that do not touch, and gives them in order with what each replaced.
fn edited(text: &str, mut edits: Vec<Edit>) -> (String, Vec<(Edit, String)>) {
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
