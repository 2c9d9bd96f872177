//! Sessions of the session era: rmcp's own manager, wrapped.
//!
//! The wrapper adds what it lacks: an owner, a cap, an idle expiry that never ends a session while a call or a stream is open,
//! and a record in the store (`session_store.rs`) from which `admission.rs` brings a session back that this process does not
//! have. A session ends for good when its client or the expiry ends it; a process that goes down leaves its record.

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
    shares::{Share, Shares},
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
    admission::principal_of,
    fault::Fault,
    replay::{Asked, EventId, Reader, Replay, Room},
    roots::ClientRoots,
    session_store::{Kept, Record, SessionStore},
    subscriptions::Subscriptions,
    tasks::Tasks,
};
use crate::{app::App, tools::Sessions as ChosenRoots};

/// The first protocol version without sessions. Versions are dates, so they compare as text.
pub const STATELESS_SINCE: &str = "2026-07-28";

/// Whether a request is of the stateless era, by its header. The library refuses bodies that say otherwise.
#[must_use]
pub fn is_stateless(headers: &http::HeaderMap) -> bool {
    let version = headers
        .get("mcp-protocol-version")
        .and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= STATELESS_SINCE)
}

/// The session that a request names, in the era that has sessions: elsewhere such a header means nothing.
#[must_use]
pub fn named(headers: &http::HeaderMap) -> Option<&str> {
    let id = headers.get("mcp-session-id")?.to_str().ok()?;
    (!is_stateless(headers)).then_some(id)
}

/// How many locks restoring, ending and expiring are spread over, by session.
const TURNS: usize = 64;
/// How often the store is cleared of what has expired.
const SWEEP: Duration = Duration::from_mins(10);

tokio::task_local! {
    /// Whether the request of this task ends its session: rmcp closes one in the same way when its worker ends.
    static ENDING: ();
    /// Whether the cap refused a session to the request of this task: the library tells nobody why there is none.
    static WAS_FULL: Cell<bool>;
}

/// Runs the work of a request, and says whether it was refused a session for lack of places.
pub async fn noticing<F: Future>(work: F) -> (F::Output, bool) {
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

/// What is open: calls of all eras, and calls and streams per session.
pub struct Streams {
    calls: AtomicUsize,
    sessions: DashMap<String, Activity>,
    places: Shares,
    chosen: Arc<ChosenRoots>,
    client_roots: Arc<ClientRoots>,
    subscriptions: Subscriptions,
    tasks: Tasks,
    stored: SessionStore,
    replayed: Room,
    ended: OnceLock<EndHook>,
}

type EndHook = Box<dyn Fn(&Ended) + Send + Sync>;

impl std::fmt::Debug for Streams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Streams of {} sessions", self.sessions())
    }
}

/// A session that ended in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How long it was there, also in processes before this one.
    pub lasted: Duration,
    /// Why it ended.
    pub why: Why,
    /// Whether it is gone for good: one that only this process leaves goes on in another.
    pub is_over: bool,
}

/// Why a session ended in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its client ended it.
    Deleted,
    /// Nobody used it.
    Idle,
    /// The process goes down. It goes on in the next one, unless its store is memory.
    Stopped,
    /// Its worker failed, or its handshake.
    Failed,
}

