//! The errors of the browser: no Chromium, unknown element, denied URL, open dialog and others.
//!
//! Each error provides the parameters that its sentences in `errors.toml` use. Texts of a page (titles, messages,
//! labels) are data: they are quoted and shortened, and never treated as instructions.

use std::{sync::LazyLock, time::Duration};

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::{PathError, quoted},
    text::BilingualText,
};

use crate::devtools::CallError;

/// The catalogue of the browser's errors.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("errors.toml")));

/// An error of the browser.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// No executable was found; `looked` lists the searched places.
    #[error("no Chromium in {looked:?}")]
    NoChromium { looked: Vec<String> },
    /// Chromium did not start, or exited.
    #[error("Chromium {reason}")]
    Broken { reason: String },
    /// The ref belongs to an element that is gone; `nearest` lists similar present elements as lines of a snapshot.
    #[error("{reference} is stale")]
    Stale {
        reference: String,
        was: String,
        nearest: Vec<String>,
    },
    #[error("nothing matches {target}")]
    NoMatch { target: String, nearest: Vec<String> },
    #[error("{target} matches {count} elements")]
    AmbiguousTarget {
        target: String,
        count: usize,
        candidates: Vec<String>,
    },
    #[error("{target} is covered by {by}")]
    Covered { target: String, by: String },
    /// The element exists but cannot be acted on: it is invisible, disabled or outside the viewport.
    #[error("{target} cannot be acted on: {}", reason.en)]
    NotActionable { target: String, reason: BilingualText },
    #[error("bad selector {selector}: {reason}")]
    Selector { selector: String, reason: String },
    #[error("bad pattern {pattern}: {reason}")]
    Pattern { pattern: String, reason: String },
    #[error("{url} is denied: {}", reason.en)]
    Denied { url: String, reason: BilingualText },
    #[error("a {kind} is open")]
    DialogOpen { kind: String, message: String },
    #[error("no dialog is open")]
    NoDialog,
    #[error("no browser session {handle}")]
    NoSession { handle: String },
    #[error("the tab crashed")]
    Crashed,
    #[error("the tab was closed")]
    TabClosed,
    #[error("no tab {index} of {count}")]
    NoTab { index: usize, count: usize },
    #[error("{limit} browser sessions are open")]
    TooMany { limit: usize },
    #[error("{url} did not load: {reason}")]
    NotLoaded { url: String, reason: String },
    /// The history has no page before or after this one.
    #[error("no page to go to")]
    NoHistory,
    #[error("{what} threw: {message}")]
    Script { what: String, message: String },
    /// An argument that only the page can check is invalid.
    #[error("{argument}: {}", reason.en)]
    Argument {
        argument: &'static str,
        reason: BilingualText,
    },
    #[error("timed out after {after:?} while waiting for {}", what.en)]
    TimedOut { what: BilingualText, after: Duration },
    #[error("no request {index}")]
    NoRequest { index: usize },
    #[error(transparent)]
    Protocol(#[from] CallError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl BrowserError {
    /// True if Chromium itself is gone, so that the next use starts a new one.
    #[must_use]
    pub fn is_chromium_gone(&self) -> bool {
        matches!(self, Self::Broken { .. } | Self::Protocol(CallError::Closed))
    }
}

