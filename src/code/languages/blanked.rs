//! Parts of a text that are kept from a grammar because its scanner would abort the process over them.
//!
//! Scanners are written in C: one whose state exceeds its buffer aborts, which Rust code cannot catch. So a text is
//! checked before it is parsed, and the excess is blanked. It is reported among the parse errors, never silently.

use std::{borrow::Cow, ops::Range};

/// A part of a text that the grammar does not see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlankedPart {
    /// The byte range in the text.
    pub(crate) bytes: Range<usize>,
    /// The message among the parse errors; `None` if no definition can be lost.
    pub(crate) reason: Option<&'static str>,
}

/// A text as a grammar reads it.
#[derive(Debug)]
pub(crate) struct ParserText<'t> {
    /// The blanked text, of the same length as the original.
    pub(crate) text: Cow<'t, str>,
    /// The parts that were blanked because the grammar cannot handle them.
    pub(crate) unread: Vec<BlankedPart>,
}
