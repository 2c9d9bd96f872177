//! Spans in the order of a tree: each before what it contains.
//!
//! Whoever makes spans keeps them from crossing; here they are only put in order and told who contains whom.

use std::{cmp::Reverse, ops::Range};

use super::Kind;

/// A stretch of the source and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// What it is.
    pub kind: Kind,
    /// Bytes of the source.
    pub range: Range<usize>,
    /// The place of the smallest span around it in [`super::Manuscript::spans`]; `None` for parts.
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

/// Which of two spans over the same bytes contains the other.
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

/// Puts spans in order and finds their parents, without recursion: they may be nested as deep as the text is long.
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
