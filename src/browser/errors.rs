//! What driving a browser can refuse: no Chromium, no such element, a URL that is denied, a dialog in the way.
//!
//! Each carries the facts that its sentences in `errors.toml` name. What a page says (titles, messages, labels) is data: it
//! is quoted and cut, and never taken for an instruction.

use std::{sync::LazyLock, time::Duration};

use fumi_base::{
    errors::{Book, Teach},
    project::{PathError, quoted},
    text::Text,
    writing::WriteError,
};

use crate::devtools::CallError;

/// The failures of the browser.
pub static BOOK: LazyLock<Book> = LazyLock::new(|| Book::embedded(include_str!("errors.toml")));

/// Why something is not done in the browser.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentences stand in errors.toml")]
pub enum BrowserError {
    /// `looked`: where a program was looked for.
    #[error("no Chromium in {looked:?}")]
    NoChromium { looked: Vec<String> },
    /// It was started and did not come up, or went away.
    #[error("Chromium {reason}")]
    Broken { reason: String },
    /// `nearest`: elements that are there now, as lines of a snapshot.
    #[error("{reference} is stale")]
    Stale {
        reference: String,
        was: String,
        nearest: Vec<String>,
    },
    #[error("nothing matches {target}")]
    NoMatch { target: String, nearest: Vec<String> },
    #[error("{target} matches {count} elements")]
    Several {
        target: String,
        count: usize,
        candidates: Vec<String>,
    },
    #[error("{target} is covered by {by}")]
    Covered { target: String, by: String },
    /// It is there and cannot be acted on: invisible, disabled, outside.
    #[error("{target} cannot be acted on: {}", reason.en)]
    Inert { target: String, reason: Text },
    #[error("bad selector {selector}: {reason}")]
    Selector { selector: String, reason: String },
    #[error("bad pattern {pattern}: {reason}")]
    Pattern { pattern: String, reason: String },
    #[error("{url} is denied: {}", reason.en)]
    Denied { url: String, reason: Text },
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
    /// There is no page before or after this one.
    #[error("no page to go to")]
    NoHistory,
    #[error("{what} threw: {message}")]
    Script { what: String, message: String },
    /// An argument that only the page can judge.
    #[error("{argument}: {}", reason.en)]
    Argument { argument: &'static str, reason: Text },
    #[error("{} did not happen within {after:?}", what.en)]
    TooLate { what: Text, after: Duration },
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
    /// Whether Chromium itself went away, so that the next use starts another one.
    #[must_use]
    pub fn is_chromium_gone(&self) -> bool {
        matches!(self, Self::Broken { .. } | Self::Protocol(CallError::Closed))
    }
}

impl Teach for BrowserError {
    fn entry(&self) -> &'static str {
        match self {
            Self::NoChromium { .. } => "NO_CHROMIUM",
            Self::Broken { .. } | Self::Protocol(CallError::Closed) => "CHROMIUM_FAILED",
            Self::Stale { .. } => "STALE_REF",
            Self::NoMatch { .. } => "NO_SUCH_ELEMENT",
            Self::Several { .. } => "SEVERAL_ELEMENTS",
            Self::Covered { .. } => "ELEMENT_COVERED",
            Self::Inert { .. } => "ELEMENT_INERT",
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
            Self::TooLate { .. } => "BROWSER_TOO_LATE",
            Self::NoRequest { .. } => "NO_REQUEST",
            Self::Protocol(_) => "CHROMIUM_REFUSED",
            Self::Path(error) => error.entry(),
            Self::Write(error) => error.entry(),
        }
    }

    fn book(&self) -> &'static Book {
        match self {
            Self::Path(error) => error.book(),
            Self::Write(error) => error.book(),
            _ => &BOOK,
        }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
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
            Self::Several {
                target,
                count,
                candidates,
            } => vec![
                ("target", quoted(target)),
                ("count", count.to_string()),
                ("candidates", lines(candidates)),
            ],
            Self::Covered { target, by } => vec![("target", quoted(target)), ("by", by.clone())],
            Self::Inert { target, reason } => said("target", quoted(target), reason),
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
            Self::TooLate { what, after } => vec![
                ("what", what.en.to_string()),
                ("what_ja", what.ja.to_string()),
                ("after_ms", after.as_millis().to_string()),
            ],
            Self::NoRequest { index } => vec![("index", index.to_string())],
            Self::Protocol(error) => vec![("reason", error.to_string())],
            Self::NoDialog | Self::Crashed | Self::TabClosed | Self::NoHistory => Vec::new(),
            Self::Path(error) => error.facts(),
            Self::Write(error) => error.facts(),
        }
    }
}

/// What a ref was of which nothing else is known any more (`page/refs.js` says the first).
pub(crate) const PAGE_BEFORE: &str = "an element of the page before";
/// The same of a frame.
pub(crate) const FRAME_BEFORE: &str = "an element of a frame that is gone";

/// A fact and the reason in both languages.
fn said(name: &'static str, value: String, reason: &Text) -> Vec<(&'static str, String)> {
    vec![
        (name, value),
        ("reason", reason.en.to_string()),
        ("reason_ja", reason.ja.to_string()),
    ]
}

/// What is there instead, as the end of a sentence that has none where nothing is alike.
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

/// Lines of a snapshot below a sentence, or nothing.
fn lines(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |all, line| all + "\n  " + line)
}
