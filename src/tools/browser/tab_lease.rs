//! The lock on the tabs of a session, held by one call at a time or by one whole batch.
//!
//! The steps of a batch keep the lock until the batch ends, so that no other call acts between two of them. Steps that
//! name no session share the first session that a step used. A batch with several sessions locks them in the order in
//! which it reaches them.

use std::sync::Arc;

use fumi_browser::{BrowserSession, SessionGuard, SessionTabs};
use fumi_kernel::{Cx, ToolError};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::BrowserDeps;

/// The locks of a batch in the order in which it took them. They are released when the batch ends.
#[derive(Debug, Default)]
struct BatchLocks(Arc<Mutex<Turns>>);

type Turns = Vec<BatchLock>;

/// A lock on a session's tabs that belongs to a batch.
#[derive(Debug)]
pub(super) struct BatchLock {
    session: Arc<BrowserSession>,
    turn: SessionGuard,
    /// True if a step has reported the session's handle: once is enough for a whole batch.
    is_handle_reported: bool,
}

/// A lease of a session's tabs for one call or one step of a batch.
#[derive(Debug)]
pub(super) enum TabLease {
    /// A lock that is released when the call ends.
    Call(Arc<BrowserSession>, SessionGuard),
    /// A lock that is released when the batch ends, as an index into the batch's locks.
    Step(OwnedMutexGuard<Turns>, usize),
}

impl TabLease {
    /// Waits for the lock on the session with this handle.
    pub(super) async fn wait(deps: &BrowserDeps, cx: &Cx, handle: Option<&str>) -> Result<Self, ToolError> {
        let Some(batch) = &cx.batch else {
            let session = deps.session(cx, handle).await?;
            let turn = session.lock().await;
            return Ok(Self::Call(session, turn));
        };
        let mut turns = Arc::clone(&batch.get_or_create(BatchLocks::default).0).lock_owned().await;
        if handle.is_none() && !turns.is_empty() {
            return Ok(Self::Step(turns, 0));
        }
        let session = deps.session(cx, handle).await?;
        let known = turns.iter().position(|held| held.session.handle() == session.handle());
        let at = if let Some(at) = known {
            at
        } else {
            let turn = session.lock().await;
            turns.push(BatchLock { session, turn, is_handle_reported: false });
            turns.len() - 1
        };
        Ok(Self::Step(turns, at))
    }

    /// Returns the lease that the call has waited for. Its absence is an internal error.
    pub(super) fn take(cx: &Cx) -> Result<Self, ToolError> {
        cx.take_exclusive().ok_or_else(|| {
            tracing::error!("a browser tool runs without a lease of its tabs");
            ToolError::internal()
        })
    }

    /// Returns the handle of the session.
    pub(super) fn handle(&self) -> &str {
        match self {
            Self::Call(session, _) => session.handle(),
            Self::Step(turns, at) => turns[*at].session.handle(),
        }
    }

    /// Returns the handle of the session, unless an earlier step of the batch has reported it.
    pub(super) fn report_handle(&mut self) -> Option<String> {
        match self {
            Self::Call(session, _) => Some(session.handle().to_owned()),
            Self::Step(turns, at) => {
                let held = &mut turns[*at];
                let is_told = std::mem::replace(&mut held.is_handle_reported, true);
                (!is_told).then(|| held.session.handle().to_owned())
            }
        }
    }

    /// Returns the locked tabs of the session.
    pub(super) fn tabs(&mut self) -> &mut SessionTabs {
        match self {
            Self::Call(_, turn) => turn,
            Self::Step(turns, at) => &mut turns[*at].turn,
        }
    }

    /// Releases the lock early, for a call that ends the session. Returns the session's handle.
    pub(super) fn release(self) -> String {
        match self {
            Self::Call(session, _) => session.handle().to_owned(),
            Self::Step(mut turns, at) => turns.remove(at).session.handle().to_owned(),
        }
    }
}
