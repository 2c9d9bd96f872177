//! Sessions of the session era: rmcp's own manager, wrapped.
//!
//! The wrapper adds what it lacks: a cap, an idle expiry that never ends a session while a call or a stream is open, and
//! safety of restoring (callers that arrive while a session is being restored are told that there is none yet, so that
//! they wait on rmcp's own path instead of killing it).

use std::{
    cell::Cell,
    collections::HashSet,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use dashmap::DashMap;
use futures_core::Stream;
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_server::{
        session::local::{LocalSessionManager, LocalSessionManagerError, SessionConfig},
        session::{EventStore, RestoreOutcome, ServerSseMessage, SessionId, SessionManager},
    },
};

use super::{roots::ClientRoots, subscriptions::Subscriptions};
use crate::tools::Sessions as ChosenRoots;

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

tokio::task_local! {
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

/// What is open: calls of all eras, and calls and streams per session.
#[derive(Debug)]
pub struct Streams {
    calls: AtomicUsize,
    sessions: DashMap<String, Activity>,
    chosen: Arc<ChosenRoots>,
    client_roots: Arc<ClientRoots>,
    subscriptions: Subscriptions,
}

#[derive(Debug)]
struct Activity {
    /// Who opened it.
    principal: Arc<str>,
    open: usize,
    last: Instant,
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
    pub fn new(chosen: Arc<ChosenRoots>) -> Arc<Self> {
        Arc::new(Self {
            calls: AtomicUsize::new(0),
            sessions: DashMap::new(),
            chosen,
            client_roots: Arc::default(),
            subscriptions: Subscriptions::default(),
        })
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

    /// Sessions that are open.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Whether a session is somebody else's than this principal's. One that there is not is nobody's.
    #[must_use]
    pub fn is_foreign(&self, session: &str, principal: &str) -> bool {
        let activity = self.sessions.get(session);
        activity.is_some_and(|activity| &*activity.principal != principal)
    }

    /// Whether the manager opened this session.
    #[must_use]
    pub fn is_open(&self, session: &str) -> bool {
        self.sessions.contains_key(session)
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

    fn touch(&self, session: &str) {
        if let Some(mut activity) = self.sessions.get_mut(session) {
            activity.last = Instant::now();
        }
    }

    fn begin(&self, session: &str) {
        let activity = Activity {
            // The manager is asked in the task of the request, which carries its access.
            principal: super::access::current().map_or_else(Arc::default, |access| Arc::clone(&access.principal)),
            open: 0,
            last: Instant::now(),
        };
        self.sessions.insert(session.to_owned(), activity);
    }

    fn end(&self, session: &str) {
        self.sessions.remove(session);
        self.chosen.forget(session);
        self.client_roots.forget(session);
        self.subscriptions.forget(session);
    }

    /// Sessions without anything open that were last used this long ago.
    fn idle_for(&self, idle: Duration) -> Vec<String> {
        self.sessions
            .iter()
            .filter(|entry| entry.open == 0 && entry.last.elapsed() >= idle)
            .map(|entry| entry.key().clone())
            .collect()
    }
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

/// The session manager.
#[derive(Debug)]
pub struct Sessions {
    inner: LocalSessionManager,
    streams: Arc<Streams>,
    max: usize,
    /// Sessions that are being made: those that come at the same time must not all take the last place.
    opening: AtomicUsize,
    /// Std mutex: locked for single set operations, never across an await.
    restoring: Mutex<HashSet<String>>,
}

/// A session that is being made, for as long as this lives; then it is counted among the open ones.
struct Opening<'m> {
    all: &'m AtomicUsize,
    /// How many there are, this one included.
    count: usize,
}

impl<'m> Opening<'m> {
    fn begin(all: &'m AtomicUsize) -> Self {
        let count = all.fetch_add(1, Ordering::SeqCst) + 1;
        Self { all, count }
    }
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::SeqCst);
    }
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
}

impl Sessions {
    /// A manager with room for `max` sessions. Starts the expiry, which ends when the manager is dropped.
    #[must_use]
    pub fn new(streams: Arc<Streams>, max: usize, idle: Duration) -> Arc<Self> {
        let mut inner = LocalSessionManager::default();
        let mut config = SessionConfig::default();
        // rmcp's own expiry counts from the last message and ends sessions in the middle of a call.
        config.keep_alive = None;
        inner.session_config = config;
        let sessions = Arc::new(Self {
            inner,
            streams,
            max,
            opening: AtomicUsize::new(0),
            restoring: Mutex::default(),
        });
        let weak = Arc::downgrade(&sessions);
        let pause = (idle / 4).clamp(Duration::from_millis(50), Duration::from_mins(1));
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(pause).await;
                let Some(sessions) = weak.upgrade() else { return };
                for id in sessions.streams.idle_for(idle) {
                    tracing::info!("a session was idle for too long and is closed");
                    let _ = sessions.close_session(&id.as_str().into()).await;
                }
            }
        });
        sessions
    }

    fn restoring(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.restoring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionManager for Sessions {
    type Error = SessionError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        let opening = Opening::begin(&self.opening);
        if self.streams.sessions() + opening.count > self.max {
            // Outside of such a request there is nobody to tell.
            let _ = WAS_FULL.try_with(|full| full.set(true));
            return Err(SessionError::TooMany(self.max));
        }
        let (id, transport) = self.inner.create_session().await?;
        self.streams.begin(&id);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        Ok(self.inner.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        if self.restoring().contains(&**id) {
            return Ok(false);
        }
        self.streams.touch(id);
        Ok(self.inner.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        self.restoring().remove(&**id);
        self.streams.end(id);
        Ok(self.inner.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let open = self.streams.open(Some(id), false);
        let inner = Box::pin(self.inner.create_stream(id, message).await?);
        Ok(Held { inner, _open: open })
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), SessionError> {
        self.streams.touch(id);
        let accepted = self.inner.accept_message(id, message).await;
        self.restoring().remove(&**id);
        Ok(accepted?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let open = self.streams.open(Some(id), false);
        let inner = Box::pin(self.inner.create_standalone_stream(id).await?);
        Ok(Held { inner, _open: open })
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let open = self.streams.open(Some(id), false);
        let inner = Box::pin(self.inner.resume(id, last_event_id).await?);
        Ok(Held { inner, _open: open })
    }

    async fn restore_session(&self, id: SessionId) -> Result<RestoreOutcome<Self::Transport>, SessionError> {
        self.restoring().insert(id.to_string());
        self.streams.begin(&id);
        Ok(self.inner.restore_session(id).await?)
    }

    fn event_store(&self) -> Option<Arc<dyn EventStore>> {
        self.inner.event_store()
    }
}
