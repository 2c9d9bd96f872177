//! The streams of a session's requests, buffered so that a client whose connection broke can resume them
//! (`Last-Event-ID`).
//!
//! Invariants: a request continues without its reader, and the id of an event names its request, so that a lost result
//! is answered with an error for that request, by another process too. The buffers are bounded: the last events of a
//! running request, the results of the last calls of a session, and their bytes over all sessions. Only calls are kept
//! after their end; every other request only reads and can be sent again.

use std::{
    collections::VecDeque,
    fmt, io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{
            AtomicBool, AtomicUsize,
            Ordering::{self, Relaxed},
        },
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use fumi_base::text::Locale;
use futures_core::Stream;
use parking_lot::{Mutex, MutexGuard};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, GetExtensions as _, RequestId, ServerJsonRpcMessage},
    transport::streamable_http_server::session::ServerSseMessage,
};
use tokio::sync::mpsc;

use super::{
    log_messages,
    protocol_error::{McpError, to_protocol_error},
};

/// The number of events of one stream that are kept, and that may wait for a reader.
const EVENTS: usize = 256;
/// The number of finished calls of one session that are kept.
const FINISHED: usize = 16;
/// The time for which a finished call is kept. Clients reconnect within seconds; a laptop that slept, within minutes.
const KEPT: Duration = Duration::from_mins(5);
/// The bytes of finished calls that are kept, over all sessions.
const BYTES: usize = 32 << 20;
/// The longest request id that an event carries, in bytes of JSON. Streams of longer ones have no event ids.
const LONGEST_ID: usize = 256;
/// The time that a client should wait before it reconnects.
const RETRY: Duration = Duration::from_secs(1);
/// The first protocol version in which streams begin with an empty event. Older clients treat it as broken JSON; the
/// streams of their calls begin with a log message instead. Without an event that has an id, a client whose stream
/// breaks does not reconnect, and waits for its own timeout.
const PRIMED_SINCE: &str = "2025-11-25";

/// The id of an event: its index in the stream, the stream, and the request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EventId {
    index: usize,
    /// The random id of the stream, which distinguishes streams of an earlier process from those of this one.
    stream: u64,
    /// The JSON-RPC id of the request that the stream answers.
    pub(super) request: RequestId,
}

impl EventId {
    /// Parses an event id. Returns `None` if it is not an id of a request's stream.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let id = Self {
            index: parts.next()?.parse().ok()?,
            stream: u64::from_str_radix(parts.next()?, 16).ok()?,
            request: serde_json::from_slice(&URL_SAFE_NO_PAD.decode(parts.next()?).ok()?).ok()?,
        };
        parts.next().is_none().then_some(id)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let request = serde_json::to_vec(&self.request).unwrap_or_default();
        write!(f, "{}/{:016x}/{}", self.index, self.stream, URL_SAFE_NO_PAD.encode(request))
    }
}

/// The properties of a request that its stream needs.
pub(super) struct StreamRequest {
    id: RequestId,
    is_call: bool,
    is_primed: bool,
}

impl StreamRequest {
    /// Returns `None` for a message that is not a request.
    pub(super) fn from_message(message: &ClientJsonRpcMessage) -> Option<Self> {
        let ClientJsonRpcMessage::Request(request) = message else {
            return None;
        };
        let parts = request.request.extensions().get::<http::request::Parts>();
        let version = parts.and_then(|parts| parts.headers.get("mcp-protocol-version")?.to_str().ok());
        Some(Self {
            id: request.id.clone(),
            is_call: matches!(request.request, ClientRequest::CallToolRequest(_)),
            is_primed: version.is_some_and(|version| version >= PRIMED_SINCE),
        })
    }
}

/// The bytes of finished calls, over all sessions.
#[derive(Clone, Debug, Default)]
pub(super) struct ReplayBudget(Arc<AtomicUsize>);

/// Reserved bytes, released on drop.
#[derive(Debug)]
struct ReservedBytes(ReplayBudget, usize);

