//! Rule `unread_ruby`: finds 《 and 》 that form neither a ruby nor an emphasis.

use super::{
    RuleReporter,
    signs::{before, is_digit, is_latin, is_letter},
};
use crate::{
    checks::{Severity, finding::Finding, material::CheckMaterial},
    manuscript::{MarkupIssueKind, is_kanji},
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let source = material.manuscript().source();
    for issue in material.manuscript().issues() {
        let finding = Finding::at(issue.range.clone());
        match issue.kind {
            MarkupIssueKind::UnpairedRubyMark | MarkupIssueKind::EmptyRuby => found.push(finding),
            MarkupIssueKind::RubyWithoutBase => {
                let left = before(source, issue.range.start);
                // A reading has no kanji: 発動する《鑑定》 names a skill.
                let is_reading = !source[issue.range.clone()].contains(is_kanji);
                if is_reading && left.is_some_and(|c| is_letter(c) || is_latin(c) || is_digit(c)) {
                    found.push(finding);
                } else {
                    // After a sign it is used as a bracket by some authors and is published as such.
                    found.push_with_severity(Severity::Info, finding);
                }
            }
            _ => {}
        }
    }
}
