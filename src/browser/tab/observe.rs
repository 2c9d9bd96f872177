//! What happened in a tab since somebody last looked: small, and never left out of an answer.

use super::{Chooser, Dialog, Download, Message, Tab};
use crate::errors::BrowserError;

/// What happened since the last observation. New tabs are added by who knows them.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each said on its own")]
pub struct Facts {
    /// As it is now.
    pub url: String,
    /// As it is now; empty while a dialog is open.
    pub title: String,
    /// Since the last observation.
    pub url_changed: bool,
    /// Since the last observation.
    pub title_changed: bool,
    /// Of the main document, if it is another one than before.
    pub status: Option<u16>,
    /// The open dialog: nothing else can be done before it is answered.
    pub dialog: Option<Dialog>,
    /// A file chooser waits.
    pub file_chooser: Option<Chooser>,
    /// Those that began or ended.
    pub downloads: Vec<Download>,
    /// Errors in the console that are new, each time that they came.
    pub new_console_errors: usize,
    /// New messages of all levels.
    pub console: Vec<Message>,
    /// What was typed into, pointed at or has the focus since then has an open list or menu.
    pub opened: bool,
    /// The tab crashed.
    pub crashed: bool,
    /// The page still loads something.
    pub still_loading: bool,
}

/// What was there at the last observation.
#[derive(Debug)]
pub(super) struct Seen {
    url: String,
    title: String,
    arrived: u64,
    errors: u64,
    messages: u64,
    downloads: u64,
}

impl Seen {
    pub(super) fn new(url: String) -> Self {
        Self {
            url,
            title: String::new(),
            arrived: 0,
            errors: 0,
            messages: 0,
            downloads: 0,
        }
    }
}

impl Seen {
    /// How many beginnings and ends of downloads were told.
    pub(super) fn downloads(&self) -> u64 {
        self.downloads
    }

    pub(super) fn title(&self) -> &str {
        &self.title
    }
}

impl Tab {
    /// Notes that what was acted on has an open list or menu.
    pub(crate) fn has_opened(&self) {
        self.state().has_opened = true;
    }

    /// What happened since the last observation, which this one is from now on.
    pub async fn observe(&self) -> Result<Facts, BrowserError> {
        let title = if self.state().stopped().is_none() {
            Some(self.title_now().await)
        } else {
            None
        };
        let state = &mut *self.state();
        if state.is_closed {
            return Err(BrowserError::TabClosed);
        }
        let (url, loader) = {
            let main = state.frames.main().inner();
            (main.url.clone(), main.loader.clone())
        };
        let is_other = state.navigations.arrived > state.seen.arrived;
        let facts = Facts {
            url_changed: url != state.seen.url,
            title_changed: title.as_ref().is_some_and(|title| *title != state.seen.title),
            status: is_other.then(|| state.navigations.known(&loader)?.status).flatten(),
            dialog: state.dialog.as_ref().map(super::dialogs::Open::dialog),
            file_chooser: state.chooser.as_ref().map(super::downloads::Waiting::shown),
            downloads: state.downloads.after(state.seen.downloads),
            new_console_errors: usize::try_from(state.console.errors - state.seen.errors).unwrap_or(usize::MAX),
            console: state.console.after(state.seen.messages),
            opened: std::mem::take(&mut state.has_opened),
            crashed: state.has_crashed,
            still_loading: !state.is_loaded() && state.stopped().is_none(),
            url,
            title: title.clone().unwrap_or_default(),
        };
        state.seen = Seen {
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
