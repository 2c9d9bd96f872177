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
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant, SystemTime},
};

use dashmap::{DashMap, Entry};
use fumi_base::{
    shares::{CapacityShare, Shares},
    store::StoreError,
};
use futures_core::Stream;
use rmcp::{
    RoleServer,
    model::{
        ClientJsonRpcMessage, ClientRequest, GetExtensions as _, ResourceUpdatedNotificationParam, ServerJsonRpcMessage,
    },
    service::Peer,
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
    replay::{EventId, Replay, ReplayBudget, ReplayReader, StreamRequest},
    roots::ClientRoots,
    session_restore::principal_of,
    session_store::{SessionChoices, SessionRecord, SessionStore},
    subscriptions::Subscriptions,
    tasks::Tasks,
};
use crate::{app::App, tools::SessionProjects as ChosenRoots};

/// The first protocol version without sessions. Versions are dates, so they compare as text.
pub const STATELESS_SINCE: &str = "2026-07-28";

/// True if a request is of the stateless era, by its header. The library rejects bodies that contradict the header.
#[must_use]
pub fn is_stateless(headers: &http::HeaderMap) -> bool {
    let version = headers
        .get("mcp-protocol-version")
        .and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= STATELESS_SINCE)
}

/// Returns the session that a request names. The header is ignored in the stateless era.
#[must_use]
pub fn session_id(headers: &http::HeaderMap) -> Option<&str> {
    let id = headers.get("mcp-session-id")?.to_str().ok()?;
    (!is_stateless(headers)).then_some(id)
}

/// The number of locks for restoring, ending and expiring, over which the sessions are distributed.
const TURNS: usize = 64;
/// The interval at which expired records are removed from the store.
const SWEEP: Duration = Duration::from_mins(10);

tokio::task_local! {
    /// Set if the request of this task ends its session: rmcp closes a session in the same way when its worker ends.
    static ENDING: ();
    /// True if the request of this task was refused a session by the limit: the library does not report the reason.
    static WAS_FULL: Cell<bool>;
}

/// Runs the work of a request. Returns true with the output if it was refused a session by the limit.
pub async fn detect_full<F: Future>(work: F) -> (F::Output, bool) {
    let noticed = async {
        let done = work.await;
        (done, WAS_FULL.with(Cell::get))
    };
    WAS_FULL.scope(Cell::new(false), noticed).await
}

/// Runs the work of a request by which a client ends its session for good.
pub async fn ending<F: Future>(work: F) -> F::Output {
    ENDING.scope((), work).await
}

/// The registry of what is open: calls of both eras, and calls and streams by session.
pub struct SessionRegistry {
    calls: AtomicUsize,
    sessions: DashMap<String, SessionActivity>,
    places: Shares,
    chosen: Arc<ChosenRoots>,
    client_roots: Arc<ClientRoots>,
    subscriptions: Subscriptions,
    tasks: Tasks,
    stored: SessionStore,
    replayed: ReplayBudget,
    ended: OnceLock<EndHook>,
}

type EndHook = Box<dyn Fn(&EndedSession) + Send + Sync>;

impl std::fmt::Debug for SessionRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Streams of {} sessions", self.sessions())
    }
}

/// A session that ended in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedSession {
    /// The lifetime of the session, including earlier processes.
    pub lasted: Duration,
    /// The reason of the end.
    pub why: SessionEndReason,
    /// True if the session is gone for good: one that only this process leaves continues in another.
    pub is_over: bool,
}

/// The reason why a session ended in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEndReason {
    /// Its client ended it.
    Deleted,
    /// It was not used for too long.
    Idle,
    /// The process shuts down. The session continues in the next one, unless its store is memory.
    Stopped,
    /// Its worker or its handshake failed.
    Failed,
}

impl SessionEndReason {
    /// Returns the name in metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::Idle => "idle",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }
}

