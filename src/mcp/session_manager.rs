//! Sessions of the session era: a wrapper of rmcp's own manager.
//!
//! The wrapper adds an owner, a limit of sessions, an idle expiry that never ends a session while a call or a stream is
//! open, and a record in the store (`session_store.rs`) from which `session_restore.rs` restores a session that this
//! process does not have. A session ends for good when its client or the expiry ends it; a process that shuts down
//! leaves its record.

use std::{
    cell::Cell,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use fumi_base::store::StoreError;
use futures_core::Stream;
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, GetExtensions as _, ServerJsonRpcMessage},
    transport::streamable_http_server::{
        session::local::{LocalSessionManager, LocalSessionManagerError, SessionConfig},
        session::{EventStore, ServerSseMessage, SessionId, SessionManager},
    },
};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::{
    access,
    protocol_error::McpError,
    replay::{EventId, ReplayReader, StreamRequest},
    replica_renewal,
    session_registry::{OpenGuard, ReadySession, SessionEndReason, SessionRegistry, idle_of, round_interval},
    session_restore::{access_of, principal_of},
    session_store::SessionRecord,
};
use crate::app::App;

/// The number of locks for restoring, ending and expiring, over which the sessions are distributed.
const LOCKS: usize = 64;
/// The interval at which expired records are removed from the store.
const SWEEP: Duration = Duration::from_mins(10);

tokio::task_local! {
    /// Set if the request of this task ends its session. Otherwise the worker has ended: rmcp closes the session by the same
    /// call then.
    static ENDING: ();
    /// The reason why the request of this task was refused a session: the library does not report it.
    static REFUSAL: Cell<Option<SessionRefusal>>;
}

/// The reason why a session cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionRefusal {
    /// The limit of open sessions is reached.
    Full,
    /// The session cannot be stored, so that no other replica would know it.
    NotStored,
}

/// Runs the work of a request that opens a session. Returns the reason with the output if it was refused.
pub async fn detect_refusal<F: Future>(work: F) -> (F::Output, Option<SessionRefusal>) {
    let noticed = async {
        let done = work.await;
        (done, REFUSAL.with(Cell::get))
    };
    REFUSAL.scope(Cell::new(None), noticed).await
}

/// Keeps the reason of a refusal for [`detect_refusal`]. Does nothing outside of a request that opens a session.
fn keep_refusal(refusal: SessionRefusal) {
    let _ = REFUSAL.try_with(|kept| kept.set(Some(refusal)));
}

/// Runs the work of a request by which a client ends its session for good.
pub async fn ending<F: Future>(work: F) -> F::Output {
    ENDING.scope((), work).await
}

/// A stream that keeps its session open.
#[derive(Debug)]
struct GuardedStream<S> {
    inner: Pin<Box<S>>,
    /// The prefix of event ids, for a listener.
    prefix: String,
    /// The id of the last event that the client has: rmcp sends it again.
    seen: Option<String>,
    _open: OpenGuard,
}

impl<S: Stream<Item = ServerSseMessage>> Stream for GuardedStream<S> {
    type Item = ServerSseMessage;
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let mut event = ready!(self.inner.as_mut().poll_next(context));
            if let Some(id) = event.as_mut().and_then(|event| event.event_id.as_mut()) {
                id.insert_str(0, &self.prefix);
                if self.seen.take_if(|seen| seen == id).is_some() {
                    continue;
                }
            }
            return Poll::Ready(event);
        }
    }
}

/// Events from one of two sources.
type Boxed = Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>;

/// The manager that creates, restores and ends sessions for `rmcp`.
#[derive(Debug)]
pub struct McpSessionManager {
    inner: LocalSessionManager,
    app: Arc<App>,
    streams: Arc<SessionRegistry>,
    closing: CancellationToken,
    turns: Vec<Arc<Mutex<()>>>,
}

/// The error of a session that could not be served.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// An error of rmcp's manager.
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
    /// The limit of open sessions is reached.
    #[error("the server has {0} sessions open, its maximum; close one or try again later")]
    TooMany(usize),
    /// The beginning or the end of the session could not be stored.
    #[error("the session could not be stored: {0}")]
    Store(#[from] StoreError),
}

