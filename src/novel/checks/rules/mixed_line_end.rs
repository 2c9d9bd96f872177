//! `mixed_line_end`: line ends of two kinds in one file, and a byte order mark.

use super::Found;
use crate::checks::{finding::Finding, material::Material};

pub(super) fn check(material: &Material<'_>, found: &mut Found<'_, '_>) {
    let source = material.manuscript().source();
    if source.starts_with('\u{feff}') {
        found.push(
            Finding::at(0..'\u{feff}'.len_utf8())
                .with("count", 0)
                .edited(0..'\u{feff}'.len_utf8(), ""),
        );
    }
    let line_feeds = source.match_indices('\n').map(|(at, _)| at);
    let (with, without): (Vec<usize>, Vec<usize>) = line_feeds.partition(|at| source[..*at].ends_with('\r'));
    if with.is_empty() || without.is_empty() {
        return;
    }
    let (first, count) = if with.len() <= without.len() {
        (with[0] - 1..with[0] + 1, with.len())
    } else {
        (without[0]..without[0] + 1, without.len())
    };
    let finding = Finding::at(first).with("count", count);
    found.push(with.iter().fold(finding, |finding, at| finding.edited(at - 1..*at, "")));
}