#[derive(Debug)]
struct SessionActivity {
    open: usize,
    last: Instant,
    /// Set once the session has completed the handshake.
    began: Option<ReadySession>,
    /// The choices as the store has them. Locked while they are written, so that the last choice is the one that stays.
    kept: Arc<Mutex<Option<SessionChoices>>>,
    /// The time when its lifetime in the store was last extended.
    touched: Instant,
    /// The streams of its requests.
    replay: Arc<Replay>,
    _place: CapacityShare,
}

/// The data of a session that is ready for use.
#[derive(Debug)]
pub(super) struct ReadySession {
    /// The principal that opened the session.
    pub(super) owner: Arc<str>,
    /// The time when it began, perhaps in an earlier process.
    pub(super) at: SystemTime,
    /// The choices that the store has; `None` if the session is not stored.
    pub(super) kept: Option<SessionChoices>,
    /// Resources that may have changed while no process ran; their client is notified once it listens.
    pub(super) missed: Option<(Peer<RoleServer>, Vec<String>)>,
}

/// A guard that counts a call or a stream as open until it is dropped.
#[derive(Debug)]
pub struct OpenGuard {
    streams: Arc<SessionRegistry>,
    session: Option<String>,
    is_call: bool,
}

impl SessionRegistry {
    /// Creates an empty registry.
    #[must_use]
    pub fn new(app: &App) -> Arc<Self> {
        let idle = idle_of(app);
        // Lifetimes in the store are extended once in a round; two more rounds ensure that a record outlives its
        // session.
        let ttl = idle + round_interval(idle) * 2;
        Arc::new(Self {
            calls: AtomicUsize::new(0),
            sessions: DashMap::new(),
            places: Shares::new(app.config.server.max_sessions, 1),
            chosen: Arc::clone(&app.sessions),
            client_roots: Arc::default(),
            subscriptions: Subscriptions::new(app.config.resources.streams),
            tasks: Tasks::default(),
            stored: SessionStore::new(Arc::clone(&app.store), ttl),
            replayed: ReplayBudget::default(),
            ended: OnceLock::new(),
        })
    }

    /// Sets the hook for sessions that end in this process. Only the first call has an effect.
    pub fn on_end(&self, hook: impl Fn(&EndedSession) + Send + Sync + 'static) {
        let _ = self.ended.set(Box::new(hook));
    }

    /// Returns the roots that clients reported.
    #[must_use]
    pub fn client_roots(&self) -> &Arc<ClientRoots> {
        &self.client_roots
    }

    /// Returns the subscriptions to resources.
    #[must_use]
    pub fn subscriptions(&self) -> &Subscriptions {
        &self.subscriptions
    }

    /// Returns the calls that became tasks.
    #[must_use]
    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Counts a call until the guard is dropped.
    #[must_use]
    pub fn open_call(self: &Arc<Self>, session: Option<&str>) -> OpenGuard {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.open(session, true)
    }

