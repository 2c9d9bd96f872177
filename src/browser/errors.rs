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

#[derive(Debug, UserError)]
#[fact(nearest = near(nearest))]
pub enum BrowserError {
    /// No executable was found; `looked` lists the searched places.
    #[fact(plain(looked))]
    NoChromium { looked: Vec<String> },
    /// Chromium did not start, or exited.
    #[fact(plain(reason))]
    ChromiumFailed { reason: String },
    /// The ref belongs to an element that is gone; `nearest` lists similar present elements as lines of a snapshot.
    #[fact(was = earlier_element(was))]
    StaleRef { reference: String, was: String, nearest: Vec<String> },
    /// No element matches.
    NoSuchElement { target: String, nearest: Vec<String> },
    #[fact(candidates = lines(candidates))]
    SeveralElements { target: String, count: usize, candidates: Vec<String> },
    #[fact(plain(by))]
    ElementCovered { target: String, by: String },
    /// The element exists but cannot be acted on now: it is invisible, disabled or outside the viewport.
    ElementInert { target: String, reason: BilingualText },
    /// The element is of a kind that does not take this act.
    ElementUnsuitable { target: String, reason: BilingualText },
    #[fact(plain(reason))]
    BadSelector { selector: String, reason: String },
    #[fact(plain(reason))]
    BadPattern { pattern: String, reason: String },
    /// The policy does not allow the URL.
    UrlDenied { url: String, reason: BilingualText },
    #[fact(plain(kind))]
    DialogOpen { kind: String, message: String },
    /// A dialog is to be answered, and none is open.
    NoDialog,
    /// The handle names no session of the caller.
    NoBrowserSession { handle: String },
    /// `url` is what the tab showed or was about to show.
    TabCrashed { url: String },
    /// The tab was closed while it was used.
    TabClosed,
    /// The index is beyond the last tab.
    NoTab { index: usize, count: usize },
    /// All sessions that the operator allows are open.
    TooManyBrowserSessions { limit: usize },
    #[fact(plain(reason))]
    PageNotLoaded { url: String, reason: String },
    /// The history has no page before or after this one.
    NoHistory,
    #[fact(plain(what))]
    ScriptThrew { what: String, message: String },
    /// An argument that only the page can check is invalid.
    BadBrowserArgument { argument: &'static str, reason: BilingualText },
    /// The page did not do this in time.
    BrowserTooLate { what: BilingualText, after: Duration },
    /// The page has answered nothing for a while, because its own script does not end.
    PageBusy { url: String, after: Duration },
    /// The list of requests has no such entry.
    NoRequest { index: usize },
    #[entry("CHROMIUM_FAILED")]
    #[fact(reason = reason.to_string())]
    ChromiumGone { reason: CallError },
    #[fact(reason = reason.to_string())]
    ChromiumRefused { reason: CallError },
    #[from]
    Path(PathError),
    #[from]
    Write(WriteError),
}

impl From<CallError> for BrowserError {
    fn from(reason: CallError) -> Self {
        match reason {
            CallError::Closed => Self::ChromiumGone { reason },
            _ => Self::ChromiumRefused { reason },
        }
    }
}

impl BrowserError {
    /// True if Chromium itself is gone, so that the next use starts a new one.
    pub fn is_chromium_gone(&self) -> bool {
        matches!(self, Self::ChromiumFailed { .. } | Self::ChromiumGone { .. })
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
