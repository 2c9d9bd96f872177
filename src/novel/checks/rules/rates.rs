//! Reports one finding about a whole text: something occurs in its narration more often than it should.

use std::ops::Range;

use super::RuleReporter;
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::TextVoice,
};

/// The maximum number of words that are shown.
const SHOWN: usize = 8;

/// Reports ranges of the visible text if there are at least `least` of them, and more than `most` per 1,000 characters
/// of narration.
pub(super) fn push_excess(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>, places: &[Range<usize>]) {
    let Some(first) = places.first() else { return };
    let most = found.threshold("most");
    let rate = places.len() as f64 * 1_000.0 / material.characters_in_voice(TextVoice::Narration).max(1) as f64;
    if places.len() < found.limit("least") || rate <= most {
        return;
    }
    let mut words: Vec<&str> = Vec::new();
    for place in places {
        let word = &material.text()[place.clone()];
        if words.len() < SHOWN && !words.contains(&word) {
            words.push(word);
        }
    }
    let start = material.source_of(first).start;
    found.push(
        Finding::at(start..start)
            .with("count", places.len())
            .with("value", format!("{rate:.1}"))
            .with("limit", most)
            .with("words", words.join("、")),
    );
}
