//! Spans in tree order: each precedes the spans that it contains.
//!
//! The callers ensure that spans do not cross; this module only sorts them and finds their parents.

use std::{cmp::Reverse, ops::Range};

use super::Kind;

/// A range of the source with its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub kind: Kind,
    /// The byte range in the source.
    pub range: Range<usize>,
    /// The index of the smallest enclosing span in [`super::Manuscript::spans`]; `None` for parts.
    pub parent: Option<usize>,
}

impl Span {
    pub(super) fn new(kind: Kind, range: Range<usize>) -> Self {
        Self {
            kind,
            range,
            parent: None,
        }
    }
}

/// Returns the nesting order of spans over the same bytes: a lower rank encloses a higher one.
fn rank(kind: &Kind) -> u8 {
    match kind {
        Kind::Part(_) => 0,
        Kind::Heading { .. } | Kind::Paragraph | Kind::SceneBreak(_) => 1,
        Kind::Narration | Kind::Dialogue(_) | Kind::Thought(_) => 2,
        Kind::Emphasis(_) => 3,
        Kind::Ruby { .. } => 4,
        Kind::Note(_) => 5,
    }
}

/// Sorts spans and finds their parents, without recursion, because the nesting may be as deep as the text is long.
pub(super) fn nest(mut spans: Vec<Span>) -> Vec<Span> {
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
