//! The event queue of one session, between the task that reads the pipe and the consumer.
//!
//! The queue is unbounded, because the state of a tab depends on every event. Only events that a page can produce in
//! any number ([`UNBOUNDED_EVENTS`]) are dropped while the consumer falls behind.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::value::RawValue;
use tokio::sync::mpsc;

use super::{DevtoolsSessionId, ProtocolEvent};

/// Events of one session that may be queued before those in [`UNBOUNDED_EVENTS`] are dropped.
const MOST: usize = 10_000;

/// Bytes of parameters that may be queued before events in [`UNBOUNDED_EVENTS`] are dropped.
const MOST_BYTES: usize = 64 << 20;

/// The events that a page can produce in any number and of any size.
const UNBOUNDED_EVENTS: [&str; 3] = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"];

/// An event whose parameters have not been parsed yet.
#[derive(Debug)]
pub struct RawEvent {
    /// The protocol's name of the event.
    pub method: Box<str>,
    params: Option<Box<RawValue>>,
}

impl RawEvent {
    /// Returns the parameters if this is an event of type `H`. Parameters that cannot be parsed are logged and yield
    /// `None`, because new versions of Chromium add values.
    pub fn get<H: ProtocolEvent>(&self) -> Option<H> {
        if *self.method != *H::METHOD {
            return None;
        }
        let params = self.params.as_deref().map_or("{}", RawValue::get);
        serde_json::from_str(params)
            .inspect_err(|error| tracing::warn!(method = H::METHOD, %error, "an event has an unexpected form"))
            .ok()
    }
}

impl RawEvent {
    fn bytes(&self) -> usize {
        self.params.as_deref().map_or(0, |params| params.get().len())
    }
}

/// The events of one session, in the order in which Chromium sent them.
#[derive(Debug)]
pub struct EventStream {
    queue: mpsc::UnboundedReceiver<RawEvent>,
    load: Arc<QueueLoad>,
}

impl EventStream {
    /// Waits for the next event. Returns `None` when the session has ended.
    pub async fn recv(&mut self) -> Option<RawEvent> {
        let event = self.queue.recv().await?;
        self.load.events.fetch_sub(1, Ordering::Relaxed);
        self.load.bytes.fetch_sub(event.bytes(), Ordering::Relaxed);
        Some(event)
    }

    /// Returns the empty stream of a session that has ended.
    pub(super) fn ended() -> Self {
        Self { queue: mpsc::unbounded_channel().1, load: Arc::default() }
    }
}

/// The number and the size of the queued events.
#[derive(Debug, Default)]
struct QueueLoad {
    events: AtomicUsize,
    bytes: AtomicUsize,
}

/// The sending half of a session's event queue. Until a consumer takes the events, they are queued here.
#[derive(Debug)]
pub(super) struct EventQueue {
    /// The session below which this one was attached; this one ends with it.
    pub(super) parent: Option<DevtoolsSessionId>,
    sender: mpsc::UnboundedSender<RawEvent>,
    load: Arc<QueueLoad>,
    waiting: Option<EventStream>,
}

impl EventQueue {
    pub(super) fn new(parent: Option<DevtoolsSessionId>) -> Self {
        let (sender, queue) = mpsc::unbounded_channel();
        let load = Arc::<QueueLoad>::default();
        Self { parent, sender, load: Arc::clone(&load), waiting: Some(EventStream { queue, load }) }
    }

    /// Returns the events to their consumer; `None` if they were taken already.
    pub(super) fn take(&mut self) -> Option<EventStream> {
        self.waiting.take()
    }

    pub(super) fn send(&self, method: Box<str>, params: Option<Box<RawValue>>) {
        let event = RawEvent { method, params };
        let QueueLoad { events, bytes } = &*self.load;
        let is_full = events.load(Ordering::Relaxed) >= MOST || bytes.load(Ordering::Relaxed) >= MOST_BYTES;
        if is_full && UNBOUNDED_EVENTS.contains(&&*event.method) {
            tracing::trace!(method = event.method, "a page causes too many events; dropping some");
            return;
        }
        events.fetch_add(1, Ordering::Relaxed);
        bytes.fetch_add(event.bytes(), Ordering::Relaxed);
        // The consumer may have been dropped.
        let _ = self.sender.send(event);
    }
}