impl McpSessionManager {
    /// Creates a manager and starts the expiry, which ends when the manager is dropped. `closing` is cancelled when the
    /// process shuts down.
    pub fn new(app: &Arc<App>, streams: &Arc<SessionRegistry>, closing: CancellationToken) -> Arc<Self> {
        Self::with_idle(app, streams, closing, idle_of(app))
    }

    /// Creates a manager with another idle time than the configured one.
    pub fn with_idle(
        app: &Arc<App>,
        streams: &Arc<SessionRegistry>,
        closing: CancellationToken,
        idle: Duration,
    ) -> Arc<Self> {
        let mut inner = LocalSessionManager::default();
        let mut config = SessionConfig::default();
        // rmcp's own expiry counts from the last message and ends sessions in the middle of a call.
        config.keep_alive = None;
        // Streams are primed in the versions that have it.
        config.sse_retry = None;
        inner.session_config = config;
        let sessions = Arc::new(Self {
            inner,
            app: Arc::clone(app),
            streams: Arc::clone(streams),
            closing,
            turns: (0..LOCKS).map(|_| Arc::default()).collect(),
        });
        let weak = Arc::downgrade(&sessions);
        if let Some(replicas) = app.replicas.clone() {
            tokio::spawn(replica_renewal::keep_current(weak.clone(), replicas));
        }
        tokio::spawn(async move {
            let mut swept: Option<Instant> = None;
            loop {
                // At the start, because earlier processes may have left expired records.
                if swept.is_none_or(|at| at.elapsed() >= SWEEP) {
                    let Some(sessions) = weak.upgrade() else { return };
                    sessions.streams.stored().sweep().await;
                    swept = Some(Instant::now());
                }
                tokio::time::sleep(round_interval(idle)).await;
                let Some(sessions) = weak.upgrade() else { return };
                sessions.round(idle).await;
            }
        });
        sessions
    }

    /// Ends idle sessions, and extends the lifetimes of the rest.
    async fn round(&self, idle: Duration) {
        if self.app.replicas.as_ref().is_some_and(|replicas| !replicas.is_current()) {
            // Another replica may have taken over some of the sessions.
            return;
        }
        for id in self.streams.idle_for(idle) {
            self.expire(&id, idle).await;
        }
        self.streams.drop_expired_calls();
        self.streams.store_all_choices().await;
        for id in self.streams.untouched() {
            self.streams.touch_stored(&id).await;
        }
    }

    /// Ends a session for good unless it was used meanwhile.
    async fn expire(&self, id: &str, idle: Duration) {
        let _turn = self.lock(id).await;
        if !self.streams.is_idle(id, idle) {
            return;
        }
        tracing::info!("a session was idle for too long and is closed");
        if let Err(error) = self.streams.stored().end(id).await {
            tracing::warn!(%error, "an idle session remains in the store until its record expires");
        }
        self.streams.end(id, SessionEndReason::Idle);
        let _ = self.inner.close_session(&id.into()).await;
    }

    /// True if the process shuts down.
    pub fn is_closing(&self) -> bool {
        self.closing.is_cancelled()
    }

    pub(super) fn closing(&self) -> &CancellationToken {
        &self.closing
    }

    pub(super) fn app(&self) -> &Arc<App> {
        &self.app
    }

    pub(super) fn streams(&self) -> &Arc<SessionRegistry> {
        &self.streams
    }

    pub(super) fn inner(&self) -> &LocalSessionManager {
        &self.inner
    }

    /// Returns the largest number of open sessions.
    pub(super) fn max(&self) -> usize {
        self.app.config.server.max_sessions
    }

    /// Returns the lock under which a session is made ready and ended.
    pub(super) fn lock_of(&self, id: &str) -> &Arc<Mutex<()>> {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        let turns = self.turns.len() as u64;
        &self.turns[usize::try_from(hasher.finish() % turns).unwrap_or_default()]
    }
}

/// Returns the record of the session that a message opens; `None` if the message is not an `initialize`.
fn record_of_initialize(message: &ClientJsonRpcMessage) -> Option<SessionRecord> {
    let ClientJsonRpcMessage::Request(request) = message else {
        return None;
    };
    let ClientRequest::InitializeRequest(initialize) = &request.request else {
        return None;
    };
    let parts = request.request.extensions().get();
    let mut record = SessionRecord::new(parts.map_or("", principal_of), initialize.params.clone());
    record.result = parts.and_then(access_of).and_then(|access| access.result);
    Some(record)
}

