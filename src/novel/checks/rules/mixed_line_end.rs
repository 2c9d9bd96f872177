//! Rule `mixed_line_end`: finds CR LF line ends, and a byte order mark.

use super::RuleReporter;
use crate::checks::{Severity, finding::Finding, material::CheckMaterial};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let source = material.manuscript().source();
    if source.starts_with('\u{feff}') {
        found.push(Finding::at(0..'\u{feff}'.len_utf8()).with("what", "BOM").with_edit(0..'\u{feff}'.len_utf8(), ""));
    }
    let line_feeds = source.match_indices('\n').map(|(at, _)| at);
    let (with, without): (Vec<usize>, Vec<usize>) = line_feeds.partition(|at| source[..*at].ends_with('\r'));
    let Some(first) = with.first() else { return };
    let finding = Finding::at(first - 1..first + 1).with("what", format!("CR LF: {}", with.len()));
    let finding = with.iter().fold(finding, |finding, at| finding.with_edit(at - 1..*at, ""));
    if without.is_empty() {
        found.push_with_severity(Severity::Info, finding);
    } else {
        found.push(finding);
    }
}
