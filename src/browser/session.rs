//! A client's session in the browser: one handle, one principal, one context, and one call at a time.
//!
//! Invariants: the handle cannot be guessed and is useless to other principals. Calls of a session run in the order of
//! arrival. Ending a session (by closing, crash or age) does not wait for the call that uses it.

use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Mutex as Queue, OwnedMutexGuard};

use crate::{
    browser::BrowserService, context::BrowserContext, errors::BrowserError, reset_reason::ResetReason,
    tabs::SessionTabs,
};

/// The time that a session without tabs is kept even if other clients need its place; its next call may be on its way.
const EVICTABLE_AFTER: Duration = Duration::from_mins(1);

/// The caller that a session belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionOwner {
    /// The principal that owns the session.
    pub principal: String,
    /// The client's MCP session, if any. Its calls without a handle share one browser session.
    pub mcp_session: Option<String>,
}

/// A client's session in the browser.
#[derive(Debug)]
pub struct BrowserSession {
    pub(crate) state: Arc<BrowserSessionState>,
    turns: Arc<Queue<SessionTabs>>,
}

/// The part of a session that is accessible while a call holds its lock.
pub(crate) struct BrowserSessionState {
    pub(crate) handle: String,
    pub(crate) principal: String,
    browser: Weak<BrowserService>,
    // The three mutexes below are locked only to move values, never across an await.
    context: Mutex<Option<Arc<BrowserContext>>>,
    loss: Mutex<Option<ResetReason>>,
    used: Mutex<Instant>,
    users: AtomicUsize,
    closed: AtomicBool,
}

/// The lock of a session: exclusive access to its tabs until dropped.
#[must_use]
#[derive(Debug)]
pub struct SessionGuard {
    tabs: OwnedMutexGuard<SessionTabs>,
    _user: UsageGuard,
}

/// Counts, while alive, as one call that holds or awaits the session's lock.
#[derive(Debug)]
struct UsageGuard(Arc<BrowserSessionState>);

impl BrowserSession {
    pub(crate) fn new(browser: Weak<BrowserService>, principal: String, handle: String) -> Self {
        let state = Arc::new(BrowserSessionState {
            handle,
            principal,
            browser,
            context: Mutex::default(),
            loss: Mutex::default(),
            used: Mutex::new(Instant::now()),
            users: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        });
        Self { turns: Arc::new(Queue::new(SessionTabs::new(Arc::clone(&state)))), state }
    }

    /// Returns the handle by which the principal refers to the session.
    pub fn handle(&self) -> &str {
        &self.state.handle
    }

    /// Waits for the session's lock, which is held for one call or a whole batch. First come, first served.
    pub async fn lock(&self) -> SessionGuard {
        let user = UsageGuard::new(Arc::clone(&self.state));
        SessionGuard { tabs: Arc::clone(&self.turns).lock_owned().await, _user: user }
    }
}

impl BrowserSession {
    /// Locks the session if no call holds the lock; calls that come meanwhile wait.
    pub(crate) fn try_lock(&self) -> Option<OwnedMutexGuard<SessionTabs>> {
        Arc::clone(&self.turns).try_lock_owned().ok()
    }
}

impl BrowserSessionState {
    /// Returns the context; creates it, and starts Chromium, if necessary.
    pub(crate) async fn context(&self) -> Result<Arc<BrowserContext>, BrowserError> {
        if let Some(context) = self.live_context() {
            return Ok(context);
        }
        let browser = self.browser.upgrade().ok_or_else(|| self.gone())?;
        if self.is_closed() {
            return Err(self.gone());
        }
        let context = browser.context().await?;
        *self.lock_context() = Some(Arc::clone(&context));
        // The session was closed while Chromium started.
        if self.is_closed() {
            self.lock_context().take();
            return Err(self.gone());
        }
        Ok(context)
    }

    /// Returns the context if it exists and its Chromium is up.
    pub(crate) fn live_context(&self) -> Option<Arc<BrowserContext>> {
        let mut slot = self.lock_context();
        let context = slot.as_ref()?;
        if context.running().is_up() {
            return Some(Arc::clone(context));
        }
        self.record_reset(context.running().reset_reason());
        *slot = None;
        None
    }

    /// Checks a URL against the policy.
    pub(crate) fn judge(&self, url: &str) -> Result<(), BrowserError> {
        self.browser.upgrade().map_or(Ok(()), |browser| browser.guard().check_url(url))
    }

    fn gone(&self) -> BrowserError {
        BrowserError::NoBrowserSession { handle: self.handle.clone() }
    }

    fn lock_context(&self) -> MutexGuard<'_, Option<Arc<BrowserContext>>> {
        self.context.lock()
    }

    pub(crate) fn record_reset(&self, loss: ResetReason) {
        *self.loss.lock() = Some(loss);
    }

    pub(crate) fn take_reset_reason(&self) -> Option<ResetReason> {
        // Checking the context records a loss that was not noticed before.
        self.live_context();
        self.loss.lock().take()
    }

    /// True if a call holds or awaits the lock.
    pub(crate) fn is_busy(&self) -> bool {
        self.users.load(Ordering::SeqCst) > 0
    }

    /// Returns the time since the last use; zero while in use.
    pub(crate) fn idle(&self) -> Duration {
        if self.is_busy() {
            return Duration::ZERO;
        }
        self.used().elapsed()
    }

    /// Returns the time of the last use. Unlike [`BrowserSessionState::idle`], it does not change while sessions are
    /// compared.
    pub(crate) fn used(&self) -> Instant {
        *self.used.lock()
    }

    /// True if the session has a context, even one whose Chromium is gone.
    pub(crate) fn has_context(&self) -> bool {
        self.lock_context().is_some()
    }

    /// True if the end of the session costs its client something: its tabs, or the report that they are gone already.
    pub(crate) fn is_missed(&self) -> bool {
        self.has_context() || self.loss.lock().is_some()
    }

    /// True if the session may be evicted: it has no tabs, and was not used for [`EVICTABLE_AFTER`].
    pub(crate) fn is_evictable(&self) -> bool {
        self.idle() >= EVICTABLE_AFTER && self.live_context().is_none()
    }

    #[cfg(test)]
    pub(crate) fn grow_older(&self, by: Duration) {
        *self.used.lock() -= by;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Takes the context out of the session. The next call creates a new one.
    pub(crate) fn release(&self, why: ResetReason) -> Option<Arc<BrowserContext>> {
        let context = self.lock_context().take()?;
        self.record_reset(why);
        Some(context)
    }

    /// Closes the session for good, even while a call holds its lock.
    pub(crate) fn close(&self) -> Option<Arc<BrowserContext>> {
        self.closed.store(true, Ordering::SeqCst);
        self.lock_context().take()
    }
}

impl UsageGuard {
    fn new(state: Arc<BrowserSessionState>) -> Self {
        state.users.fetch_add(1, Ordering::SeqCst);
        Self(state)
    }
}

impl Drop for UsageGuard {
    fn drop(&mut self) {
        *self.0.used.lock() = Instant::now();
        self.0.users.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Deref for SessionGuard {
    type Target = SessionTabs;

    fn deref(&self) -> &SessionTabs {
        &self.tabs
    }
}

impl DerefMut for SessionGuard {
    fn deref_mut(&mut self) -> &mut SessionTabs {
        &mut self.tabs
    }
}

impl fmt::Debug for BrowserSessionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The handle is a secret of its principal.
        f.debug_struct("State").field("principal", &self.principal).finish_non_exhaustive()
    }
}
