//! The errors of the browser: no Chromium, unknown element, denied URL, open dialog and others.
//!
//! Each error provides the parameters that its sentences in `errors.toml` use. Texts of a page (titles, messages,
//! labels) are data: they are quoted and shortened, and never treated as instructions.

use std::{sync::LazyLock, time::Duration};

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::PathError,
    text::BilingualText,
};

use crate::devtools::CallError;

/// The catalogue of the browser's errors.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("errors.toml")));

#[derive(Debug, thiserror::Error, UserError)]
#[error("{}", self.english())]
#[catalog(BOOK)]
pub enum BrowserError {
    /// No executable was found; `looked` lists the searched places.
    #[entry("NO_CHROMIUM")]
    NoChromium { looked: Vec<String> },
    /// Chromium did not start, or exited.
    #[entry("CHROMIUM_FAILED")]
    Broken { reason: String },
    /// The ref belongs to an element that is gone; `nearest` lists similar present elements as lines of a snapshot.
    #[entry("STALE_REF")]
    Stale {
        #[quoted]
        reference: String,
        #[fact(with = earlier_element)]
        was: String,
        #[fact(with = near)]
        nearest: Vec<String>,
    },
    #[entry("NO_SUCH_ELEMENT")]
    NoMatch {
        #[quoted]
        target: String,
        #[fact(with = near)]
        nearest: Vec<String>,
    },
    #[entry("SEVERAL_ELEMENTS")]
    AmbiguousTarget {
        #[quoted]
        target: String,
        count: usize,
        #[fact(with = lines)]
        candidates: Vec<String>,
    },
    #[entry("ELEMENT_COVERED")]
    Covered {
        #[quoted]
        target: String,
        by: String,
    },
    /// The element exists but cannot be acted on now: it is invisible, disabled or outside the viewport.
    #[entry("ELEMENT_INERT")]
    NotActionable {
        #[quoted]
        target: String,
        reason: BilingualText,
    },
    /// The element is of a kind that does not take this act.
    #[entry("ELEMENT_UNSUITABLE")]
    Unsuitable {
        #[quoted]
        target: String,
        reason: BilingualText,
    },
    #[entry("BAD_SELECTOR")]
    Selector {
        #[quoted]
        selector: String,
        reason: String,
    },
    #[entry("BAD_PATTERN")]
    Pattern {
        #[quoted]
        pattern: String,
        reason: String,
    },
    #[entry("URL_DENIED")]
    Denied {
        #[quoted]
        url: String,
        reason: BilingualText,
    },
    #[entry("DIALOG_OPEN")]
    DialogOpen {
        kind: String,
        #[quoted]
        message: String,
    },
    #[entry("NO_DIALOG")]
    NoDialog,
    #[entry("NO_BROWSER_SESSION")]
    NoSession {
        #[quoted]
        handle: String,
    },
    #[entry("TAB_CRASHED")]
    Crashed {
        /// The URL that the tab showed or was about to show.
        #[quoted]
        url: String,
    },
    #[entry("TAB_CLOSED")]
    TabClosed,
    #[entry("NO_TAB")]
    NoTab { index: usize, count: usize },
    #[entry("TOO_MANY_BROWSER_SESSIONS")]
    TooMany { limit: usize },
    #[entry("PAGE_NOT_LOADED")]
    NotLoaded {
        #[quoted]
        url: String,
        reason: String,
    },
    /// The history has no page before or after this one.
    #[entry("NO_HISTORY")]
    NoHistory,
    #[entry("SCRIPT_THREW")]
    Script {
        what: String,
        #[quoted]
        message: String,
    },
    /// An argument that only the page can check is invalid.
    #[entry("BAD_BROWSER_ARGUMENT")]
    Argument { argument: &'static str, reason: BilingualText },
    #[entry("BROWSER_TOO_LATE")]
    TimedOut {
        what: BilingualText,
        #[fact("after_ms")]
        after: Duration,
    },
    /// The page has answered nothing for a while, because its own script does not end.
    #[entry("PAGE_BUSY")]
    Busy {
        #[quoted]
        url: String,
        #[fact("after_ms")]
        after: Duration,
    },
    #[entry("NO_REQUEST")]
    NoRequest { index: usize },
    #[entry("CHROMIUM_FAILED")]
    ChromiumGone {
        #[fact(with = CallError::to_string)]
        reason: CallError,
    },
    #[entry("CHROMIUM_REFUSED")]
    Protocol {
        #[fact(with = CallError::to_string)]
        reason: CallError,
    },
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<CallError> for BrowserError {
    fn from(reason: CallError) -> Self {
        match reason {
            CallError::Closed => Self::ChromiumGone { reason },
            _ => Self::Protocol { reason },
        }
    }
}

impl BrowserError {
    /// True if Chromium itself is gone, so that the next use starts a new one.
    pub fn is_chromium_gone(&self) -> bool {
        matches!(self, Self::Broken { .. } | Self::ChromiumGone { .. })
    }
}

/// The description of a stale ref of which only the earlier page is known. Must be equal to the text in `page/refs.js`.
pub(crate) const PAGE_BEFORE: &str = "an element of the previous page";
/// The description of a stale ref whose frame is gone.
pub(crate) const FRAME_BEFORE: &str = "an element of a frame that is gone";

fn earlier_element(was: &str) -> BilingualText {
    match was {
        PAGE_BEFORE => BilingualText::new(PAGE_BEFORE, "前のページの要素"),
        FRAME_BEFORE => BilingualText::new(FRAME_BEFORE, "なくなったフレームの要素"),
        was => BilingualText::same(was.to_owned()),
    }
}

/// Returns the list of similar elements as the end of a sentence; empty if there are none.
fn near(nearest: &[String]) -> BilingualText {
    if nearest.is_empty() {
        return BilingualText::same("");
    }
    let listed = lines(nearest);
    BilingualText::new(format!(" Nearest elements now:{listed}"), format!("現在の近い要素:{listed}"))
}

/// Formats lines of a snapshot to be shown below a sentence.
fn lines(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |all, line| all + "\n  " + line)
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, BrowserError};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[BrowserError::shapes()]), [""; 0]);
    }
}
