//! Rule `blank_lines`: finds more consecutive empty lines than a scene break needs.

use super::RuleReporter;
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::{LineKind, SourceLine},
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let most = found.limit("most");
    let lines = material.manuscript().lines();
    let is_same =
        |one: &SourceLine, other: &SourceLine| (one.kind == LineKind::Empty) == (other.kind == LineKind::Empty);
    let mut at = 0;
    for run in lines.chunk_by(is_same) {
        at += run.len();
        // Empty lines before the colophon count as at the end of the file.
        let is_last = lines.get(at).is_none_or(|next| next.kind == LineKind::Verbatim);
        let [first, .., last] = run else { continue };
        if first.kind != LineKind::Empty || run.len() <= most || is_last {
            continue;
        }
        let finding = Finding::at(first.content.start..last.next);
        let finding = finding.with("count", run.len()).with("limit", most);
        found.push(finding.with_edit(run[most].content.start..last.next, ""));
    }
}
