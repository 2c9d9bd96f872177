//! A client's session in the browser: one handle, one principal, one context, one call at a time.
//!
//! Invariants: the handle cannot be guessed, and is no use to another principal; calls of a session run in the order in
//! which they came; what ends a session (closing, crash, age) does not wait for the call that uses it.

use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::{Mutex as Queue, OwnedMutexGuard};

use crate::{browser::Browser, context::Context, errors::BrowserError, loss::Loss, tabs::Tabs};

/// How long a session that holds nothing is kept where there is no room for others: its next call may be on its way.
const SPENT: Duration = Duration::from_mins(1);

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// Whom the session belongs to.
    pub principal: String,
    /// The client's session of the protocol, if it has one: calls without a handle share the browser session of it.
    pub mcp_session: Option<String>,
}

/// A client's session in the browser.
#[derive(Debug)]
pub struct Session {
    pub(crate) state: Arc<State>,
    turns: Arc<Queue<Tabs>>,
}

/// What others may look at while somebody has his turn.
pub(crate) struct State {
    pub(crate) handle: String,
    pub(crate) principal: String,
    browser: Weak<Browser>,
    // The three below are held for moves only, never over a wait.
    context: Mutex<Option<Arc<Context>>>,
    loss: Mutex<Option<Loss>>,
    used: Mutex<Instant>,
    users: AtomicUsize,
    closed: AtomicBool,
}

/// A turn in a session: its tabs are nobody else's until this is dropped.
#[derive(Debug)]
pub struct Turn {
    tabs: OwnedMutexGuard<Tabs>,
    _user: User,
}

/// Counts who has or awaits a turn.
#[derive(Debug)]
struct User(Arc<State>);

impl Session {
    pub(crate) fn new(browser: Weak<Browser>, principal: String, handle: String) -> Self {
        let state = Arc::new(State {
            handle,
            principal,
            browser,
            context: Mutex::default(),
            loss: Mutex::default(),
            used: Mutex::new(Instant::now()),
            users: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        });
        Self {
            turns: Arc::new(Queue::new(Tabs::new(Arc::clone(&state)))),
            state,
        }
    }

    /// The handle by which its principal finds it again.
    #[must_use]
    pub fn handle(&self) -> &str {
        &self.state.handle
    }

    /// Waits for the turn: one call, or a whole batch. First come, first served.
    pub async fn alone(&self) -> Turn {
        let user = User::new(Arc::clone(&self.state));
        Turn {
            tabs: Arc::clone(&self.turns).lock_owned().await,
            _user: user,
        }
    }
}

impl Session {
    /// The turn, if nobody has it: whoever comes meanwhile waits.
    pub(crate) fn try_alone(&self) -> Option<OwnedMutexGuard<Tabs>> {
        Arc::clone(&self.turns).try_lock_owned().ok()
    }
}

impl State {
    /// The context, made if there is none; Chromium is started for it.
    pub(crate) async fn context(&self) -> Result<Arc<Context>, BrowserError> {
        if let Some(context) = self.live() {
            return Ok(context);
        }
        let browser = self.browser.upgrade().ok_or_else(|| self.gone())?;
        if self.is_closed() {
            return Err(self.gone());
        }
        let context = browser.context().await?;
        *self.slot() = Some(Arc::clone(&context));
        // Closed while Chromium came up.
        if self.is_closed() {
            self.slot().take();
            return Err(self.gone());
        }
        Ok(context)
    }

    /// The context, if there is one and its Chromium is up.
    pub(crate) fn live(&self) -> Option<Arc<Context>> {
        let mut slot = self.slot();
        let context = slot.as_ref()?;
        if context.running().is_up() {
            return Some(Arc::clone(context));
        }
        self.lose(context.running().loss());
        *slot = None;
        None
    }

    /// Judges a URL by the policy.
    pub(crate) fn judge(&self, url: &str) -> Result<(), BrowserError> {
        self.browser
            .upgrade()
            .map_or(Ok(()), |browser| browser.guard().judge(url))
    }

    fn gone(&self) -> BrowserError {
        BrowserError::NoSession {
            handle: self.handle.clone(),
        }
    }

    fn slot(&self) -> MutexGuard<'_, Option<Arc<Context>>> {
        self.context.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lose(&self, loss: Loss) {
        *self.loss.lock().unwrap_or_else(PoisonError::into_inner) = Some(loss);
    }

    pub(crate) fn take_loss(&self) -> Option<Loss> {
        // What was lost is noticed by looking.
        self.live();
        self.loss.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether somebody has or awaits a turn.
    pub(crate) fn is_busy(&self) -> bool {
        self.users.load(Ordering::SeqCst) > 0
    }

    /// How long nobody used it.
    pub(crate) fn idle(&self) -> Duration {
        if self.is_busy() {
            return Duration::ZERO;
        }
        self.used().elapsed()
    }

    /// When it was used last. Unlike how long ago that was, it is the same for all that are compared.
    pub(crate) fn used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it holds a context.
    pub(crate) fn has_context(&self) -> bool {
        self.slot().is_some()
    }

    /// Whether nobody would miss it: it holds nothing, and is not about to.
    pub(crate) fn is_spent(&self) -> bool {
        self.idle() >= SPENT && self.live().is_none()
    }

    #[cfg(test)]
    pub(crate) fn grow_older(&self, by: Duration) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) -= by;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Gives the context up. The next call gets another.
    pub(crate) fn release(&self, why: Loss) -> Option<Arc<Context>> {
        let context = self.slot().take()?;
        self.lose(why);
        Some(context)
    }

    /// Ends it for good, whoever has his turn.
    pub(crate) fn close(&self) -> Option<Arc<Context>> {
        self.closed.store(true, Ordering::SeqCst);
        self.slot().take()
    }
}

impl User {
    fn new(state: Arc<State>) -> Self {
        state.users.fetch_add(1, Ordering::SeqCst);
        Self(state)
    }
}

impl Drop for User {
    fn drop(&mut self) {
        *self.0.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.0.users.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Deref for Turn {
    type Target = Tabs;

    fn deref(&self) -> &Tabs {
        &self.tabs
    }
}

impl DerefMut for Turn {
    fn deref_mut(&mut self) -> &mut Tabs {
        &mut self.tabs
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The handle is a secret of its principal.
        f.debug_struct("State")
            .field("principal", &self.principal)
            .finish_non_exhaustive()
    }
}
