//! What a session has copied.
//!
//! Chromium has one clipboard for all of its contexts. So nobody pastes from it: what is copied in a page is told to fumi, which
//! keeps it here for the session and gives it back where keys for pasting are pressed. As text; formats stay behind.

use std::sync::{Arc, Mutex, PoisonError};

/// By this function the script in fumi's world of a frame tells what was copied. Pages do not have it.
pub(crate) const TOLD_BY: &str = "fumiCopied";

/// The clipboard of one session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clipboard(Arc<Mutex<Option<String>>>);

impl Clipboard {
    /// Keeps what was copied, in place of what was before.
    pub(crate) fn keep(&self, text: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }

    /// What was copied last.
    pub(crate) fn text(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
