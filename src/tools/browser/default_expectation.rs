//! The default expectations of the browser tools: which parts a reply contains unless the caller sets `expectation`.
//! They are the rows of the lean profile.
//!
//! `None` means "include it if it is not empty". Facts that no caller may miss (a changed URL, a dialog, a download, a
//! new tab, console errors) are in every reply and are not configured here.

use fumi_base::expectation::{DiffOptions, Expectation};

/// The parts of a reply, by the kind of the tool.
#[derive(Clone, Copy, Debug)]
pub enum DefaultExpectation {
    /// The answer only.
    Answer,
    /// The page after an arrival, and downloads and tabs if there are any.
    Arrival,
    /// The changes of the page after an act, and what an arrival shows.
    Act,
    /// Downloads after an act that usually changes only its element.
    MinorAct,
    Snapshot,
    TabList,
    /// The console messages of a script.
    Script,
}

impl DefaultExpectation {
    /// Returns the token budget of the changes. It is small after an act, where only the effect of the act matters.
    pub(super) const fn change_tokens(self) -> usize {
        match self {
            Self::Arrival | Self::Snapshot | Self::TabList => 3_000,
            Self::Answer | Self::Act | Self::MinorAct | Self::Script => 400,
        }
    }
}

impl From<DefaultExpectation> for Expectation {
    fn from(kind: DefaultExpectation) -> Self {
        let answer = Self {
            include_snapshot: Some(false),
            include_console: Some(false),
            include_downloads: Some(false),
            include_tabs: Some(false),
            include_code: Some(false),
            ..Self::default()
        };
        match kind {
            DefaultExpectation::Answer => answer,
            DefaultExpectation::Arrival => {
                Self { include_snapshot: Some(true), include_downloads: None, include_tabs: None, ..answer }
            }
            DefaultExpectation::Act => {
                Self { diff_options: Some(DiffOptions { enabled: Some(true) }), ..DefaultExpectation::Arrival.into() }
            }
            DefaultExpectation::MinorAct => Self { include_downloads: None, ..answer },
            DefaultExpectation::Snapshot => Self { include_snapshot: Some(true), ..answer },
            DefaultExpectation::TabList => Self { include_downloads: None, include_tabs: Some(true), ..answer },
            DefaultExpectation::Script => Self { include_console: Some(true), ..answer },
        }
    }
}