impl ReplayBudget {
    fn take(&self, bytes: usize) -> Option<ReservedBytes> {
        let more = |taken: usize| taken.checked_add(bytes).filter(|taken| *taken <= BYTES);
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).ok()?;
        Some(ReservedBytes(self.clone(), bytes))
    }
}

impl Drop for ReservedBytes {
    fn drop(&mut self) {
        self.0.0.fetch_sub(self.1, Ordering::SeqCst);
    }
}

/// The streams of one session.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// The streams, oldest first. Locked for short sections without `.await`.
    kept: Mutex<VecDeque<ReplayStream>>,
    room: ReplayBudget,
    is_quiet: AtomicBool,
    /// The random prefix of the events of the session's listener.
    listener: u64,
}

#[derive(Debug)]
struct ReplayStream {
    stream: u64,
    request: RequestId,
    is_call: bool,
    has_ids: bool,
    /// The index of the next event.
    next: usize,
    events: VecDeque<ServerSseMessage>,
    reader: Option<mpsc::Sender<ServerSseMessage>>,
    /// True once the result was sent: the client may use the id again, although the stream has not ended yet.
    is_answered: bool,
    finished: Option<(Instant, ReservedBytes)>,
}

impl ReplayStream {
    fn id(&self, index: usize) -> Option<String> {
        self.has_ids.then(|| {
            let id = EventId { index, stream: self.stream, request: self.request.clone() };
            id.to_string()
        })
    }

    /// Returns its size in memory, measured as JSON.
    fn bytes(&self) -> usize {
        let mut counted = ByteCounter(0);
        for message in self.events.iter().filter_map(|event| event.message.as_deref()) {
            // Counting cannot fail, and a message that cannot be serialized is not sent either.
            let _ = serde_json::to_writer(&mut counted, message);
        }
        counted.0
    }
}

struct ByteCounter(usize);

impl io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The writing end of a request's stream. Dropping it finishes the stream.
#[derive(Debug)]
pub(super) struct ReplayWriter {
    replay: Arc<Replay>,
    stream: u64,
}

/// The events of a stream for one connection.
#[derive(Debug)]
pub(super) struct ReplayReader(mpsc::Receiver<ServerSseMessage>);

impl Stream for ReplayReader {
    type Item = ServerSseMessage;
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}

impl ReplayReader {
    /// Returns a stream that answers a request with an error, and ends.
    pub(super) fn from_error(request: RequestId, fault: McpError) -> Self {
        let error = ServerJsonRpcMessage::error(to_protocol_error(&fault.into(), Locale::default()), Some(request));
        let (sender, receiver) = mpsc::channel(1);
        let _ = sender.try_send(ServerSseMessage::from_message(error));
        Self(receiver)
    }
}

impl Replay {
    pub(super) fn new(room: &ReplayBudget) -> Arc<Self> {
        Arc::new(Self { room: room.clone(), listener: getrandom::u64().unwrap_or_default(), ..Self::default() })
    }

    /// Returns the prefix of the ids of the listener's events. rmcp counts these from 0 in each process, so that the id of
    /// an earlier process would be taken for one of this.
    pub(super) fn listener(&self) -> String {
        format!("{:016x}-", self.listener)
    }

    /// Sets whether the client wants no log messages of the level `debug`.
    pub(super) fn set_quiet(&self, is_quiet: bool) {
        self.is_quiet.store(is_quiet, Relaxed);
    }

