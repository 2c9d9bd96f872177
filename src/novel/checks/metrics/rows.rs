//! The rows of consecutive sentences of narration, with only white space between neighbours.
//!
//! Speech, a scene break or a heading ends a row, a new paragraph does not. Speech in the middle of a sentence does not
//! end a row, since the sentence continues after it.

use std::ops::Range;

use super::SentenceLengths;
use crate::{checks::material::CheckMaterial, manuscript::SpanKind};

/// The rows in order; together they contain all sentences of narration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentenceRows {
    /// The rows, as ranges of indices into [`SentenceLengths::sentences`].
    pub rows: Vec<Range<usize>>,
}

impl SentenceRows {
    pub(super) fn from_material(material: &CheckMaterial<'_>, lengths: &SentenceLengths) -> Self {
        let spans = material.manuscript().spans().iter();
        let breaks = spans.filter(|span| matches!(span.kind, SpanKind::SceneBreak(_)));
        let mut breaks = breaks.map(|span| span.range.start).peekable();
        let mut rows: Vec<Range<usize>> = Vec::new();
        let mut before = None;
        for (nth, (at, _)) in lengths.sentences.iter().enumerate() {
            let sentence = &material.sentences()[*at];
            let (visible, source) = (sentence.visible(), sentence.source());
            let mut is_new_scene = false;
            while breaks.next_if(|start| *start < source.start).is_some() {
                is_new_scene = true;
            }
            let is_beside = before.is_some_and(|end: usize| {
                let between = material.text().get(end..visible.start);
                between.is_some_and(|between| between.trim().is_empty())
            });
            match rows.last_mut() {
                Some(row) if is_beside && !is_new_scene => row.end = nth + 1,
                _ => rows.push(nth..nth + 1),
            }
            before = Some(visible.end);
        }
        Self { rows }
    }

    /// Returns the longest runs within rows in which each sentence is like the previous one, of at least `least`
    /// sentences.
    pub fn runs(&self, least: usize, is_alike: impl Fn(usize, usize) -> bool) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        for row in &self.rows {
            let mut start = row.start;
            for at in row.start + 1..=row.end {
                if at == row.end || !is_alike(at - 1, at) {
                    if at - start >= least {
                        runs.push(start..at);
                    }
                    start = at;
                }
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::metrics::tests::measured;

    #[test]
    fn rows_end_at_speech_scenes_and_headings() {
        let text = "　来た。\n　見た。彼は「勝ったな」と言った。帰る。\n「さらば」と言う。\n＊＊＊\n　朝。\n\n\n　昼。\n## 夜\n　星。月。\n";
        let rows = measured(text).rows;
        assert_eq!(rows.rows, [0..4, 4..5, 5..6, 6..7, 7..9]);
        assert_eq!(rows.runs(2, |_, _| true), [0..4, 7..9]);
        assert_eq!(rows.runs(2, |_, at| at != 2), [0..2, 2..4, 7..9]);
    }
}
