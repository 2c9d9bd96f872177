//! `unread_ruby`: 《 and 》 that are neither a ruby nor an emphasis.

use super::{
    Found,
    signs::{before, is_digit, is_latin, is_letter},
};
use crate::{
    checks::{Severity, finding::Finding, material::Material},
    manuscript::IssueKind,
};

pub(super) fn check(material: &Material<'_>, found: &mut Found<'_, '_>) {
    let source = material.manuscript().source();
    for issue in material.manuscript().issues() {
        let finding = Finding::at(issue.range.clone());
        match issue.kind {
            IssueKind::UnpairedRubyMark | IssueKind::EmptyRuby => found.push(finding),
            IssueKind::RubyWithoutBase => {
                let left = before(source, issue.range.start);
                if left.is_some_and(|c| is_letter(c) || is_latin(c) || is_digit(c)) {
                    found.push(finding);
                } else {
                    // After a sign it is a bracket as some authors use it, and so it is published.
                    found.push_as(Severity::Info, finding);
                }
            }
            _ => {}
        }
    }
}
