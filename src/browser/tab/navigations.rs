//! What is told of navigations: which began, what arrived with which status, and how far the documents are.
//!
//! Written by events alone. Going somewhere, and waiting for it, is elsewhere.

use std::collections::VecDeque;

use super::{State, frames::Frames};
use crate::devtools::{
    Channel, Event,
    protocol::page::{
        FrameNavigated, FrameRequestedNavigation, FrameStartedNavigating, FrameStoppedLoading, LifecycleEvent,
        LoaderId, NavigatedWithinDocument,
    },
};

/// Documents whose status is remembered: those of the frames that load at the same time.
const STATUSES: usize = 64;
/// Redirects that are named; Chromium gives up at 20.
const REDIRECTS: usize = 20;

/// How often and where to frames went.
#[derive(Debug, Default)]
pub(super) struct Navigations {
    /// How many began, or were asked for by a page, in any frame. It only grows.
    pub(super) begun: u64,
    /// How many documents arrived in the main frame. It only grows.
    pub(super) arrived: u64,
    /// How many times the main frame's document got another URL. It only grows.
    pub(super) within: u64,
    /// The main frame was asked to navigate and nothing has begun yet.
    pub(super) is_asked: bool,
    documents: VecDeque<(LoaderId, Document)>,
}

/// What the network said of a document.
#[derive(Clone, Debug, Default)]
pub(super) struct Document {
    pub(super) status: Option<u16>,
    pub(super) redirects: Vec<String>,
    /// Where the last of them led.
    pub(super) led_to: Option<String>,
    /// It is, or was, in the main frame: what stands for one that failed too.
    has_arrived: bool,
}

impl Navigations {
    /// What is known of a document; a new entry if nothing is.
    pub(super) fn document(&mut self, loader: &LoaderId) -> &mut Document {
        let at = if let Some(at) = self.documents.iter().position(|(known, _)| known == loader) {
            at
        } else {
            if self.documents.len() == STATUSES {
                self.documents.pop_front();
            }
            self.documents.push_back((loader.clone(), Document::default()));
            self.documents.len() - 1
        };
        &mut self.documents[at].1
    }

    /// The main frame is about to navigate.
    pub(super) fn asked(&mut self) {
        self.begun += 1;
        self.is_asked = true;
    }

    pub(super) fn known(&self, loader: &LoaderId) -> Option<&Document> {
        self.documents
            .iter()
            .find(|(known, _)| known == loader)
            .map(|(_, document)| document)
    }

    /// Whether a document has come to the main frame.
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

impl State {
    pub(super) fn hear_navigation(&mut self, channel: &Channel, event: &Event) {
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
                    got_further(&self.frames, &further);
                }
            }
            _ => {}
        }
    }

    fn navigation_started(&mut self, started: FrameStartedNavigating) {
        // Those within a document are done when they are told.
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
        frame.inner().loading.coming = Some(started.loader_id);
    }

    /// Nothing of a frame is on its way any more: what was coming arrived, failed, or became a download.
    fn stopped_loading(&mut self, frame: &crate::devtools::protocol::page::FrameId) {
        let Some(frame) = self.frames.get(frame) else { return };
        frame.inner().loading.coming = None;
        if frame.number == 0 {
            self.navigations.is_asked = false;
        }
    }

    /// The request of a document failed before the document arrived.
    pub(super) fn document_failed(&mut self, loader: &LoaderId) {
        for frame in self.frames.in_order() {
            let mut inner = frame.inner();
            if inner.loading.coming.as_ref() == Some(loader) {
                inner.loading.coming = None;
            }
        }
    }

    /// Whether the main frame's document is there, and nothing newer is coming.
    pub(super) fn is_loaded(&self) -> bool {
        let inner = self.frames.main().inner();
        inner.loading.is_loaded && inner.loading.coming.is_none() && !self.navigations.is_asked
    }
}

fn got_further(frames: &Frames, further: &LifecycleEvent) {
    let Some(frame) = frames.get(&further.frame_id) else {
        return;
    };
    let mut inner = frame.inner();
    match further.name.as_str() {
        "init"
            // Comes before the navigation is told.
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
