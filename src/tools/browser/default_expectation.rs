//! The default expectations of the browser tools: which parts a reply contains unless the caller sets `expectation`.
//! They are the rows of the lean profile.
//!
//! `None` means "include it if it is not empty". Facts that no caller may miss (a changed URL, a dialog, a download, a
//! new tab, console errors) are in every reply and are not configured here.

use fumi_base::expectation::{DiffOptions, Expectation};

/// The token budget of the changes for tools that may change the whole page.
pub(super) const WHOLE: usize = 3_000;

/// Returns the expectation of a reply with the answer only.
fn nothing() -> Expectation {
    Expectation {
        include_snapshot: Some(false),
        include_console: Some(false),
        include_downloads: Some(false),
        include_tabs: Some(false),
        include_code: Some(false),
        ..Expectation::default()
    }
}

/// Returns the expectation after an arrival: the page, and downloads and tabs if there are any.
pub(super) fn after_arrival() -> Expectation {
    Expectation { include_snapshot: Some(true), include_downloads: None, include_tabs: None, ..nothing() }
}

/// Returns the expectation after an act: the changes of the page.
pub(super) fn after_act() -> Expectation {
    Expectation { diff_options: Some(DiffOptions { enabled: Some(true) }), ..after_arrival() }
}

/// Returns the expectation after an act that usually changes only its element.
pub(super) fn after_minor_act() -> Expectation {
    Expectation { include_downloads: None, ..nothing() }
}

/// Returns the expectation after a snapshot: the snapshot only.
pub(super) fn after_snapshot() -> Expectation {
    Expectation { include_snapshot: Some(true), ..nothing() }
}

pub(super) fn after_tab_list() -> Expectation {
    Expectation { include_tabs: Some(true), ..after_minor_act() }
}

/// Returns the expectation after a script: its console messages.
pub(super) fn after_script() -> Expectation {
    Expectation { include_console: Some(true), ..nothing() }
}

/// Returns the expectation after a query: the answer only.
pub(super) fn answer_only() -> Expectation {
    nothing()
}
