//! Observation: the changes in a tab since the last observation. They are small, and every reply includes them.

use super::{Chooser, ConsoleMessage, PageDialog, PageDownload, Tab};
use crate::errors::BrowserError;

/// The state and the changes of a tab since the last observation. New tabs are added by the tab list.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each reported on its own")]
pub struct TabObservation {
    pub url: String,
    /// The current title; empty while a dialog is open.
    pub title: String,
    /// True if the URL changed since the last observation.
    pub url_changed: bool,
    /// True if the title changed since the last observation.
    pub title_changed: bool,
    /// The status of the main document, if it is another one than at the last observation.
    pub status: Option<u16>,
    /// The open dialog. It must be answered before anything else can be done.
    pub dialog: Option<PageDialog>,
    pub file_chooser: Option<Chooser>,
    /// The downloads that started or ended since the last observation.
    pub downloads: Vec<PageDownload>,
    /// Number of new errors in the console, repetitions included.
    pub new_console_errors: usize,
    /// The new console messages of all levels.
    pub console: Vec<ConsoleMessage>,
    /// True if the element that was typed into, hovered or focused since then has an open list or menu.
    pub opened: bool,
    pub crashed: bool,
    /// True if the page is still loading something.
    pub still_loading: bool,
}

/// The values at the last observation.
#[derive(Debug)]
pub(super) struct LastObservation {
    url: String,
    title: String,
    arrived: u64,
    errors: u64,
    messages: u64,
    downloads: u64,
}

impl LastObservation {
    pub(super) fn new(url: String) -> Self {
        Self { url, title: String::new(), arrived: 0, errors: 0, messages: 0, downloads: 0 }
    }
}

impl LastObservation {
    /// Returns the number of starts and ends of downloads that had been reported.
    pub(super) fn downloads(&self) -> u64 {
        self.downloads
    }

    pub(super) fn title(&self) -> &str {
        &self.title
    }
}

impl Tab {
    /// Records that the element that was acted on has an open list or menu.
    pub(crate) fn record_open_popup(&self) {
        self.state().has_open_popup = true;
    }

    /// Returns the changes since the last observation, and makes this one the last.
    pub async fn observe(&self) -> Result<TabObservation, BrowserError> {
        let title = if self.state().blocking_error().is_none() { Some(self.current_title().await) } else { None };
        let state = &mut *self.state();
        if state.is_closed {
            return Err(BrowserError::TabClosed);
        }
        let (url, loader) = {
            let main = state.frames.main().inner();
            (main.url.clone(), main.loader.clone())
        };
        let is_other = state.navigations.arrived > state.seen.arrived;
        let facts = TabObservation {
            url_changed: url != state.seen.url,
            title_changed: title.as_ref().is_some_and(|title| *title != state.seen.title),
            status: is_other.then(|| state.navigations.known(&loader)?.status).flatten(),
            dialog: state.dialog.as_ref().map(super::dialogs::OpenDialog::dialog),
            file_chooser: state.chooser.as_ref().map(super::downloads::OpenFileChooser::shown),
            downloads: state.downloads.after(state.seen.downloads),
            new_console_errors: usize::try_from(state.console.errors - state.seen.errors).unwrap_or(usize::MAX),
            console: state.console.after(state.seen.messages),
            opened: std::mem::take(&mut state.has_open_popup),
            crashed: state.has_crashed,
            still_loading: !state.is_loaded() && state.blocking_error().is_none(),
            url,
            title: title.clone().unwrap_or_default(),
        };
        state.seen = LastObservation {
            url: facts.url.clone(),
            title: title.unwrap_or_else(|| std::mem::take(&mut state.seen.title)),
            arrived: state.navigations.arrived,
            errors: state.console.errors,
            messages: state.console.count(),
            downloads: state.downloads.count(),
        };
        Ok(facts)
    }
}
