//! Rule `unread_ruby`: finds 《 and 》 that form neither a ruby nor an emphasis.

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
                    // After a sign it is used as a bracket by some authors and is published as such.
                    found.push_as(Severity::Info, finding);
                }
            }
            _ => {}
        }
    }
}
