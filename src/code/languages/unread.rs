//! Parts of a text that are kept from a grammar, because its scanner would end the process over them.
//!
//! Scanners are C: one whose state does not fit its buffer aborts, and nothing of ours can catch that. So a text is looked
//! through before it is parsed, and what is too much becomes blanks. It is said among the parse errors, never silently.

use std::{borrow::Cow, ops::Range};

/// A part of a text that the grammar does not get to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    /// In the text.
    pub(crate) bytes: Range<usize>,
    /// What is said of it among the parse errors; nothing where no definition can be lost.
    pub(crate) reason: Option<&'static str>,
}

/// A text as a grammar gets it.
#[derive(Debug)]
pub(crate) struct Readable<'t> {
    /// Of the same length as the text, with blanks in it.
    pub(crate) text: Cow<'t, str>,
    /// What became blanks because the grammar cannot bear it.
    pub(crate) unread: Vec<Unread>,
}