impl Why {
    /// The name in metrics.
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
struct Activity {
    open: usize,
    last: Instant,
    /// Once it has been through the handshake.
    began: Option<Began>,
    /// What the store has of it. Locked while it is written, so that the last choice is the one that stays.
    kept: Arc<Mutex<Option<Kept>>>,
    /// When its end in the store was last moved.
    touched: Instant,
    /// The streams of its requests.
    replay: Arc<Replay>,
    _place: Share,
}

/// A session that can be used.
#[derive(Debug)]
pub(super) struct Began {
    /// Whose it is.
    pub(super) owner: Arc<str>,
    /// When, perhaps in a process before this one.
    pub(super) at: SystemTime,
    /// What the store had of it at that time; `None` if it has nothing.
    pub(super) kept: Option<Kept>,
    /// Resources that may have changed while nobody looked, to be told once somebody listens.
    pub(super) untold: Option<(Peer<RoleServer>, Vec<String>)>,
}

/// Something that is open for as long as this lives.
#[derive(Debug)]
pub struct Open {
    streams: Arc<Streams>,
    session: Option<String>,
    is_call: bool,
}

impl Streams {
    /// Nothing open yet.
    #[must_use]
    pub fn new(app: &App) -> Arc<Self> {
        let idle = idle_of(app);
        // Ends in the store are moved once in a round; with two more, none comes before its session's.
        let ttl = idle + pause(idle) * 2;
        Arc::new(Self {
            calls: AtomicUsize::new(0),
            sessions: DashMap::new(),
            places: Shares::new(app.config.server.max_sessions, 1),
            chosen: Arc::clone(&app.sessions),
            client_roots: Arc::default(),
            subscriptions: Subscriptions::new(app.config.resources.streams),
            tasks: Tasks::default(),
            stored: SessionStore::new(Arc::clone(&app.store), ttl),
            replayed: Room::default(),
            ended: OnceLock::new(),
        })
    }

    /// Tells of every session that ends in this process from now on. Only the first call counts.
    pub fn on_end(&self, hook: impl Fn(&Ended) + Send + Sync + 'static) {
        let _ = self.ended.set(Box::new(hook));
    }

    /// What clients said of their roots.
    #[must_use]
    pub fn client_roots(&self) -> &Arc<ClientRoots> {
        &self.client_roots
    }

    /// Who is told when resources change.
    #[must_use]
    pub fn subscriptions(&self) -> &Subscriptions {
        &self.subscriptions
    }

    /// Calls that became tasks.
    #[must_use]
    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Counts a call until the guard is dropped.
    #[must_use]
    pub fn open_call(self: &Arc<Self>, session: Option<&str>) -> Open {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.open(session, true)
    }

    /// Calls that are running.
    #[must_use]
    pub fn running_calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// Sessions that are open in this process.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.places.taken()
    }

    /// Whether this process has the session, ready to be used. One that only the store has is brought back when it is used.
    #[must_use]
    pub fn is_open(&self, session: &str) -> bool {
        self.sessions
            .get(session)
            .is_some_and(|activity| activity.began.is_some())
    }

    /// The principal that opened a session, whether this process has it or the store; `None` if there is no such session.
    /// Whoever must tell 404 from something else before the session is used asks here.
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

    /// Writes through what a session chose, if it is not in the store yet: its project and its subscriptions. A store that
    /// fails costs the choice after a restart, not the call.
    pub async fn keep(&self, session: &str) {
        let Some(kept) = self.sessions.get(session).map(|activity| Arc::clone(&activity.kept)) else {
            return;
        };
        let mut kept = kept.lock().await;
        let Some(before) = kept.as_ref() else { return };
        let root = self.chosen.root(session);
        let root = root.as_ref().and_then(|project| project.root().to_str());
        let is_quiet = self.replay(session).is_ok_and(|replay| replay.is_quiet());
        if before.root.as_deref() == root
            && before.is_quiet == is_quiet
            && self.subscriptions.are(session, &before.subscriptions)
        {
            return;
        }
        let now = Kept {
            root: root.map(str::to_owned),
            subscriptions: self.subscriptions.uris(session),
            is_quiet,
        };
        match self.stored.keep(session, &now).await {
            Ok(_) => *kept = Some(now),
            Err(error) => tracing::warn!(%error, "what a session chose is not stored and ends with this process"),
        }
    }

    /// The sessions of the store.
    pub(super) fn stored(&self) -> &SessionStore {
        &self.stored
    }

    /// Whether there is a place for one more session of a principal.
    #[must_use]
    pub fn has_place(&self, principal: &Arc<str>) -> bool {
        self.take_place(principal).is_some()
    }