    /// True if the client wants no log messages of the level `debug`.
    pub(super) fn is_quiet(&self) -> bool {
        self.is_quiet.load(Relaxed)
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<ReplayStream>> {
        self.kept.lock()
    }

    /// Begins the stream of a request; an error if a request with the same id is running.
    pub(super) fn begin(self: &Arc<Self>, asked: StreamRequest) -> Result<(ReplayWriter, ReplayReader), ReplayReader> {
        let mut kept = self.kept();
        let is_running = |kept: &ReplayStream| !kept.is_answered && kept.finished.is_none() && kept.request == asked.id;
        if kept.iter().any(is_running) {
            return Err(ReplayReader::from_error(asked.id, McpError::RequestIdInUse));
        }
        let stream = getrandom::u64().unwrap_or_default();
        let (sender, receiver) = mpsc::channel(EVENTS);
        let has_ids = serde_json::to_vec(&asked.id).is_ok_and(|id| id.len() <= LONGEST_ID);
        let begun = ReplayStream {
            stream,
            request: asked.id,
            is_call: asked.is_call,
            has_ids,
            next: 1,
            events: VecDeque::new(),
            reader: None,
            is_answered: false,
            finished: None,
        };
        if let Some(id) = begun.id(0) {
            if asked.is_primed {
                let _ = sender.try_send(ServerSseMessage::priming(id, RETRY));
            } else if begun.is_call && !self.is_quiet.load(Relaxed) {
                let _ = sender.try_send(ServerSseMessage::new(id, log_messages::begun()));
            }
        }
        kept.push_back(ReplayStream { reader: Some(sender), ..begun });
        let replay = Arc::clone(self);
        Ok((ReplayWriter { replay, stream }, ReplayReader(receiver)))
    }

    /// Returns the events after an event id; `None` if its stream is not kept.
    pub(super) fn resume(&self, after: &EventId) -> Option<ReplayReader> {
        let mut kept = self.kept();
        let stream = kept.iter_mut().find(|kept| kept.stream == after.stream && kept.request == after.request)?;
        // Capacity for all buffered events, and for as many new ones.
        let (sender, receiver) = mpsc::channel(2 * EVENTS);
        let first = stream.next - stream.events.len();
        let seen = after.index.saturating_add(1).saturating_sub(first);
        for event in stream.events.iter().skip(seen) {
            let _ = sender.try_send(event.clone());
        }
        if stream.finished.is_none() {
            stream.reader = Some(sender);
        }
        Some(ReplayReader(receiver))
    }

    /// Drops finished calls whose time is over.
    pub(super) fn drop_expired(&self) {
        self.kept().retain(|kept| kept.finished.as_ref().is_none_or(|(at, _)| at.elapsed() < KEPT));
    }

    fn finish(&self, stream: u64) {
        let mut all = self.kept();
        let Some(at) = all.iter().position(|kept| kept.stream == stream) else {
            return;
        };
        let Some(mut done) = all.remove(at) else { return };
        done.reader = None;
        if !done.is_call || !done.has_ids {
            return;
        }
        let is_finished = |kept: &ReplayStream| kept.finished.is_some();
        if all.iter().filter(|kept| is_finished(kept)).count() >= FINISHED
            && let Some(oldest) = all.iter().position(is_finished)
        {
            all.remove(oldest);
        }
        let bytes = done.bytes();
        loop {
            if let Some(taken) = self.room.take(bytes) {
                done.finished = Some((Instant::now(), taken));
                all.push_back(done);
                return;
            }
            // Older results of this session are dropped for the new one; those of other sessions stay.
            let Some(oldest) = all.iter().position(is_finished) else {
                return;
            };
            all.remove(oldest);
        }
    }
}

impl ReplayWriter {
    /// Appends an event, and sends it to the reader if one is connected.
    pub(super) fn push(&self, mut event: ServerSseMessage) {
        let mut all = self.replay.kept();
        let Some(kept) = all.iter_mut().find(|kept| kept.stream == self.stream) else {
            return;
        };
        event.event_id = kept.id(kept.next);
        kept.next += 1;
        kept.is_answered |= is_result(&event);
        if kept.events.len() == EVENTS {
            kept.events.pop_front();
        }
        kept.events.push_back(event.clone());
        // The reader is disconnected or does not read; it can resume.
        if kept.reader.as_ref().is_some_and(|reader| reader.try_send(event).is_err()) {
            kept.reader = None;
        }
    }

    /// Appends all events of a stream.
    pub(super) async fn write_all(self, events: impl Stream<Item = ServerSseMessage>) {
        let mut events = Box::pin(events);
        while let Some(event) = std::future::poll_fn(|context| events.as_mut().poll_next(context)).await {
            self.push(event);
        }
    }
}

/// True if an event contains the result of the request.
fn is_result(event: &ServerSseMessage) -> bool {
    matches!(event.message.as_deref(), Some(ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)))
}

