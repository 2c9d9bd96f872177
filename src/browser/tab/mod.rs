//! One tab: its frames, their events, and the operations on them.
//!
//! One task for each session of the tab (the page, frames in other processes, workers) handles the events in order and
//! writes them to one shared state. Waiting operations check that state again after every event; nothing here waits for
//! a fixed time. The tasks end with their sessions, or when the tab is dropped. The list of tabs is kept elsewhere.

mod acting;
mod console;
mod dialogs;
mod download_budget;
mod downloads;
mod events;
mod frame_query;
mod frames;
mod input;
#[allow(unreachable_pub, reason = "its types are part of the crate's interface")]
mod locate;
mod navigate;
mod navigations;
mod network;
mod objects;
mod observe;
mod requests;
mod script_guard;
mod settings;
mod settle;
mod title;
mod unresponsive;
mod world;

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

pub use console::{ConsoleMessage, MessageLevel};
pub use dialogs::PageDialog;
pub(crate) use download_budget::DownloadBudget;
pub use downloads::{Chooser, DownloadLimit, DownloadState, PageDownload};
pub(crate) use frame_query::FRAME_TIMEOUT;
pub(crate) use frames::TabFrame;
pub(crate) use locate::{AimOptions, Located, PointerAction, ViewportPoint};
pub use navigate::{Arrival, ArrivalNote};
pub use network::RecordedRequest;
pub(crate) use objects::RemoteObjectGuard;
pub use observe::TabObservation;
pub use requests::{RequestDetail, RequestFilter, RequestPart};
pub(crate) use script_guard::ScriptGuard;
pub(crate) use settings::TabSettings;
pub use settle::PopupMode;

use crate::{
    devtools::{
        CallError, Channel,
        protocol::{
            page::FrameId,
            target::{TargetId, TargetInfo},
        },
    },
    errors::BrowserError,
    policy::{Denial, denial_of_shown},
};

/// An open tab. All its operations are asynchronous; dropping the future aborts the operation.
#[derive(Debug)]
pub struct Tab {
    id: TargetId,
    channel: Channel,
    settings: Arc<TabSettings>,
    // Locked for moves only, never across an `await`.
    state: Mutex<TabState>,
    /// Notifies waiting operations after every event.
    pulse: watch::Sender<()>,
}

/// The state of a tab, written by its event loop.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(crate) struct TabState {
    frames: frames::TabFrames,
    navigations: navigations::Navigations,
    dialog: Option<dialogs::OpenDialog>,
    console: console::ConsoleLog,
    network: network::NetworkLog,
    downloads: downloads::Downloads,
    chooser: Option<downloads::OpenFileChooser>,
    seen: observe::LastObservation,
    input: input::InputState,
    /// The last snapshot of the whole page, with the number of documents that had arrived by then.
    last_snapshot: Option<(u64, String)>,
    /// The last snapshot before most of the page was hidden, for example behind a modal dialog.
    hidden_snapshot: Option<(u64, String)>,
    /// True if acts do not wait for the page to settle; see [`Tab::set_hurried`].
    is_hurried: bool,
    /// The way in which acts look for popups; see [`Tab::set_popup_mode`].
    popups: PopupMode,
    /// The start of the acts after which no call has waited for the page to settle, and the part of the wait that is
    /// still due.
    pending_settle: Option<(settle::ActBaseline, settle::SettleScope)>,
    /// The title that the page reported when it was last waited for.
    reported_title: Option<title::ReportedTitle>,
    /// True if the element that was acted on last has an open list or menu that has not been reported.
    has_open_popup: bool,
    /// The ref of the element that was clicked since the last list of changes.
    clicked: Option<String>,
    /// Number of scripts and patterns of callers that are running; each has a time limit of its own.
    running_scripts: usize,
    has_crashed: bool,
    is_closed: bool,
}

impl Tab {
    /// Prepares a page that Chromium has just attached fumi to, resumes it if it waits for the debugger, and starts
    /// listening to its events.
    pub(crate) async fn attach(
        channel: Channel,
        info: TargetInfo,
        settings: Arc<TabSettings>,
    ) -> Result<Arc<Self>, BrowserError> {
        let main = FrameId(info.target_id.0.clone());
        let (pulse, _) = watch::channel(());
        let tab = Arc::new(Self {
            id: info.target_id.clone(),
            channel: channel.clone(),
            state: Mutex::new(TabState {
                frames: frames::TabFrames::new(main, info.url.clone(), &channel),
                navigations: navigations::Navigations::default(),
                dialog: None,
                console: console::ConsoleLog::default(),
                network: network::NetworkLog::default(),
                downloads: downloads::Downloads::default(),
                chooser: None,
                seen: observe::LastObservation::new(info.url),
                last_snapshot: None,
                hidden_snapshot: None,
                input: input::InputState::default(),
                is_hurried: false,
                popups: PopupMode::default(),
                pending_settle: None,
                reported_title: None,
                has_open_popup: false,
                clicked: None,
                running_scripts: 0,
                has_crashed: false,
                is_closed: false,
            }),
            pulse,
            settings,
        });
        tab.permit_downloads(info.browser_context_id.as_ref());
        events::listen(&tab, channel, events::TargetKind::Page).await?;
        Ok(tab)
    }

    /// Returns the id of the target, which is also the id of the main frame.
    pub fn id(&self) -> &TargetId {
        &self.id
    }