impl SessionManager for McpSessionManager {
    type Error = SessionError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        let principal = access::current().map_or_else(Arc::default, |access| Arc::clone(&access.principal));
        let Some(place) = self.streams.take_slot(&principal) else {
            keep_refusal(SessionRefusal::Full);
            return Err(SessionError::TooMany(self.max()));
        };
        let (id, transport) = self.inner.create_session().await?;
        self.streams.begin(&id, place);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        let record = record_of_initialize(&message);
        let answer = self.inner.initialize_session(id, message).await?;
        if let (Some(record), ServerJsonRpcMessage::Response(_)) = (record, &answer) {
            let stored = self.streams.store_new(id, &record).await;
            if self.app.replicas.is_some()
                && let Err(error) = stored
            {
                // The other replicas would not know it, and its client would get 404 from them.
                keep_refusal(SessionRefusal::NotStored);
                self.streams.end(id, SessionEndReason::Failed);
                let _ = self.inner.close_session(id).await;
                return Err(error.into());
            }
            self.streams.make_ready(
                id,
                ReadySession {
                    owner: Arc::from(record.principal.as_str()),
                    at: record.began(),
                    kept: stored.is_ok().then_some(record.kept),
                    missed: None,
                },
            );
        }
        Ok(answer)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        Ok(self.streams.mark_used(id) && self.inner.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        if ENDING.try_with(|()| ()).is_err() {
            // The worker ended: with the process, or because it failed. The record stays.
            let why = if self.is_closing() { SessionEndReason::Stopped } else { SessionEndReason::Failed };
            self.streams.end(id, why);
            return Ok(self.inner.close_session(id).await?);
        }
        let _turn = self.lock(id).await;
        // Another request ended it while this one waited.
        if !self.streams.has(id) {
            return Err(LocalSessionManagerError::SessionNotFound(id.clone()).into());
        }
        // In the store first: otherwise the session could be restored from there.
        self.streams.stored().end(id).await?;
        self.streams.end(id, SessionEndReason::Deleted);
        Ok(self.inner.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let open = self.streams.open(Some(id), false);
        let asked = StreamRequest::from_message(&message);
        let reader = match asked.map(|asked| self.streams.replay(id).map(|replay| replay.begin(asked))) {
            Some(Ok(Ok((writer, reader)))) => {
                let events = self.inner.create_stream(id, message).await?;
                // A task of its own: the request continues without its connection.
                tokio::spawn(writer.write_all(events));
                reader
            }
            Some(Ok(Err(refusal))) => refusal,
            Some(Err(error)) => return Err(error.into()),
            None => return Err(LocalSessionManagerError::SessionNotFound(id.clone()).into()),
        };
        Ok(GuardedStream { inner: Box::pin(reader), prefix: String::new(), seen: None, _open: open })
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), SessionError> {
        self.streams.touch(id);
        Ok(self.inner.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let open = self.streams.open(Some(id), false);
        let prefix = self.streams.replay(id)?.listener();
        let inner = Box::pin(self.inner.create_standalone_stream(id).await?);
        self.streams.notify_missed(id);
        Ok(GuardedStream { inner, prefix, seen: None, _open: open })
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let open = self.streams.open(Some(id), false);
        if let Some(event) = EventId::parse(&last_event_id) {
            let reader = self.streams.replay(id)?.resume(&event);
            // With an empty stream the client would wait until its own timeout.
            let reader = reader.unwrap_or_else(|| ReplayReader::from_error(event.request, McpError::ResultLost));
            let inner = Box::pin(Box::pin(reader) as Boxed);
            return Ok(GuardedStream { inner, prefix: String::new(), seen: None, _open: open });
        }
        let prefix = self.streams.replay(id)?.listener();
        let own = last_event_id.strip_prefix(&prefix).map(str::to_owned);
        let (inner, seen): (Boxed, _) = match own {
            Some(number) => (Box::pin(self.inner.resume(id, number).await?), Some(last_event_id)),
            // An event of an earlier process. If refused, the client would ask for it again and again and receive
            // nothing.
            None => (Box::pin(self.inner.create_standalone_stream(id).await?), None),
        };
        self.streams.notify_missed(id);
        Ok(GuardedStream { inner: Box::pin(inner), prefix, seen, _open: open })
    }

    fn event_store(&self) -> Option<Arc<dyn EventStore>> {
        self.inner.event_store()
    }
}
