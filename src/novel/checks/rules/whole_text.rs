//! A finding about all narration together, and what it rests on.
//!
//! It has no words of its own: it is shown where its evidence begins, else at the first sentence.

use std::ops::Range;

use crate::{
    checks::{Finding, Material},
    manuscript::Voice,
};

/// The finding, with places of the source, in order.
pub(super) fn finding(material: &Material<'_>, evidence: Vec<Range<usize>>) -> Finding {
    let first = material.heard(Voice::Narration).next();
    let first = first.map(|(_, sentence, _)| sentence.source().start);
    let at = evidence.first().map(|place| place.start).or(first).unwrap_or_default();
    Finding::at(at..at).seen_at(evidence)
}