impl UserError for BrowserError {
    fn entry(&self) -> &'static str {
        match self {
            Self::NoChromium { .. } => "NO_CHROMIUM",
            Self::Broken { .. } | Self::Protocol(CallError::Closed) => "CHROMIUM_FAILED",
            Self::Stale { .. } => "STALE_REF",
            Self::NoMatch { .. } => "NO_SUCH_ELEMENT",
            Self::AmbiguousTarget { .. } => "SEVERAL_ELEMENTS",
            Self::Covered { .. } => "ELEMENT_COVERED",
            Self::NotActionable { .. } => "ELEMENT_INERT",
            Self::Selector { .. } => "BAD_SELECTOR",
            Self::Pattern { .. } => "BAD_PATTERN",
            Self::Denied { .. } => "URL_DENIED",
            Self::DialogOpen { .. } => "DIALOG_OPEN",
            Self::NoDialog => "NO_DIALOG",
            Self::NoSession { .. } => "NO_BROWSER_SESSION",
            Self::Crashed => "TAB_CRASHED",
            Self::TabClosed => "TAB_CLOSED",
            Self::NoTab { .. } => "NO_TAB",
            Self::TooMany { .. } => "TOO_MANY_BROWSER_SESSIONS",
            Self::NotLoaded { .. } => "PAGE_NOT_LOADED",
            Self::NoHistory => "NO_HISTORY",
            Self::Script { .. } => "SCRIPT_THREW",
            Self::Argument { .. } => "BAD_BROWSER_ARGUMENT",
            Self::TimedOut { .. } => "BROWSER_TOO_LATE",
            Self::NoRequest { .. } => "NO_REQUEST",
            Self::Protocol(_) => "CHROMIUM_REFUSED",
            Self::Path(error) => error.entry(),
            Self::Write(error) => error.entry(),
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        match self {
            Self::Path(error) => error.catalog(),
            Self::Write(error) => error.catalog(),
            _ => &BOOK,
        }
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::NoChromium { looked } => vec![("looked", looked.join(", "))],
            Self::Broken { reason } => vec![("reason", reason.clone())],
            Self::Stale {
                reference,
                was,
                nearest,
            } => {
                let [en, ja] = near(nearest);
                let was_ja = match was.as_str() {
                    PAGE_BEFORE => "前のページの要素",
                    FRAME_BEFORE => "なくなったフレームの要素",
                    was => was,
                };
                let was = [("was", was.clone()), ("was_ja", was_ja.to_owned())];
                [("reference", quoted(reference))]
                    .into_iter()
                    .chain(was)
                    .chain([en, ja])
                    .collect()
            }
            Self::NoMatch { target, nearest } => {
                let [en, ja] = near(nearest);
                vec![("target", quoted(target)), en, ja]
            }
            Self::AmbiguousTarget {
                target,
                count,
                candidates,
            } => vec![
                ("target", quoted(target)),
                ("count", count.to_string()),
                ("candidates", lines(candidates)),
            ],
            Self::Covered { target, by } => vec![("target", quoted(target)), ("by", by.clone())],
            Self::NotActionable { target, reason } => said("target", quoted(target), reason),
            Self::Selector { selector, reason } => vec![("selector", quoted(selector)), ("reason", reason.clone())],
            Self::Pattern { pattern, reason } => vec![("pattern", quoted(pattern)), ("reason", reason.clone())],
            Self::Denied { url, reason } => said("url", quoted(url), reason),
            Self::DialogOpen { kind, message } => vec![("kind", kind.clone()), ("message", quoted(message))],
            Self::NoSession { handle } => vec![("handle", quoted(handle))],
            Self::NoTab { index, count } => vec![("index", index.to_string()), ("count", count.to_string())],
            Self::TooMany { limit } => vec![("limit", limit.to_string())],
            Self::NotLoaded { url, reason } => vec![("url", quoted(url)), ("reason", reason.clone())],
            Self::Script { what, message } => vec![("what", what.clone()), ("message", quoted(message))],
            Self::Argument { argument, reason } => said("argument", (*argument).to_owned(), reason),
            Self::TimedOut { what, after } => vec![
                ("what", what.en.to_string()),
                ("what_ja", what.ja.to_string()),
                ("after_ms", after.as_millis().to_string()),
            ],
            Self::NoRequest { index } => vec![("index", index.to_string())],
            Self::Protocol(error) => vec![("reason", error.to_string())],
            Self::NoDialog | Self::Crashed | Self::TabClosed | Self::NoHistory => Vec::new(),
            Self::Path(error) => error.params(),
            Self::Write(error) => error.params(),
        }
    }
}

/// The description of a stale ref of which only the earlier page is known. Must be equal to the text in `page/refs.js`.
pub(crate) const PAGE_BEFORE: &str = "an element of the previous page";
/// The description of a stale ref whose frame is gone.
pub(crate) const FRAME_BEFORE: &str = "an element of a frame that is gone";

/// Returns a parameter together with the reason in both languages.
fn said(name: &'static str, value: String, reason: &BilingualText) -> Vec<(&'static str, String)> {
    vec![
        (name, value),
        ("reason", reason.en.to_string()),
        ("reason_ja", reason.ja.to_string()),
    ]
}

/// Returns the list of similar elements as the end of a sentence; empty if there are none.
fn near(nearest: &[String]) -> [(&'static str, String); 2] {
    let after = |lead: &str| match nearest {
        [] => String::new(),
        some => format!("{lead}{}", lines(some)),
    };
    [
        ("nearest", after(" Nearest elements now:")),
        ("nearest_ja", after("現在の近い要素:")),
    ]
}

/// Formats lines of a snapshot to be shown below a sentence.
fn lines(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |all, line| all + "\n  " + line)
}
