//! The sessions that this process has, and what is open: calls of both eras, and calls and streams by session.
//!
//! `session_manager.rs` begins and ends the sessions here, for `rmcp`.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use dashmap::{DashMap, Entry};
use fumi_base::{
    shares::{CapacityShare, Shares},
    store::StoreError,
};
use fumi_kernel::SessionProjects as ChosenRoots;
use moka::sync::Cache;
use rmcp::{
    RoleServer, model::ResourceUpdatedNotificationParam, service::Peer,
    transport::streamable_http_server::session::local::LocalSessionManagerError,
};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::{
    protocol_error::McpError,
    replay::{Replay, ReplayBudget},
    replicas::Replicas,
    roots::ClientRoots,
    session_store::{SessionChoices, SessionHome, SessionRecord, SessionStore},
    subscriptions::Subscriptions,
    tasks::Tasks,
};
use crate::app::App;

/// The number of sessions of other replicas that are remembered.
const MOST_ELSEWHERE: u64 = 100_000;

/// The registry of what is open: calls of both eras, and calls and streams by session.
pub struct SessionRegistry {
    calls: AtomicUsize,
    /// Cancelled when the drain time is over: running calls stop, and are answered.
    stopping: CancellationToken,
    sessions: DashMap<String, SessionActivity>,
    places: Shares,
    chosen: Arc<ChosenRoots>,
    client_roots: Arc<ClientRoots>,
    subscriptions: Subscriptions,
    tasks: Tasks,
    stored: SessionStore,
    replicas: Option<Arc<Replicas>>,
    lookups: OutageLog,
    writes: OutageLog,
    /// The last known places of sessions in other replicas, for the time when the store is away.
    elsewhere: Cache<String, SessionPlace>,
    replayed: ReplayBudget,
    ended: OnceLock<EndHook>,
}

type EndHook = Box<dyn Fn(&EndedSession) + Send + Sync>;

impl std::fmt::Debug for SessionRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Streams of {} sessions", self.sessions())
    }
}

/// Logs when an operation of the store begins to fail, and when it succeeds again: one line each, however many requests there
/// are meanwhile.
#[derive(Debug)]
struct OutageLog {
    fails: AtomicBool,
    /// The line when it begins to fail.
    begins: &'static str,
    /// The line when it succeeds again.
    ends: &'static str,
}

impl OutageLog {
    const fn new(begins: &'static str, ends: &'static str) -> Self {
        Self { fails: AtomicBool::new(false), begins, ends }
    }

    fn note<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if self.fails.swap(result.is_err(), Ordering::Relaxed) != result.is_err() {
            match &result {
                Ok(_) => tracing::info!("{}", self.ends),
                Err(error) => tracing::error!(%error, "{}", self.begins),
            }
        }
        result
    }
}

/// A session that ended in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedSession {
    /// The lifetime of the session, including earlier processes.
    pub lasted: Duration,
    pub why: SessionEndReason,
    /// True if the session is gone for good: one that only this process leaves continues in another.
    pub is_over: bool,
}

/// The reason why a session ended in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, fumi_base::Named)]
pub enum SessionEndReason {
    /// Its client ended it.
    Deleted,
    /// It was not used for too long.
    Idle,
    /// The process shuts down. The session continues in the next one, unless its store is memory.
    Stopped,
    /// Another replica took it over while this one was stopped.
    Moved,
    /// The store does not have it any more: the store was emptied, or another replica ended the session.
    Lost,
    /// Its worker or its handshake failed.
    Failed,
}

#[derive(Debug)]
struct SessionActivity {
    open: usize,
    last: Instant,
    /// Set once the session has completed the handshake.
    began: Option<ReadySession>,
    /// The choices that were last stored, or last found too large to be stored. Locked while they are written, so that the
    /// newest choices are written last.
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

/// The owner of a session, and the replica in which it lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPlace {
    /// The principal that opened the session.
    pub owner: Arc<str>,
    /// The replica in which the session lives, unless that is this one.
    pub elsewhere: Option<SessionHome>,
}

/// A guard that counts a call or a stream as open until it is dropped.
#[must_use]
#[derive(Debug)]
pub struct OpenGuard {
    streams: Arc<SessionRegistry>,
    session: Option<String>,
    is_call: bool,
}

impl SessionRegistry {
    /// Creates an empty registry.
    pub fn new(app: &App) -> Arc<Self> {
        let idle = idle_of(app);
        // Lifetimes in the store are extended once in a round; two more rounds ensure that a record outlives its
        // session.
        let ttl = idle + round_interval(idle) * 2;
        Arc::new(Self {
            calls: AtomicUsize::new(0),
            stopping: CancellationToken::new(),
            sessions: DashMap::new(),
            places: Shares::new(app.config.server.max_sessions, 1),
            chosen: Arc::clone(&app.sessions),
            client_roots: Arc::default(),
            subscriptions: Subscriptions::new(app.config.resources.streams),
            tasks: Tasks::new(app.replicas.clone(), &app.store),
            stored: SessionStore::new(Arc::clone(&app.store), ttl, app.replicas.clone()),
            replicas: app.replicas.clone(),
            lookups: OutageLog::new("sessions cannot be looked up", "sessions can be looked up again"),
            writes: OutageLog::new(
                "sessions and their choices cannot be stored; choices are lost if this process ends before they can",
                "sessions and their choices are stored again",
            ),
            elsewhere: Cache::builder().max_capacity(MOST_ELSEWHERE).time_to_idle(idle).build(),
            replayed: ReplayBudget::default(),
            ended: OnceLock::new(),
        })
    }