    /// Returns the URL of the main frame.
    pub fn url(&self) -> String {
        self.main().url()
    }

    pub fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    /// Returns the title as of the last observation.
    pub(crate) fn last_title(&self) -> String {
        self.state().seen.title().to_owned()
    }

    /// Returns the session of the page.
    pub(crate) fn page(&self) -> &Channel {
        &self.channel
    }

    pub(crate) fn settings(&self) -> &TabSettings {
        &self.settings
    }

    pub(crate) fn main(&self) -> Arc<TabFrame> {
        Arc::clone(self.state().frames.main())
    }

    /// Returns all frames, parents before their children.
    pub(crate) fn frames(&self) -> Vec<Arc<TabFrame>> {
        self.state().frames.in_order()
    }

    pub(crate) fn frame(&self, id: &FrameId) -> Option<Arc<TabFrame>> {
        self.state().frames.get(id).cloned()
    }

    /// Records the element that a click goes to; `None` takes the record away. Returns the earlier record.
    pub(crate) fn record_click(&self, reference: Option<String>) -> Option<String> {
        std::mem::replace(&mut self.state().clicked, reference)
    }

    /// Stores a snapshot of the whole page. Returns the snapshot before it, and the one from before most of the page was
    /// hidden, if the page is back now.
    pub(crate) fn remember_snapshot(&self, text: String) -> (Option<String>, Option<String>) {
        let state = &mut *self.state();
        let arrived = state.navigations.arrived;
        let lines = text.lines().count();
        let last = state.last_snapshot.replace((arrived, text));
        let is_hidden = |(then, earlier): &(u64, String)| *then == arrived && earlier.lines().count() > 2 * lines;
        match state.hidden_snapshot.take() {
            Some(hidden) if is_hidden(&hidden) => state.hidden_snapshot = Some(hidden),
            Some((then, hidden)) if then == arrived => return (last.map(|(_, before)| before), Some(hidden)),
            _ => state.hidden_snapshot = last.as_ref().filter(|last| is_hidden(last)).cloned(),
        }
        (last.map(|(_, before)| before), None)
    }

    /// True if a snapshot of the current document was taken.
    pub fn has_snapshot(&self) -> bool {
        let state = self.state();
        let arrived = state.navigations.arrived;
        state.last_snapshot.as_ref().is_some_and(|(then, _)| *then == arrived)
    }

    fn state(&self) -> MutexGuard<'_, TabState> {
        self.state.lock()
    }

    /// Changes the state and wakes all waiting operations.
    fn change(&self, change: impl FnOnce(&mut TabState)) {
        change(&mut self.state());
        self.pulse.send_replace(());
    }

    /// Waits until `look` returns a value. Checks the state now and after every event.
    async fn until<R>(&self, mut look: impl FnMut(&mut TabState) -> Option<R>) -> R {
        let mut pulses = self.pulse.subscribe();
        loop {
            if let Some(found) = look(&mut self.state()) {
                return found;
            }
            if pulses.changed().await.is_err() {
                // Cannot happen: the tab owns the sender.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Returns an error if the page is blocked.
    pub(crate) fn check_readable(&self) -> Result<(), BrowserError> {
        self.state().blocking_error().map_or(Ok(()), Err)
    }

    /// Waits until the page is blocked: by a dialog, a crash, or the end of the tab.
    async fn stop(&self) -> BrowserError {
        self.until(|state| state.blocking_error()).await
    }

    /// Runs `work`, which needs the page to answer. Returns an error as soon as a dialog opens, the tab crashes or
    /// closes, or the page has answered nothing for a while.
    pub(crate) async fn unless_blocked<T>(
        &self,
        work: impl Future<Output = Result<T, BrowserError>>,
    ) -> Result<T, BrowserError> {
        tokio::select! {
            biased;
            done = work => match done {
                Err(BrowserError::ChromiumRefused { reason: CallError::Gone { .. } }) if self.is_detached() => {
                    // The session ends a moment before the tab has handled all earlier events.
                    self.until(|state| state.is_closed.then_some(())).await;
                    Err(BrowserError::TabClosed)
                }
                done => done,
            },
            stop = self.stop() => Err(stop),
            // On the heap: every operation holds this future, and few need it.
            reason = Box::pin(self.until_unresponsive()) => Err(reason),
        }
    }

    /// True if Chromium has detached the page.
    fn is_detached(&self) -> bool {
        let session = self.channel.session();
        session.is_none_or(|session| !self.channel.connection().is_attached(session))
    }
}

impl TabState {
    /// Returns an error if the page is one that no caller may open.
    fn denied_document(&self) -> Option<BrowserError> {
        let url = &self.frames.main().inner().url;
        denial_of_shown(url).map(|Denial(reason)| BrowserError::UrlDenied { url: url.clone(), reason })
    }

    fn blocking_error(&self) -> Option<BrowserError> {
        if self.is_closed {
            Some(BrowserError::TabClosed)
        } else if self.has_crashed {
            let url = self.frames.main().inner().url.clone();
            Some(BrowserError::TabCrashed { url })
        } else if let Some(denied) = self.denied_document() {
            Some(denied)
        } else {
            self.dialog.as_ref().and_then(dialogs::OpenDialog::blocking_error)
        }
    }
}

#[cfg(test)]
#[path = "../tests/tab/mod.rs"]
mod tests;