    /// A place for one more session of a principal, if it has one to take.
    pub(super) fn take_place(&self, principal: &Arc<str>) -> Option<Share> {
        self.places.take(principal)
    }

    /// Whether there is anything of this session, ready or not.
    pub(super) fn has(&self, session: &str) -> bool {
        self.sessions.contains_key(session)
    }

    /// Uses a session if it is ready.
    pub(super) fn use_now(&self, session: &str) -> bool {
        match self.sessions.get_mut(session) {
            Some(mut activity) if activity.began.is_some() => {
                activity.last = Instant::now();
                true
            }
            _ => false,
        }
    }

    /// Calls and streams that keep a session open.
    #[must_use]
    pub fn open_in(&self, session: &str) -> usize {
        self.sessions.get(session).map_or(0, |activity| activity.open)
    }

    fn open(self: &Arc<Self>, session: Option<&str>, is_call: bool) -> Open {
        if let Some(mut activity) = session.and_then(|id| self.sessions.get_mut(id)) {
            activity.open += 1;
            activity.last = Instant::now();
        }
        Open {
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

    /// A session that is being made.
    pub(super) fn begin(&self, session: &str, place: Share) {
        let activity = Activity {
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
            // Ids are never given twice, and restoring one takes its turn.
            Entry::Occupied(_) => debug_assert!(false, "a session begins once"),
        }
    }

    /// A session that was being made can be used.
    pub(super) fn make_ready(&self, session: &str, began: Began) {
        if let Some(mut activity) = self.sessions.get_mut(session) {
            activity.kept = Arc::new(Mutex::new(began.kept.clone()));
            activity.last = Instant::now();
            activity.began = Some(began);
        }
    }

    /// A session ends in this process.
    pub(super) fn end(&self, session: &str, why: Why) {
        let removed = self.sessions.remove(session);
        self.chosen.forget(session);
        self.client_roots.forget(session);
        self.subscriptions.forget(session);
        if let Some(began) = removed.and_then(|(_, activity)| activity.began)
            && let Some(hook) = self.ended.get()
        {
            let lasted = began.at.elapsed().unwrap_or_default();
            let goes_on = began.kept.is_some()
                && match why {
                    Why::Deleted | Why::Idle => false,
                    Why::Failed => true,
                    Why::Stopped => self.stored.is_lasting(),
                };
            hook(&Ended {
                lasted,
                why,
                is_over: !goes_on,
            });
        }
    }

    /// Tells a client that listens now what may have changed while nobody looked.
    fn tell_untold(&self, session: &str) {
        let untold = self
            .sessions
            .get_mut(session)
            .and_then(|mut activity| activity.began.as_mut()?.untold.take());
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

    /// Sessions that were used since their end in the store was moved.
    fn untouched(&self) -> Vec<String> {
        self.sessions
            .iter()
            .filter(|entry| entry.began.is_some() && (entry.open > 0 || entry.last > entry.touched))
            .map(|entry| entry.key().clone())
            .collect()
    }

    /// Moves the end of a session in the store.
    async fn touch_stored(&self, session: &str) {
        if let Some(mut activity) = self.sessions.get_mut(session) {
            activity.touched = Instant::now();
        }
        if let Err(error) = self.stored.touch(session).await {
            tracing::warn!(%error, "the end of a session could not be moved in the store");
        }
    }

    /// Sessions without anything open that were last used this long ago.
    fn idle_for(&self, idle: Duration) -> Vec<String> {
        self.sessions
            .iter()
            .filter(|entry| entry.is_idle(idle))
            .map(|entry| entry.key().clone())
            .collect()
    }
}

impl Activity {
    fn is_idle(&self, idle: Duration) -> bool {
        self.open == 0 && self.last.elapsed() >= idle
    }
}

/// After which time without use a session ends.
fn idle_of(app: &App) -> Duration {
    Duration::from_secs(app.config.server.session_idle_minutes.max(1) * 60)
}

/// How often sessions are looked at: then those that are idle end, and the ends of the others are moved in the store.
fn pause(idle: Duration) -> Duration {
    (idle / 4).clamp(Duration::from_millis(50), Duration::from_mins(1))
}

impl Drop for Open {
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
struct Held<S> {
    inner: Pin<Box<S>>,
    _open: Open,
}

impl<S: Stream> Stream for Held<S> {
    type Item = S::Item;
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.inner.as_mut().poll_next(context)
    }
}

/// Events from one of two sources.
type Boxed = Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>;

/// The session manager.
#[derive(Debug)]
pub struct Sessions {
    inner: LocalSessionManager,
    app: Arc<App>,
    streams: Arc<Streams>,
    closing: CancellationToken,
    turns: Vec<Arc<Mutex<()>>>,
}

/// Why a session could not be served.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// rmcp's reason.
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
    /// The cap is reached.
    #[error("the server has {0} sessions open, its maximum; close one or try again later")]
    TooMany(usize),
    /// The store could not be told.
    #[error("the session could not be ended: {0}")]
    Store(#[from] StoreError),
}

impl Sessions {
    /// A manager. Starts the expiry, which ends when the manager is dropped. `closing` says that the process goes down.
    #[must_use]
    pub fn new(app: &Arc<App>, streams: &Arc<Streams>, closing: CancellationToken) -> Arc<Self> {
        Self::with_idle(app, streams, closing, idle_of(app))
    }

    /// A manager whose sessions end after another time without use than the configured one.
    #[must_use]
    pub fn with_idle(app: &Arc<App>, streams: &Arc<Streams>, closing: CancellationToken, idle: Duration) -> Arc<Self> {
        let mut inner = LocalSessionManager::default();
        let mut config = SessionConfig::default();
        // rmcp's own expiry counts from the last message and ends sessions in the middle of a call.
        config.keep_alive = None;
        // Streams are primed where their version has it.
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
                // First of all: processes before this one may have left something.
                if swept.is_none_or(|at| at.elapsed() >= SWEEP) {
                    let Some(sessions) = weak.upgrade() else { return };
                    sessions.streams.stored.sweep().await;
                    swept = Some(Instant::now());
                }
                tokio::time::sleep(pause(idle)).await;
                let Some(sessions) = weak.upgrade() else { return };
                sessions.round(idle).await;
            }
        });
        sessions
    }