    /// Sets the hook for sessions that end in this process. Only the first call has an effect.
    pub fn on_end(&self, hook: impl Fn(&EndedSession) + Send + Sync + 'static) {
        let _ = self.ended.set(Box::new(hook));
    }

    /// Returns the roots that clients reported.
    pub fn client_roots(&self) -> &Arc<ClientRoots> {
        &self.client_roots
    }

    /// Returns the subscriptions to resources.
    pub fn subscriptions(&self) -> &Subscriptions {
        &self.subscriptions
    }

    /// Returns the calls that became tasks.
    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Counts a call until the guard is dropped.
    pub fn open_call(self: &Arc<Self>, session: Option<&str>) -> OpenGuard {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.open(session, true)
    }

    /// Stops running calls, which are then answered by an error.
    pub fn stop_calls(&self) {
        self.stopping.cancel();
    }

    /// Returns the token that stops running calls.
    pub fn stopping(&self) -> &CancellationToken {
        &self.stopping
    }

    pub fn running_calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// Returns the number of open sessions of this process.
    pub fn sessions(&self) -> usize {
        self.places.taken()
    }

    /// True if this process has the session, ready for use. A session that only the store has is restored on use.
    pub fn is_open(&self, session: &str) -> bool {
        self.sessions.get(session).is_some_and(|activity| activity.began.is_some())
    }

    /// Returns the owner and the replica of a session, from this process or the store; `None` if the session does not
    /// exist. Callers that must distinguish 404 from other errors before the session is used ask here.
    pub async fn locate(&self, session: &str) -> Result<Option<SessionPlace>, StoreError> {
        let known = self
            .sessions
            .get(session)
            .and_then(|activity| activity.began.as_ref().map(|began| Arc::clone(&began.owner)))
            .map(|owner| SessionPlace { owner, elsewhere: None });
        if known.is_some() && self.replicas.as_ref().is_none_or(|replicas| replicas.is_current()) {
            return Ok(known);
        }
        let record = match self.lookups.note(self.stored.find(session).await) {
            Ok(record) => record,
            // A remembered place is not used for a session of this process, which may have moved since.
            Err(error) => return self.elsewhere.get(session).filter(|_| known.is_none()).map(Some).ok_or(error),
        };
        let place = record.map(|record| SessionPlace {
            elsewhere: self.stored.home_elsewhere(&record),
            owner: Arc::from(record.principal),
        });
        match &place {
            Some(place) if place.elsewhere.is_some() => self.elsewhere.insert(session.to_owned(), place.clone()),
            _ => self.elsewhere.invalidate(session),
        }
        Ok(place)
    }

    /// Stores the choices of a session if they changed: its project, its log level and its subscriptions. If the store fails,
    /// the call succeeds, and the choices are stored later ([`Self::store_all_choices`]).
    ///
    /// # Errors
    /// If another replica has taken the session over, or it has ended: the choices have no effect.
    pub async fn store_choices(&self, session: &str) -> Result<(), McpError> {
        if matches!(self.try_store_choices(session).await, Ok(false)) { Err(McpError::ResultLost) } else { Ok(()) }
    }

    /// Stores a new session.
    pub(super) async fn store_new(&self, session: &str, record: &SessionRecord) -> Result<(), StoreError> {
        self.writes.note(self.stored.create(session, record).await)
    }

    /// Stores the choices of all sessions that could not be stored before. Ends early if the store still fails.
    pub async fn store_all_choices(&self) {
        for session in self.ids() {
            if self.try_store_choices(&session).await.is_err() {
                return;
            }
        }
    }

    /// Stores the choices of a session if they changed. Returns false if they have no effect.
    async fn try_store_choices(&self, session: &str) -> Result<bool, StoreError> {
        let Some(kept) = self.sessions.get(session).map(|activity| Arc::clone(&activity.kept)) else {
            return Ok(true);
        };
        let mut kept = kept.lock().await;
        let Some(before) = kept.as_ref() else { return Ok(true) };
        let root = self.chosen.project(session);
        let root = root.as_ref().and_then(|project| project.root().to_str());
        let is_quiet = self.replay(session).is_ok_and(|replay| replay.is_quiet());
        if before.root.as_deref() == root
            && before.is_quiet == is_quiet
            && self.subscriptions.matches(session, &before.subscriptions)
        {
            return Ok(true);
        }
        let now =
            SessionChoices { root: root.map(str::to_owned), subscriptions: self.subscriptions.uris(session), is_quiet };
        let stored = self.stored.store_choices(session, &now).await;
        let has_effect = match stored {
            // Not a failure of the store: only this session is affected, and a retry fails until its choices change again.
            Err(error @ StoreError::TooLarge { .. }) => {
                tracing::warn!(%error, "the choices of a session are not stored and end with this process");
                true
            }
            stored => self.writes.note(stored)?,
        };
        if has_effect {
            *kept = Some(now);
        }
        Ok(has_effect)
    }