    /// Returns the number of running calls.
    #[must_use]
    pub fn running_calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// Returns the number of open sessions of this process.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.places.taken()
    }

    /// True if this process has the session, ready for use. A session that only the store has is restored on use.
    #[must_use]
    pub fn is_open(&self, session: &str) -> bool {
        self.sessions
            .get(session)
            .is_some_and(|activity| activity.began.is_some())
    }

    /// Returns the principal that opened a session, from this process or the store; `None` if the session does not
    /// exist. Callers that must distinguish 404 from other errors before the session is used ask here.
    pub async fn owner(&self, session: &str) -> Result<Option<Arc<str>>, StoreError> {
        let known = self
            .sessions
            .get(session)
            .and_then(|activity| activity.began.as_ref().map(|began| Arc::clone(&began.owner)));
        if known.is_some() {
            return Ok(known);
        }
        let record = self.stored.find(session).await?;
        Ok(record.map(|record| Arc::from(record.principal)))
    }

    /// Stores the choices of a session if they changed: its project, its log level and its subscriptions. If the store
    /// fails, the choices are lost at a restart, but the call succeeds.
    pub async fn store_choices(&self, session: &str) {
        let Some(kept) = self.sessions.get(session).map(|activity| Arc::clone(&activity.kept)) else {
            return;
        };
        let mut kept = kept.lock().await;
        let Some(before) = kept.as_ref() else { return };
        let root = self.chosen.project(session);
        let root = root.as_ref().and_then(|project| project.root().to_str());
        let is_quiet = self.replay(session).is_ok_and(|replay| replay.is_quiet());
        if before.root.as_deref() == root
            && before.is_quiet == is_quiet
            && self.subscriptions.matches(session, &before.subscriptions)
        {
            return;
        }
        let now = SessionChoices {
            root: root.map(str::to_owned),
            subscriptions: self.subscriptions.uris(session),
            is_quiet,
        };
        match self.stored.store_choices(session, &now).await {
            Ok(_) => *kept = Some(now),
            Err(error) => tracing::warn!(%error, "the choices of a session are not stored and end with this process"),
        }
    }

    /// Returns the sessions of the store.
    pub(super) fn stored(&self) -> &SessionStore {
        &self.stored
    }

    /// True if a principal may open one more session.
    #[must_use]
    pub fn has_slot(&self, principal: &Arc<str>) -> bool {
        self.take_slot(principal).is_some()
    }

    /// Takes the slot of one more session of a principal; `None` if the limit is reached.
    pub(super) fn take_slot(&self, principal: &Arc<str>) -> Option<CapacityShare> {
        self.places.take(principal)
    }

    /// True if this process has the session, ready or not.
    pub(super) fn has(&self, session: &str) -> bool {
        self.sessions.contains_key(session)
    }

    /// Marks a session as used. Returns false if it is not ready.
    pub(super) fn mark_used(&self, session: &str) -> bool {
        match self.sessions.get_mut(session) {
            Some(mut activity) if activity.began.is_some() => {
                activity.last = Instant::now();
                true
            }
            _ => false,
        }
    }

    /// Returns the number of calls and streams that keep a session open.
    #[must_use]
    pub fn open_count(&self, session: &str) -> usize {
        self.sessions.get(session).map_or(0, |activity| activity.open)
    }

    fn open(self: &Arc<Self>, session: Option<&str>, is_call: bool) -> OpenGuard {
        if let Some(mut activity) = session.and_then(|id| self.sessions.get_mut(id)) {
            activity.open += 1;
            activity.last = Instant::now();
        }
        OpenGuard {
            streams: Arc::clone(self),
            session: session.map(str::to_owned),
            is_call,
        }
    }

    fn replay(&self, session: &str) -> Result<Arc<Replay>, SessionError> {
        let activity = self.sessions.get(session);
        let replay = activity.map(|activity| Arc::clone(&activity.replay));
        replay.ok_or_else(|| LocalSessionManagerError::SessionNotFound(session.into()).into())
    }

    /// Sets whether a session's client wants log messages of the level `debug`.
    pub(super) fn set_debug(&self, session: &str, is_wanted: bool) {
        if let Ok(replay) = self.replay(session) {
            replay.set_quiet(!is_wanted);
        }
    }

    fn touch(&self, session: &str) {
        if let Some(mut activity) = self.sessions.get_mut(session) {
            activity.last = Instant::now();
        }
    }

    /// Registers a session that is being opened.
    pub(super) fn begin(&self, session: &str, place: CapacityShare) {
        let activity = SessionActivity {
            open: 0,
            last: Instant::now(),
            began: None,
            kept: Arc::default(),
            touched: Instant::now(),
            replay: Replay::new(&self.replayed),
            _place: place,
        };
        match self.sessions.entry(session.to_owned()) {
            Entry::Vacant(vacant) => drop(vacant.insert(activity)),
            // Ids are unique, and a session is restored under its lock.
            Entry::Occupied(_) => debug_assert!(false, "a session is registered once"),
        }
    }

    /// Marks a registered session as ready for use.
    pub(super) fn make_ready(&self, session: &str, began: ReadySession) {
        if let Some(mut activity) = self.sessions.get_mut(session) {
            activity.kept = Arc::new(Mutex::new(began.kept.clone()));
            activity.last = Instant::now();
            activity.began = Some(began);
        }
    }

    /// Removes a session from this process.
    pub(super) fn end(&self, session: &str, why: SessionEndReason) {
        let removed = self.sessions.remove(session);
        self.chosen.remove(session);
        self.client_roots.forget(session);
        self.subscriptions.forget(session);
        if let Some(began) = removed.and_then(|(_, activity)| activity.began)
            && let Some(hook) = self.ended.get()
        {
            let lasted = began.at.elapsed().unwrap_or_default();
            let goes_on = began.kept.is_some()
                && match why {
                    SessionEndReason::Deleted | SessionEndReason::Idle => false,
                    SessionEndReason::Failed => true,
                    SessionEndReason::Stopped => self.stored.is_lasting(),
                };
            hook(&EndedSession {
                lasted,
                why,
                is_over: !goes_on,
            });
        }
    }

    /// Notifies a client that listens now of resources that may have changed while no process ran.
    fn notify_missed(&self, session: &str) {
        let untold = self
            .sessions
            .get_mut(session)
            .and_then(|mut activity| activity.began.as_mut()?.missed.take());
        if let Some((peer, uris)) = untold {
            tokio::spawn(async move {
                for uri in uris {
                    let told = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri));
                    if told.await.is_err() {
                        return;
                    }
                }
            });
        }
    }

    /// Returns the sessions that were used since their lifetime in the store was extended.
    fn untouched(&self) -> Vec<String> {
        self.sessions
            .iter()
            .filter(|entry| entry.began.is_some() && (entry.open > 0 || entry.last > entry.touched))
            .map(|entry| entry.key().clone())
            .collect()
    }

    /// Extends the lifetime of a session in the store.
    async fn touch_stored(&self, session: &str) {
        if let Some(mut activity) = self.sessions.get_mut(session) {
            activity.touched = Instant::now();
        }
        if let Err(error) = self.stored.touch(session).await {
            tracing::warn!(%error, "the lifetime of a session could not be extended in the store");
        }
    }

    /// Returns the sessions without anything open that have not been used for this long.
    fn idle_for(&self, idle: Duration) -> Vec<String> {
        self.sessions
            .iter()
            .filter(|entry| entry.is_idle(idle))
            .map(|entry| entry.key().clone())
            .collect()
    }
}

