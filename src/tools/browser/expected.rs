//! What a reply tells unless the caller says otherwise: the rows of the lean profile.
//!
//! Absent means "when there is something to say". The facts that nobody may miss (an address that changed, a dialog, a
//! download, a new tab, errors of the console) come with every row and are no part of this.

use fumi_base::expectation::{DiffOptions, Expectation};

/// Most tokens of what changed, where a whole page might have.
pub(super) const WHOLE: usize = 3_000;

/// Nothing beside the answer.
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

/// After an arrival: the page, and what there is beside it.
pub(super) fn arriving() -> Expectation {
    Expectation {
        include_snapshot: Some(true),
        include_downloads: None,
        include_tabs: None,
        ..nothing()
    }
}

/// After an action: what it changed.
pub(super) fn acting() -> Expectation {
    Expectation {
        diff_options: Some(DiffOptions { enabled: Some(true) }),
        ..arriving()
    }
}

/// After an action that usually changes nothing but its element.
pub(super) fn touching() -> Expectation {
    Expectation {
        include_downloads: None,
        ..nothing()
    }
}

/// After a snapshot: the snapshot.
pub(super) fn seeing() -> Expectation {
    Expectation {
        include_snapshot: Some(true),
        ..nothing()
    }
}

/// After a look at the tabs: all of them.
pub(super) fn listing() -> Expectation {
    Expectation {
        include_tabs: Some(true),
        ..touching()
    }
}

/// After a script: what it wrote to the console.
pub(super) fn evaluating() -> Expectation {
    Expectation {
        include_console: Some(true),
        ..nothing()
    }
}

/// After a question: its answer.
pub(super) fn answering() -> Expectation {
    nothing()
}