    pub fn stored(&self) -> &SessionStore {
        &self.stored
    }

    /// True if a principal may open one more session.
    pub fn has_slot(&self, principal: &Arc<str>) -> bool {
        self.take_slot(principal).is_some()
    }

    /// Takes the slot of one more session of a principal; `None` if the limit is reached.
    pub(super) fn take_slot(&self, principal: &Arc<str>) -> Option<CapacityShare> {
        self.places.take(principal)
    }

    /// Returns the sessions that this process has, ready or not.
    pub(super) fn ids(&self) -> Vec<String> {
        self.sessions.iter().map(|entry| entry.key().clone()).collect()
    }

    /// True if this process has the session, ready or not.
    pub fn has(&self, session: &str) -> bool {
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
    pub fn open_count(&self, session: &str) -> usize {
        self.sessions.get(session).map_or(0, |activity| activity.open)
    }

    pub(super) fn open(self: &Arc<Self>, session: Option<&str>, is_call: bool) -> OpenGuard {
        if let Some(mut activity) = session.and_then(|id| self.sessions.get_mut(id)) {
            activity.open += 1;
            activity.last = Instant::now();
        }
        OpenGuard { streams: Arc::clone(self), session: session.map(str::to_owned), is_call }
    }

    pub(super) fn replay(&self, session: &str) -> Result<Arc<Replay>, LocalSessionManagerError> {
        let activity = self.sessions.get(session);
        let replay = activity.map(|activity| Arc::clone(&activity.replay));
        replay.ok_or_else(|| LocalSessionManagerError::SessionNotFound(session.into()))
    }

    /// Sets whether a session's client wants log messages of the level `debug`.
    pub(super) fn set_debug(&self, session: &str, is_wanted: bool) {
        if let Ok(replay) = self.replay(session) {
            replay.set_quiet(!is_wanted);
        }
    }

    pub(super) fn touch(&self, session: &str) {
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
                    SessionEndReason::Deleted | SessionEndReason::Idle | SessionEndReason::Lost => false,
                    SessionEndReason::Moved | SessionEndReason::Failed => true,
                    SessionEndReason::Stopped => self.stored.is_lasting(),
                };
            hook(&EndedSession { lasted, why, is_over: !goes_on });
        }
    }

    /// Notifies a client that listens now of resources that may have changed while no process ran.
    pub(super) fn notify_missed(&self, session: &str) {
        let untold = self.sessions.get_mut(session).and_then(|mut activity| activity.began.as_mut()?.missed.take());
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
    pub(super) fn untouched(&self) -> Vec<String> {
        self.sessions
            .iter()
            .filter(|entry| entry.began.is_some() && (entry.open > 0 || entry.last > entry.touched))
            .map(|entry| entry.key().clone())
            .collect()
    }

    /// Extends the lifetime of a session in the store.
    pub(super) async fn touch_stored(&self, session: &str) {
        if let Some(mut activity) = self.sessions.get_mut(session) {
            activity.touched = Instant::now();
        }
        if let Err(error) = self.stored.touch(session).await {
            tracing::warn!(%error, "the lifetime of a session could not be extended in the store");
        }
    }

    /// Returns the sessions without anything open that have not been used for this long.
    pub(super) fn idle_for(&self, idle: Duration) -> Vec<String> {
        self.sessions.iter().filter(|entry| entry.is_idle(idle)).map(|entry| entry.key().clone()).collect()
    }

    /// True if this process has the session, nothing of it is open, and it has not been used for this long.
    pub(super) fn is_idle(&self, session: &str, idle: Duration) -> bool {
        self.sessions.get(session).is_some_and(|activity| activity.is_idle(idle))
    }

    /// Drops finished calls whose time is over, of all sessions.
    pub(super) fn drop_expired_calls(&self) {
        for activity in &self.sessions {
            activity.replay.drop_expired();
        }
    }
}

impl SessionActivity {
    fn is_idle(&self, idle: Duration) -> bool {
        self.open == 0 && self.last.elapsed() >= idle
    }
}

/// Returns the time without use after which a session ends.
pub(super) fn idle_of(app: &App) -> Duration {
    Duration::from_secs(app.config.server.session_idle_minutes.max(1) * 60)
}

/// Returns the interval of rounds: each ends idle sessions and extends the lifetimes of the others in the store.
pub(super) fn round_interval(idle: Duration) -> Duration {
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