impl SessionActivity {
    fn is_idle(&self, idle: Duration) -> bool {
        self.open == 0 && self.last.elapsed() >= idle
    }
}

/// Returns the time without use after which a session ends.
fn idle_of(app: &App) -> Duration {
    Duration::from_secs(app.config.server.session_idle_minutes.max(1) * 60)
}

/// Returns the interval of rounds: each ends idle sessions and extends the lifetimes of the others in the store.
fn round_interval(idle: Duration) -> Duration {
    (idle / 4).clamp(Duration::from_millis(50), Duration::from_mins(1))
}

impl Drop for OpenGuard {
    fn drop(&mut self) {
        if self.is_call {
            self.streams.calls.fetch_sub(1, Ordering::SeqCst);
        }
        if let Some(mut activity) = self.session.as_deref().and_then(|id| self.streams.sessions.get_mut(id)) {
            activity.open = activity.open.saturating_sub(1);
            activity.last = Instant::now();
        }
    }
}

/// A stream that keeps its session open.
#[derive(Debug)]
struct GuardedStream<S> {
    inner: Pin<Box<S>>,
    _open: OpenGuard,
}

impl<S: Stream> Stream for GuardedStream<S> {
    type Item = S::Item;
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.inner.as_mut().poll_next(context)
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
    /// The end of the session could not be stored.
    #[error("the session could not be ended: {0}")]
    Store(#[from] StoreError),
}

impl McpSessionManager {
    /// Creates a manager and starts the expiry, which ends when the manager is dropped. `closing` is cancelled when the
    /// process shuts down.
    #[must_use]
    pub fn new(app: &Arc<App>, streams: &Arc<SessionRegistry>, closing: CancellationToken) -> Arc<Self> {
        Self::with_idle(app, streams, closing, idle_of(app))
    }

