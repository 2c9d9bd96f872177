//! What a session has copied.
//!
//! Chromium has one clipboard for all of its contexts. So nobody pastes from it: what is copied in a page is told to fumi, which
//! keeps it here for the session and gives it back when the keys for pasting are pressed. As text; formats stay behind.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;

/// The clipboard of one session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clipboard(Arc<Mutex<Option<Copied>>>);

/// What a page said was copied in it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Copied {
    text: String,
    /// Milliseconds since 1970.
    at: f64,
}

impl Clipboard {
    /// Keeps what was copied, unless what is there was copied later: frames are asked in any order.
    pub(crate) fn keep(&self, copied: Copied) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_none_or(|kept| kept.at <= copied.at) {
            *kept = Some(copied);
        }
    }

    /// What was copied last.
    pub(crate) fn text(&self) -> Option<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().map(|kept| kept.text.clone())
    }
}