    /// Ends what is idle, and moves the ends of the rest.
    async fn round(&self, idle: Duration) {
        for id in self.streams.idle_for(idle) {
            self.expire(&id, idle).await;
        }
        for activity in &self.streams.sessions {
            activity.replay.forget_old();
        }
        for id in self.streams.untouched() {
            self.streams.touch_stored(&id).await;
        }
    }

    /// Ends a session for good unless it was used meanwhile.
    async fn expire(&self, id: &str, idle: Duration) {
        let _turn = self.turn(id).await;
        let known = self.streams.sessions.get(id).map(|activity| activity.is_idle(idle));
        if known != Some(true) {
            return;
        }
        tracing::info!("a session was idle for too long and is closed");
        if let Err(error) = self.streams.stored.end(id).await {
            tracing::warn!(%error, "an idle session stays in the store until its time there is over");
        }
        self.streams.end(id, Why::Idle);
        let _ = self.inner.close_session(&id.into()).await;
    }

    /// Whether the process goes down.
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

    pub(super) fn streams(&self) -> &Arc<Streams> {
        &self.streams
    }

    pub(super) fn inner(&self) -> &LocalSessionManager {
        &self.inner
    }

    /// How many sessions there may be.
    pub(super) fn max(&self) -> usize {
        self.app.config.server.max_sessions
    }

    /// The lock under which a session is made ready and ended.
    pub(super) fn turn_of(&self, id: &str) -> &Arc<Mutex<()>> {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        let turns = self.turns.len() as u64;
        &self.turns[usize::try_from(hasher.finish() % turns).unwrap_or_default()]
    }
}

