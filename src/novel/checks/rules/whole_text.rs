//! A finding about all narration together, with its evidence.
//!
//! Its range is empty: it is shown at the first evidence, else at the first sentence.

use std::ops::Range;

use crate::{
    checks::{CheckMaterial, Finding},
    manuscript::TextVoice,
};

/// Creates the finding. `evidence` is a list of source ranges, in order.
pub(super) fn finding(material: &CheckMaterial<'_>, evidence: Vec<Range<usize>>) -> Finding {
    let first = material.sentences_in_voice(TextVoice::Narration).next();
    let first = first.map(|(_, sentence, _)| sentence.source().start);
    let at = evidence.first().map(|place| place.start).or(first).unwrap_or_default();
    Finding::at(at..at).with_evidence(evidence)
}
