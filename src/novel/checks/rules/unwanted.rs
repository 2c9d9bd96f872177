//! Search of a line for entries of the lexicon of forbidden expressions.
//!
//! Shared by the rules over that lexicon, which decide on the report and its severity.

use std::ops::Range;

use crate::{
    checks::Severity,
    lexicons::{UnwantedPlace, UnwantedText},
    manuscript::TextVoice,
};

/// Returns the hits of a section in a line: ranges of the line, each with the severity from the lexicon, in order and
/// without overlaps.
pub(super) fn hits(
    section: &[UnwantedText],
    line: &str,
    voice_at: impl Fn(usize) -> TextVoice,
) -> Vec<(Range<usize>, Option<Severity>)> {
    let lower = line.to_ascii_lowercase();
    let head = line.len() - line.trim_start().len();
    let mut hits = Vec::new();
    for unwanted in section {
        for range in unwanted.find(line, &lower) {
            let is_speech = voice_at(range.start) == TextVoice::Dialogue;
            let is_there = match unwanted.place {
                UnwantedPlace::Both => true,
                UnwantedPlace::Narration => !is_speech,
                UnwantedPlace::Dialogue => is_speech,
                UnwantedPlace::Line => !is_speech && range.start == head,
            };
            if is_there && !range.is_empty() {
                hits.push((range, unwanted.severity));
            }
        }
    }
    hits.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    hits.retain(|(range, _)| {
        range.start >= end && {
            end = range.end;
            true
        }
    });
    hits
}
