//! The navigation state of a tab: the navigations that began, the documents that arrived with their statuses, and how
//! far they have loaded.
//!
//! Written by events only. Starting navigations and waiting for them is in `navigate.rs` and `settle.rs`.

use std::collections::VecDeque;

use tokio::time::Instant;

use super::{
    TabState,
    frames::{PendingDocument, TabFrames},
};
use crate::devtools::{
    Channel, RawEvent,
    protocol::page::{
        FrameNavigated, FrameRequestedNavigation, FrameStartedNavigating, FrameStoppedLoading, LifecycleEvent,
        LoaderId, NavigatedWithinDocument,
    },
};

/// The number of documents whose status is remembered: enough for the frames that load at the same time.
const STATUSES: usize = 64;
/// The maximum number of redirects that are recorded; Chromium gives up at 20.
const REDIRECTS: usize = 20;

/// The counters and documents of a tab's navigations.
#[derive(Debug, Default)]
pub(super) struct Navigations {
    /// Number of navigations that began, or were requested by a page, in any frame. Never decreases.
    pub(super) begun: u64,
    /// Number of documents that arrived in the main frame. Never decreases.
    pub(super) arrived: u64,
    /// Number of changes of the main frame's URL within its document. Never decreases.
    pub(super) within: u64,
    /// True if a navigation of the main frame was requested and has not begun yet.
    pub(super) is_asked: bool,
    documents: VecDeque<(LoaderId, DocumentRecord)>,
}

/// The network's data about a document.
#[derive(Clone, Debug, Default)]
pub(super) struct DocumentRecord {
    pub(super) status: Option<u16>,
    pub(super) redirects: Vec<String>,
    /// The URL that the last redirect led to.
    pub(super) led_to: Option<String>,
    /// True if the document is, or was, in the main frame. This includes the error page of a failed document.
    has_arrived: bool,
}

impl Navigations {
    /// Returns the data of a document, or a new entry if there is none.
    pub(super) fn document(&mut self, loader: &LoaderId) -> &mut DocumentRecord {
        let at = if let Some(at) = self.documents.iter().position(|(known, _)| known == loader) {
            at
        } else {
            if self.documents.len() == STATUSES {
                self.documents.pop_front();
            }
            self.documents.push_back((loader.clone(), DocumentRecord::default()));
            self.documents.len() - 1
        };
        &mut self.documents[at].1
    }

    /// Records that the main frame is about to navigate.
    pub(super) fn asked(&mut self) {
        self.begun += 1;
        self.is_asked = true;
    }

    pub(super) fn known(&self, loader: &LoaderId) -> Option<&DocumentRecord> {
        self.documents.iter().find(|(known, _)| known == loader).map(|(_, document)| document)
    }

    /// True if the document has arrived in the main frame.
    pub(super) fn has_arrived(&self, loader: &LoaderId) -> bool {
        self.known(loader).is_some_and(|document| document.has_arrived)
    }

    pub(super) fn redirected(&mut self, loader: &LoaderId, from: String, to: String) {
        let document = self.document(loader);
        document.led_to = Some(to);
        if document.redirects.len() < REDIRECTS {
            document.redirects.push(from);
        }
    }
}

impl TabState {
    pub(super) fn on_navigation_event(&mut self, channel: &Channel, event: &RawEvent) {
        match &*event.method {
            "Page.frameRequestedNavigation" => {
                if let Some(asked) = event.get::<FrameRequestedNavigation>()
                    && asked.disposition == "currentTab"
                {
                    if asked.frame_id == self.frames.main().id {
                        self.navigations.asked();
                    } else {
                        self.navigations.begun += 1;
                    }
                }
            }
            "Page.frameStartedNavigating" => {
                if let Some(started) = event.get::<FrameStartedNavigating>() {
                    self.navigation_started(started);
                }
            }
            "Page.frameNavigated" => {
                if let Some(FrameNavigated { frame, kind }) = event.get() {
                    let is_main = frame.id == self.frames.main().id;
                    let loader = frame.loader_id.clone();
                    self.frames.navigated(frame, kind == "BackForwardCacheRestore", channel);
                    if is_main {
                        self.navigations.arrived += 1;
                        self.navigations.document(&loader).has_arrived = true;
                        self.navigations.is_asked = false;
                        self.has_crashed = false;
                        self.chooser = None;
                        self.console.next_page();
                        self.network.next_page();
                    }
                }
            }
            "Page.navigatedWithinDocument" => {
                if let Some(NavigatedWithinDocument { frame_id, url }) = event.get()
                    && let Some(frame) = self.frames.get(&frame_id)
                {
                    frame.inner().url = url;
                    if frame.number == 0 {
                        self.navigations.within += 1;
                        self.navigations.is_asked = false;
                    }
                }
            }
            "Page.frameStoppedLoading" => {
                if let Some(FrameStoppedLoading { frame_id }) = event.get() {
                    self.stopped_loading(&frame_id);
                }
            }
            "Page.lifecycleEvent" => {
                if let Some(further) = event.get::<LifecycleEvent>() {
                    record_lifecycle(&self.frames, &further);
                }
            }
            _ => {}
        }
    }

    fn navigation_started(&mut self, started: FrameStartedNavigating) {
        // Navigations within a document are complete when they are reported.
        if matches!(started.navigation_type.as_str(), "sameDocument" | "historySameDocument") {
            return;
        }
        self.navigations.begun += 1;
        let Some(frame) = self.frames.get(&started.frame_id) else {
            return;
        };
        if frame.number == 0 {
            self.navigations.is_asked = false;
        }
        frame.inner().loading.coming =
            Some(PendingDocument { loader: started.loader_id, url: started.url, since: Instant::now() });
    }

    /// Records that a frame has stopped loading: its pending document arrived, failed, or became a download.
    fn stopped_loading(&mut self, frame: &crate::devtools::protocol::page::FrameId) {
        let Some(frame) = self.frames.get(frame) else { return };
        frame.inner().loading.coming = None;
        if frame.number == 0 {
            self.navigations.is_asked = false;
        }
    }

    /// Records that the main frame keeps its document, because leaving it was declined. Chromium reports no end of a
    /// navigation that a page has started.
    pub(super) fn stays(&mut self) {
        self.navigations.is_asked = false;
        self.frames.main().inner().loading.coming = None;
    }

    /// Records that the request of a document failed before the document arrived.
    pub(super) fn document_failed(&mut self, loader: &LoaderId) {
        for frame in self.frames.in_order() {
            let mut inner = frame.inner();
            if inner.loading.coming.as_ref().is_some_and(|coming| coming.loader == *loader) {
                inner.loading.coming = None;
            }
        }
    }

    /// True if the main frame's document is loaded and no newer one is pending.
    pub(super) fn is_loaded(&self) -> bool {
        let inner = self.frames.main().inner();
        inner.loading.is_loaded && inner.loading.coming.is_none() && !self.navigations.is_asked
    }
}

fn record_lifecycle(frames: &TabFrames, further: &LifecycleEvent) {
    let Some(frame) = frames.get(&further.frame_id) else {
        return;
    };
    let mut inner = frame.inner();
    match further.name.as_str() {
        "init"
            // This event comes before the navigation is reported.
            if inner.loader != further.loader_id => {
                inner.loader = further.loader_id.clone();
                (inner.loading.is_ready, inner.loading.is_loaded) = (false, false);
            }
        "DOMContentLoaded" if inner.loader == further.loader_id => inner.loading.is_ready = true,
        "load" if inner.loader == further.loader_id => {
            (inner.loading.is_ready, inner.loading.is_loaded) = (true, true);
        }
        _ => {}
    }
}