/// What a client says when it opens a session, and the request that it came with.
fn opening(message: &ClientJsonRpcMessage) -> Option<Record> {
    let ClientJsonRpcMessage::Request(request) = message else {
        return None;
    };
    let principal = request.request.extensions().get().map_or("", principal_of);
    match &request.request {
        ClientRequest::InitializeRequest(initialize) => Some(Record::new(principal, initialize.params.clone())),
        _ => None,
    }
}

impl SessionManager for Sessions {
    type Error = SessionError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        let principal = access::current().map_or_else(Arc::default, |access| Arc::clone(&access.principal));
        let Some(place) = self.streams.take_place(&principal) else {
            // Outside of such a request there is nobody to tell.
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
        let record = opening(&message);
        let answer = self.inner.initialize_session(id, message).await?;
        if let (Some(record), ServerJsonRpcMessage::Response(_)) = (record, &answer) {
            let stored = self.streams.stored.create(id, &record).await;
            if let Err(error) = &stored {
                tracing::warn!(%error, "a session is not stored and ends with this process");
            }
            self.streams.make_ready(
                id,
                Began {
                    owner: Arc::from(record.principal.as_str()),
                    at: record.began(),
                    kept: stored.is_ok().then_some(record.kept),
                    untold: None,
                },
            );
        }
        Ok(answer)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        Ok(self.streams.use_now(id) && self.inner.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        if ENDING.try_with(|()| ()).is_err() {
            // The worker ended: with the process, or because it failed. The record stays.
            let why = if self.is_closing() { Why::Stopped } else { Why::Failed };
            self.streams.end(id, why);
            return Ok(self.inner.close_session(id).await?);
        }
        let _turn = self.turn(id).await;
        // In the store first: from there it could come back.
        self.streams.stored.end(id).await?;
        self.streams.end(id, Why::Deleted);
        Ok(self.inner.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let open = self.streams.open(Some(id), false);
        let asked = Asked::of(&message);
        let reader = match asked.map(|asked| self.streams.replay(id).map(|replay| replay.begin(asked))) {
            Some(Ok(Ok((writer, reader)))) => {
                let events = self.inner.create_stream(id, message).await?;
                // A task of its own: the request goes on without its connection.
                tokio::spawn(writer.pump(events));
                reader
            }
            Some(Ok(Err(refusal))) => refusal,
            Some(Err(error)) => return Err(error),
            None => return Err(LocalSessionManagerError::SessionNotFound(id.clone()).into()),
        };
        Ok(Held {
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
        self.streams.tell_untold(id);
        Ok(Held { inner, _open: open })
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let open = self.streams.open(Some(id), false);
        if let Some(event) = EventId::parse(&last_event_id) {
            let reader = self.streams.replay(id)?.resume(&event);
            // An empty stream would let the client wait for as long as it can.
            let reader = reader.unwrap_or_else(|| Reader::refusing(event.request, Fault::ResultLost));
            return Ok(Held {
                inner: Box::pin(Box::pin(reader) as Boxed),
                _open: open,
            });
        }
        // Events of the stream on which only the server speaks have a plain number.
        let is_standalone = !last_event_id.contains('/');
        let inner: Boxed = match self.inner.resume(id, last_event_id).await {
            Ok(resumed) => Box::pin(resumed),
            // An event of a process before this one. Refused, the client would ask for it again and again and hear nothing.
            Err(_) if is_standalone => Box::pin(self.inner.create_standalone_stream(id).await?),
            Err(error) => return Err(error.into()),
        };
        if is_standalone {
            self.streams.tell_untold(id);
        }
        Ok(Held {
            inner: Box::pin(inner),
            _open: open,
        })
    }

    fn event_store(&self) -> Option<Arc<dyn EventStore>> {
        self.inner.event_store()
    }
}
