//! A finding about sentences of narration in a row: it is at the first of them.

use std::ops::Range;

use crate::checks::{Finding, Material};

/// The finding about a run of places in the measured sentences, with their `count`.
pub(super) fn finding(material: &Material<'_>, run: &Range<usize>) -> Finding {
    let (first, _) = material.metrics().lengths.sentences[run.start];
    Finding::at(material.sentences()[first].source()).with("count", run.len())
}
