//! Spans in tree order: each precedes the spans that it contains.
//!
//! The callers ensure that spans do not cross; this module only sorts them and finds their parents.

use std::{cmp::Reverse, ops::Range};

use super::SpanKind;

/// A range of the source with its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManuscriptSpan {
    pub kind: SpanKind,
    /// The byte range in the source.
    pub range: Range<usize>,
    /// The index of the smallest enclosing span in [`super::Manuscript::spans`]; `None` for parts.
    pub parent: Option<usize>,
}

impl ManuscriptSpan {
    pub(super) fn new(kind: SpanKind, range: Range<usize>) -> Self {
        Self { kind, range, parent: None }
    }
}

/// Returns the nesting order of spans over the same bytes: a lower rank encloses a higher one.
fn rank(kind: &SpanKind) -> u8 {
    match kind {
        SpanKind::Part(_) => 0,
        SpanKind::Heading { .. } | SpanKind::Paragraph | SpanKind::SceneBreak(_) => 1,
        SpanKind::Narration | SpanKind::Dialogue(_) | SpanKind::Thought(_) => 2,
        SpanKind::Emphasis(_) => 3,
        SpanKind::Ruby { .. } => 4,
        SpanKind::Note(_) => 5,
    }
}

/// Sorts spans and finds their parents, without recursion, because the nesting may be as deep as the text is long.
pub(super) fn nest(mut spans: Vec<ManuscriptSpan>) -> Vec<ManuscriptSpan> {
    spans.sort_by_key(|span| (span.range.start, Reverse(span.range.end), rank(&span.kind)));
    let mut around: Vec<usize> = Vec::new();
    for at in 0..spans.len() {
        let start = spans[at].range.start;
        while around.pop_if(|outer| spans[*outer].range.end <= start).is_some() {}
        spans[at].parent = around.last().copied();
        around.push(at);
    }
    spans
}
