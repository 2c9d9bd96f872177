//! The clipboard of a session.
//!
//! Chromium has one clipboard for all contexts, so fumi does not let pages paste from it. The script reports copied
//! text to fumi, which stores it for the session and inserts it when the keys for pasting are pressed. Only text is
//! kept, without formatting.

use std::sync::Arc;

use parking_lot::Mutex;

/// The name of the function through which the script in fumi's world reports copied text. Pages cannot call it.
pub(crate) const REPORT_FUNCTION: &str = "fumiCopied";

/// The clipboard of one session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clipboard(Arc<Mutex<Option<String>>>);

impl Clipboard {
    /// Replaces the contents of the clipboard.
    pub(crate) fn keep(&self, text: String) {
        *self.0.lock() = Some(text);
    }

    /// Returns the text that was copied last.
    pub(crate) fn text(&self) -> Option<String> {
        self.0.lock().clone()
    }
}
