//! The browser of this process: its Chromium processes and the sessions that use them.
//!
//! Invariants: at most one Chromium takes new contexts, and it is started on first use. A session is found only by its
//! handle together with its principal. After [`BrowserService::shut_down`] nothing is started any more.

use std::{
    cmp::Reverse,
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Arc, Once, Weak, atomic::AtomicU64},
    time::Instant,
};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Mutex as Queue, OnceCell, oneshot};
use tokio_util::sync::CancellationToken;

use crate::{
    chromium::{ChromiumProcess, ProcessExit},
    context::BrowserContext,
    devtools::CallError,
    errors::BrowserError,
    guard::PolicyGuard,
    proxy::PolicyProxy,
    reaper,
    reset_reason::ResetReason,
    running::RunningChromium,
    session::{BrowserSession, SessionOwner},
    settings::BrowserSettings,
    tab::{DownloadBudget, TabSettings},
};

/// The characters of a handle: base32 in lower case.
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The number of clients that are remembered because their session was ended, so that they can be told.
const ENDED: usize = 1_000;

/// The browser of this process, shared by all sessions.
pub struct BrowserService {
    settings: BrowserSettings,
    guard: Arc<PolicyGuard>,
    gate: OnceCell<PolicyProxy>,
    // The Chromium that takes new contexts. Locked during a start, so that only one is started.
    current: Queue<Option<Arc<RunningChromium>>>,
    // The two mutexes below are locked only to move values, never across an await.
    sessions: Mutex<BrowserSessionTable>,
    history: Mutex<ProcessHistory>,
    /// Bytes on disk of the downloads of all sessions.
    downloaded: Arc<AtomicU64>,
    ending: CancellationToken,
    ageing: Once,
}

#[derive(Default)]
struct BrowserSessionTable {
    by_handle: HashMap<String, Arc<BrowserSession>>,
    /// The handles of clients that pass none.
    by_client: HashMap<SessionOwner, String>,
    /// The clients that do not know yet that their session was ended, the newest last.
    ended: VecDeque<(SessionOwner, ResetReason)>,
}

/// The history of the Chromium processes.
#[derive(Default)]
pub(crate) struct ProcessHistory {
    /// All processes that may still be up, including the current one.
    pub(crate) up: Vec<Weak<RunningChromium>>,
    pub(crate) starts: u64,
    pub(crate) crash: Option<(Instant, ProcessExit)>,
    /// The time and the error of the last start that failed.
    failure: Option<(Instant, BrowserError)>,
}

impl BrowserService {
    /// Creates a browser without starting Chromium.
    pub fn new(settings: BrowserSettings) -> Arc<Self> {
        Arc::new(Self {
            guard: PolicyGuard::new(settings.policy.clone()),
            gate: OnceCell::new(),
            settings,
            current: Queue::default(),
            sessions: Mutex::default(),
            history: Mutex::default(),
            downloaded: Arc::default(),
            ending: CancellationToken::new(),
            ageing: Once::new(),
        })
    }

    /// Starts the task that ends idle sessions and old processes, with the first session; creating a `BrowserService`
    /// needs no runtime.
    fn start_reaper(self: &Arc<Self>) {
        self.ageing.call_once(|| {
            tokio::spawn(reaper::run_reaper(
                Arc::downgrade(self),
                self.ending.clone(),
                reaper::ReaperInterval::from_settings(&self.settings),
            ));
        });
    }

    /// Returns the session of a handle. Without a handle, returns the session of the client's MCP session, or a new
    /// one.
    pub async fn session(
        self: &Arc<Self>,
        owner: &SessionOwner,
        handle: Option<&str>,
    ) -> Result<Arc<BrowserSession>, BrowserError> {
        self.start_reaper();
        if let Some(handle) = handle {
            return self.find(owner, handle);
        }
        let evicted;
        let session = {
            let mut sessions = self.sessions();
            if let Some(session) = sessions.known(owner) {
                return Ok(session);
            }
            evicted = self.make_room(&mut sessions, &owner.principal)?;
            let handle = self.new_handle()?;
            let session = Arc::new(BrowserSession::new(Arc::downgrade(self), owner.principal.clone(), handle.clone()));
            if owner.mcp_session.is_some() {
                sessions.by_client.insert(owner.clone(), handle.clone());
                if let Some(why) = sessions.take_ended(owner) {
                    session.state.record_reset(why);
                }
            }
            sessions.by_handle.insert(handle, Arc::clone(&session));
            session
        };
        if let Some(context) = evicted.and_then(|evicted| evicted.state.close()) {
            context.close().await;
        }
        Ok(session)
    }

    /// Returns the existing session of a client that passes no handle. Does not create one.
    pub fn existing_session(&self, owner: &SessionOwner) -> Option<Arc<BrowserSession>> {
        self.sessions().known(owner)
    }