impl Drop for ReplayWriter {
    fn drop(&mut self) {
        self.replay.finish(self.stream);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rmcp::{
        model::{ErrorData, RequestId, ServerJsonRpcMessage},
        transport::streamable_http_server::session::ServerSseMessage,
    };

    use super::{BYTES, EVENTS, EventId, FINISHED, Replay, ReplayBudget, ReplayReader, ReplayWriter, StreamRequest};

    fn begin(replay: &Arc<Replay>, id: i64) -> (ReplayWriter, ReplayReader) {
        let asked = StreamRequest { id: RequestId::Number(id), is_call: true, is_primed: false };
        replay.begin(asked).expect("no other has this id")
    }

    fn event(text: &str) -> ServerSseMessage {
        let error = ErrorData::internal_error(text.to_owned(), None);
        ServerSseMessage::from_message(ServerJsonRpcMessage::error(error, None))
    }

    fn read(reader: &mut ReplayReader) -> Vec<EventId> {
        let events = std::iter::from_fn(|| reader.0.try_recv().ok());
        events.filter_map(|event| EventId::parse(&event.event_id.expect("an id"))).collect()
    }

    #[test]
    fn event_id_round_trips_and_rejects_other_text() {
        for request in [RequestId::Number(-7), RequestId::String("a/\n\"ü".into())] {
            let id = EventId { index: 3, stream: u64::MAX, request };
            assert!(id.to_string().is_ascii());
            assert_eq!(EventId::parse(&id.to_string()), Some(id));
        }
        // Every id of a stream has the same width.
        let id = EventId { index: 0, stream: 1, request: RequestId::Number(1) };
        assert_eq!(id.to_string(), "0/0000000000000001/MQ");
        for other in ["", "7", "3/5", "3/5/", "x/5/Nw", "3/5/Nw/1", "3/5/bnVsbA"] {
            assert_eq!(EventId::parse(other), None, "{other}");
        }
    }

    #[test]
    fn the_last_events_of_a_stream_are_kept() {
        let replay = Replay::new(&ReplayBudget::default());
        let (writer, mut reader) = begin(&replay, 1);
        writer.push(event("first"));
        let first = read(&mut reader).remove(0);
        for _ in 0..EVENTS + 9 {
            writer.push(event("more"));
        }
        let mut again = replay.resume(&first).expect("it is kept");
        let ids = read(&mut again);
        assert_eq!((ids.len(), ids[0].index), (EVENTS, 11));
        writer.push(event("last"));
        assert_eq!(read(&mut again)[0].index, EVENTS + 11);
    }

    /// A client may send the next request as soon as it has read the result, before the stream has ended.
    #[test]
    fn id_is_free_as_soon_as_its_result_was_sent() {
        let replay = Replay::new(&ReplayBudget::default());
        let again = || StreamRequest { id: RequestId::Number(1), is_call: true, is_primed: false };
        let (first, _reader) = begin(&replay, 1);
        assert!(replay.begin(again()).is_err(), "it is running");
        first.push(event("done"));
        let (second, _reader) = replay.begin(again()).expect("it is answered");
        assert!(replay.begin(again()).is_err(), "the second is running");
        drop(first);
        assert!(replay.begin(again()).is_err(), "the end of the first does not end the second");
        drop(second);
    }

    #[test]
    fn finished_calls_are_bounded_in_number_and_in_bytes() {
        let room = ReplayBudget::default();
        let replay = Replay::new(&room);
        for id in 0..100 {
            begin(&replay, id).0.push(event("done"));
        }
        assert_eq!(replay.kept().len(), FINISHED);
        begin(&replay, 100).0.push(event(&"x".repeat(BYTES - 100)));
        assert_eq!(replay.kept().len(), 1, "the new result replaced the others");
        begin(&replay, 101).0.push(event(&"x".repeat(BYTES + 1)));
        assert_eq!(replay.kept().len(), 0, "it does not fit at all");
        assert_eq!(room.0.load(std::sync::atomic::Ordering::SeqCst), 0);
    }
}
