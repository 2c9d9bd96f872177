//! A finding about consecutive sentences of narration, placed at the first of them.

use std::ops::Range;

use crate::checks::{CheckMaterial, Finding};

/// Creates the finding about a range of the measured sentences, with their `count`; all of them are its evidence.
pub(super) fn finding(material: &CheckMaterial<'_>, run: &Range<usize>) -> Finding {
    let measured = &material.metrics().lengths.sentences[run.clone()];
    let mut sentences = measured.iter().map(|(at, _)| material.sentences()[*at].source());
    let first = sentences.next().unwrap_or_default();
    Finding::at(first.clone()).with("count", run.len()).with_evidence(std::iter::once(first).chain(sentences))
}