    /// Creates the handle of a session: `b_`, the replica and `_` if there are replicas, and 16 random letters.
    fn new_handle(&self) -> Result<String, BrowserError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| BrowserError::ChromiumFailed {
            reason: format!("could not be given a session handle: {error}"),
        })?;
        let letters: String = random.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
        Ok(match &self.settings.replica {
            Some(replica) => format!("b_{replica}_{letters}"),
            None => format!("b_{letters}"),
        })
    }

    fn find(&self, owner: &SessionOwner, handle: &str) -> Result<Arc<BrowserSession>, BrowserError> {
        self.sessions()
            .by_handle
            .get(handle)
            .filter(|session| session.state.principal == owner.principal)
            .cloned()
            .ok_or_else(|| BrowserError::NoBrowserSession { handle: handle.to_owned() })
    }

    /// If the limit of sessions is reached, removes and returns one that is not in use. A session of any principal
    /// without tabs that was not used for a while goes first. Otherwise the least recently used session of the
    /// principal with the most sessions goes; a principal loses a session to another one only if it has at least two
    /// more than that one.
    fn make_room(
        &self,
        sessions: &mut BrowserSessionTable,
        principal: &str,
    ) -> Result<Option<Arc<BrowserSession>>, BrowserError> {
        if sessions.by_handle.len() < self.settings.max_sessions {
            return Ok(None);
        }
        let all = || sessions.by_handle.values();
        let held = |principal: &str| all().filter(|session| session.state.principal == principal).count();
        let own = held(principal);
        let is_fair = |session: &&Arc<BrowserSession>| {
            let theirs = &session.state.principal;
            theirs == principal || held(theirs) > own + 1
        };
        let idle = || all().filter(|session| !session.state.is_busy());
        let spent = idle().filter(|session| session.state.is_evictable());
        let goes = spent
            .min_by_key(|session| session.state.used())
            .or_else(|| {
                let fair = idle().filter(is_fair);
                fair.max_by_key(|session| (held(&session.state.principal), Reverse(session.state.used())))
            })
            .cloned()
            .ok_or(BrowserError::TooManyBrowserSessions { limit: self.settings.max_sessions })?;
        sessions.end(&goes, ResetReason::Evicted);
        Ok(Some(goes))
    }

    /// Closes a session. A call that is using it fails with a closed tab.
    pub async fn close(&self, owner: &SessionOwner, handle: &str) -> Result<(), BrowserError> {
        let session = self.find(owner, handle)?;
        self.sessions().remove(handle);
        if let Some(context) = session.state.close() {
            context.close().await;
        }
        Ok(())
    }

    /// Ends Chromium with all contexts and profiles at once. Later calls start nothing and fail.
    pub async fn shut_down(&self) {
        self.ending.cancel();
        // A start that is under way ends when it sees the token.
        let current = self.current.lock().await.take();
        let sessions: Vec<_> = self.sessions().by_handle.drain().collect();
        let up: Vec<_> = self.history().up.iter().filter_map(Weak::upgrade).collect();
        drop(current);
        for running in up {
            running.end(ResetReason::Age).await;
        }
        for (_, session) in sessions {
            session.state.close();
        }
    }

    /// Returns the policy and the log of denied requests.
    pub fn guard(&self) -> &Arc<PolicyGuard> {
        &self.guard
    }

    /// Creates a context in the current Chromium, which is started if necessary.
    pub(crate) async fn context(self: &Arc<Self>) -> Result<Arc<BrowserContext>, BrowserError> {
        let running = self.running().await?;
        let downloads = running.process().downloads().clone();
        let room = DownloadBudget::new(self.settings.largest_download, Arc::clone(&self.downloaded));
        let (judge, refused) = (Arc::clone(&self.guard), Arc::clone(&self.guard));
        running
            .context(self.settings.viewport, move |id| {
                let folder = downloads.join(&id.0);
                let made = std::fs::create_dir_all(&folder);
                TabSettings {
                    judge: Some(Arc::new(move |url| judge.check_url(url))),
                    refused: Some(Arc::new(move |url| refused.recent_denial(url))),
                    downloads: made.is_ok().then_some(folder),
                    room: Arc::new(room),
                    ..TabSettings::default()
                }
            })
            .await
    }

    /// Returns the Chromium that takes new contexts; starts one if none is up.
    async fn running(self: &Arc<Self>) -> Result<Arc<RunningChromium>, BrowserError> {
        // Runs in a task of its own, so that a caller that gives up does not cancel the start that others wait for.
        let browser = Arc::clone(self);
        let came = Instant::now();
        let (mut tell, told) = oneshot::channel();
        tokio::spawn(async move {
            let mut current = tokio::select! {
                current = browser.current.lock() => current,
                // A caller that gave up leaves the queue. Otherwise a Chromium that fails to start would be tried again
                // for each of them.
                () = tell.closed() => return,
            };
            let started = browser.running_or_start(&mut current, came).await;
            drop(current);
            // If the caller gave up meanwhile, the next caller uses the started process.
            let _ = tell.send(started);
        });
        told.await.unwrap_or_else(|_| Err(BrowserError::ChromiumFailed { reason: "could not be started".to_owned() }))
    }

    /// Must be called with `current` locked. A caller that `came` before the last failed start gets that error, and no
    /// other start is tried.
    async fn running_or_start(
        self: &Arc<Self>,
        current: &mut Option<Arc<RunningChromium>>,
        came: Instant,
    ) -> Result<Arc<RunningChromium>, BrowserError> {
        if let Some(running) = current.as_ref().filter(|running| running.is_up()) {
            return Ok(Arc::clone(running));
        }
        *current = None;
        if self.ending.is_cancelled() {
            return Err(CallError::Closed.into());
        }
        if let Some((at, failure)) = &self.history().failure
            && came < *at
        {
            return Err(copy_start_error(failure));
        }
        let started = tokio::select! {
            started = self.start() => started,
            () = self.ending.cancelled() => return Err(CallError::Closed.into()),
        };
        match &started {
            Ok(running) => *current = Some(Arc::clone(running)),
            Err(failure) => self.history().failure = Some((Instant::now(), copy_start_error(failure))),
        }
        started
    }

    async fn start(self: &Arc<Self>) -> Result<Arc<RunningChromium>, BrowserError> {
        let gate = if self.settings.policy.denies_hosts() {
            let gate = self.gate.get_or_try_init(|| PolicyProxy::open(Arc::clone(&self.guard)));
            gate.await
                .map_err(|error| BrowserError::ChromiumFailed {
                    reason: format!("could not be given a proxy: {error}"),
                })?
                .flags()
        } else {
            Vec::new()
        };
        let process = ChromiumProcess::start(&self.settings.launch, &gate).await?;
        let browser = Arc::downgrade(self);
        let crashed = move |ended| {
            if let Some(browser) = browser.upgrade() {
                browser.note_crash(ended);
            }
        };
        let running = Arc::new(RunningChromium::new(process, crashed).await?);
        let mut history = self.history();
        history.starts += 1;
        history.up.retain(|up| up.strong_count() > 0);
        history.up.push(Arc::downgrade(&running));
        drop(history);
        tokio::spawn(reaper::watch_liveness(Arc::downgrade(self), Arc::downgrade(&running), self.settings.hang));
        Ok(running)
    }

    pub(crate) fn note_crash(&self, ended: ProcessExit) {
        self.history().crash = Some((Instant::now(), ended));
    }

    pub(crate) fn settings(&self) -> &BrowserSettings {
        &self.settings
    }

    pub(crate) fn history(&self) -> MutexGuard<'_, ProcessHistory> {
        self.history.lock()
    }

    fn sessions(&self) -> MutexGuard<'_, BrowserSessionTable> {
        self.sessions.lock()
    }

    /// Returns all sessions, in no particular order.
    pub(crate) fn all(&self) -> Vec<Arc<BrowserSession>> {
        self.sessions().by_handle.values().cloned().collect()
    }

    /// Removes a session that was idle for too long.
    pub(crate) fn forget(&self, session: &BrowserSession) {
        self.sessions().end(session, ResetReason::Idle);
    }

    /// Returns the Chromium that takes new contexts; `None` if none is up or one is being started.
    pub(crate) fn current(&self) -> Option<Arc<RunningChromium>> {
        self.current.try_lock().ok()?.clone().filter(|running| running.is_up())
    }

    /// Makes a Chromium take no new contexts. It ends with its last context.
    pub(crate) fn retire(&self, running: &Arc<RunningChromium>) {
        if let Ok(mut current) = self.current.try_lock()
            && current.as_ref().is_some_and(|current| Arc::ptr_eq(current, running))
        {
            running.retire();
            *current = None;
        }
    }
}

