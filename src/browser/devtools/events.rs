//! The events of one session, in order: from who reads the pipe to who looks at them.
//!
//! A queue has no end, since none may be lost on which the state of a tab depends; what pages write at will is dropped where
//! it is not read fast enough.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::value::RawValue;
use tokio::sync::mpsc;

use super::{Happening, SessionId};

/// What pages write at will is dropped while so many events of their session wait.
const MOST: usize = 10_000;

/// The same for the bytes of what waits.
const MOST_BYTES: usize = 64 << 20;

/// What pages write at will, as often and as much as they like.
const AT_WILL: [&str; 3] = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"];

/// Something that happened, its parameters still as text.
#[derive(Debug)]
pub struct Event {
    /// The protocol's name.
    pub method: Box<str>,
    params: Option<Box<RawValue>>,
}

impl Event {
    /// The parameters, if it is this kind of event. One that cannot be read is logged and passed over: new versions of
    /// Chromium add values.
    #[must_use]
    pub fn get<H: Happening>(&self) -> Option<H> {
        if *self.method != *H::METHOD {
            return None;
        }
        let params = self.params.as_deref().map_or("{}", RawValue::get);
        serde_json::from_str(params)
            .inspect_err(|error| tracing::warn!(method = H::METHOD, %error, "an event of another form"))
            .ok()
    }
}

impl Event {
    fn bytes(&self) -> usize {
        self.params.as_deref().map_or(0, |params| params.get().len())
    }
}

/// The events of one session, in order.
#[derive(Debug)]
pub struct Events {
    queue: mpsc::UnboundedReceiver<Event>,
    load: Arc<Load>,
}

impl Events {
    /// The next one; none when the session has ended.
    pub async fn recv(&mut self) -> Option<Event> {
        let event = self.queue.recv().await?;
        self.load.events.fetch_sub(1, Ordering::Relaxed);
        self.load.bytes.fetch_sub(event.bytes(), Ordering::Relaxed);
        Some(event)
    }

    /// Those of a session that has none.
    pub(super) fn ended() -> Self {
        Self {
            queue: mpsc::unbounded_channel().1,
            load: Arc::default(),
        }
    }
}

/// What waits.
#[derive(Debug, Default)]
struct Load {
    events: AtomicUsize,
    bytes: AtomicUsize,
}

/// Events of a session that somebody takes, or will: until then they wait.
#[derive(Debug)]
pub(super) struct Stream {
    /// The session by which this one was told; it does not outlive that.
    pub(super) parent: Option<SessionId>,
    sender: mpsc::UnboundedSender<Event>,
    load: Arc<Load>,
    waiting: Option<Events>,
}

impl Stream {
    pub(super) fn new(parent: Option<SessionId>) -> Self {
        let (sender, queue) = mpsc::unbounded_channel();
        let load = Arc::<Load>::default();
        Self {
            parent,
            sender,
            load: Arc::clone(&load),
            waiting: Some(Events { queue, load }),
        }
    }

    /// Gives the events to the one who takes them.
    pub(super) fn take(&mut self) -> Option<Events> {
        self.waiting.take()
    }

    pub(super) fn send(&self, method: Box<str>, params: Option<Box<RawValue>>) {
        let event = Event { method, params };
        let Load { events, bytes } = &*self.load;
        let is_full = events.load(Ordering::Relaxed) >= MOST || bytes.load(Ordering::Relaxed) >= MOST_BYTES;
        if is_full && AT_WILL.contains(&&*event.method) {
            tracing::trace!(method = event.method, "a page writes too much");
            return;
        }
        events.fetch_add(1, Ordering::Relaxed);
        bytes.fetch_add(event.bytes(), Ordering::Relaxed);
        // Nobody may read it any more.
        let _ = self.sender.send(event);
    }
}