    /// Creates a manager with another idle time than the configured one.
    #[must_use]
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
            turns: (0..TURNS).map(|_| Arc::default()).collect(),
        });
        let weak = Arc::downgrade(&sessions);
        tokio::spawn(async move {
            let mut swept: Option<Instant> = None;
            loop {
                // At the start, because earlier processes may have left expired records.
                if swept.is_none_or(|at| at.elapsed() >= SWEEP) {
                    let Some(sessions) = weak.upgrade() else { return };
                    sessions.streams.stored.sweep().await;
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
        for id in self.streams.idle_for(idle) {
            self.expire(&id, idle).await;
        }
        for activity in &self.streams.sessions {
            activity.replay.drop_expired();
        }
        for id in self.streams.untouched() {
            self.streams.touch_stored(&id).await;
        }
    }

    /// Ends a session for good unless it was used meanwhile.
    async fn expire(&self, id: &str, idle: Duration) {
        let _turn = self.lock(id).await;
        let known = self.streams.sessions.get(id).map(|activity| activity.is_idle(idle));
        if known != Some(true) {
            return;
        }
        tracing::info!("a session was idle for too long and is closed");
        if let Err(error) = self.streams.stored.end(id).await {
            tracing::warn!(%error, "an idle session remains in the store until its record expires");
        }
        self.streams.end(id, SessionEndReason::Idle);
        let _ = self.inner.close_session(&id.into()).await;
    }

    /// True if the process shuts down.
    #[must_use]
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
    let principal = request.request.extensions().get().map_or("", principal_of);
    match &request.request {
        ClientRequest::InitializeRequest(initialize) => Some(SessionRecord::new(principal, initialize.params.clone())),
        _ => None,
    }
}

impl SessionManager for McpSessionManager {
    type Error = SessionError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        let principal = access::current().map_or_else(Arc::default, |access| Arc::clone(&access.principal));
        let Some(place) = self.streams.take_slot(&principal) else {
            // Unset outside of a request that opens a session.
            let _ = WAS_FULL.try_with(|full| full.set(true));
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
            let stored = self.streams.stored.create(id, &record).await;
            if let Err(error) = &stored {
                tracing::warn!(%error, "a session is not stored and ends with this process");
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
            let why = if self.is_closing() {
                SessionEndReason::Stopped
            } else {
                SessionEndReason::Failed
            };
            self.streams.end(id, why);
            return Ok(self.inner.close_session(id).await?);
        }
        let _turn = self.lock(id).await;
        // In the store first: otherwise the session could be restored from there.
        self.streams.stored.end(id).await?;
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
            Some(Err(error)) => return Err(error),
            None => return Err(LocalSessionManagerError::SessionNotFound(id.clone()).into()),
        };
        Ok(GuardedStream {
            inner: Box::pin(reader),
            _open: open,
        })
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
        let inner = Box::pin(self.inner.create_standalone_stream(id).await?);
        self.streams.notify_missed(id);
        Ok(GuardedStream { inner, _open: open })
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
            return Ok(GuardedStream {
                inner: Box::pin(Box::pin(reader) as Boxed),
                _open: open,
            });
        }
        // Events of the standalone stream have a plain number.
        let is_standalone = !last_event_id.contains('/');
        let inner: Boxed = match self.inner.resume(id, last_event_id).await {
            Ok(resumed) => Box::pin(resumed),
            // An event of an earlier process. If refused, the client would ask for it again and again and receive
            // nothing.
            Err(_) if is_standalone => Box::pin(self.inner.create_standalone_stream(id).await?),
            Err(error) => return Err(error.into()),
        };
        if is_standalone {
            self.streams.notify_missed(id);
        }
        Ok(GuardedStream {
            inner: Box::pin(inner),
            _open: open,
        })
    }

    fn event_store(&self) -> Option<Arc<dyn EventStore>> {
        self.inner.event_store()
    }
}