impl Drop for BrowserService {
    fn drop(&mut self) {
        self.ending.cancel();
    }
}

impl BrowserSessionTable {
    fn known(&self, owner: &SessionOwner) -> Option<Arc<BrowserSession>> {
        owner.mcp_session.as_ref()?;
        self.by_handle.get(self.by_client.get(owner)?).cloned()
    }

    fn remove(&mut self, handle: &str) {
        self.by_handle.remove(handle);
        self.by_client.retain(|_, known| known != handle);
    }

    /// Removes a session that its client has not closed. The client's next session reports the reason.
    fn end(&mut self, session: &BrowserSession, why: ResetReason) {
        let client = self.by_client.iter().find(|(_, known)| known.as_str() == session.handle());
        if let Some((owner, _)) = client.filter(|_| session.state.is_missed()) {
            self.ended.push_back((owner.clone(), why));
        }
        if self.ended.len() > ENDED {
            self.ended.pop_front();
        }
        self.remove(session.handle());
    }

    fn take_ended(&mut self, owner: &SessionOwner) -> Option<ResetReason> {
        let at = self.ended.iter().position(|(ended, _)| ended == owner)?;
        self.ended.remove(at).map(|(_, why)| why)
    }
}

/// Copies the error of a start for another caller that waited for it.
fn copy_start_error(failure: &BrowserError) -> BrowserError {
    match failure {
        BrowserError::NoChromium { looked } => BrowserError::NoChromium { looked: looked.clone() },
        BrowserError::ChromiumFailed { reason } => BrowserError::ChromiumFailed { reason: reason.clone() },
        other => BrowserError::ChromiumFailed { reason: other.to_string() },
    }
}

impl fmt::Debug for BrowserService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Browser").field("settings", &self.settings).finish_non_exhaustive()
    }
}
