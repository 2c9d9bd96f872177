//! Whose turn it is on the tabs of a session: one call at a time, or one whole batch.
//!
//! The steps of a batch keep the turn until the batch ends, so that nobody acts between two of them; and those that name no
//! session share the first one that a step had. A batch on several sessions takes their turns as it comes to them.

use std::sync::Arc;

use fumi_browser::{Session, Tabs, Turn};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::BrowserDeps;
use crate::tool::{Cx, ToolError};

/// The turns that a batch has, in the order in which it came to them. It ends with the batch, and the turns with it.
#[derive(Debug, Default)]
struct Held(Arc<Mutex<Turns>>);

type Turns = Vec<Shared>;

/// A turn of a batch.
#[derive(Debug)]
pub(super) struct Shared {
    session: Arc<Session>,
    turn: Turn,
    /// Whether a step has said the session's name: once is enough for a whole batch.
    is_told: bool,
}

/// A turn on the tabs of a session.
#[derive(Debug)]
pub(super) enum Mine {
    /// Until the call ends.
    Call(Arc<Session>, Turn),
    /// Until the batch ends: one of its turns, by its place.
    Step(OwnedMutexGuard<Turns>, usize),
}

impl Mine {
    /// Waits for the turn on the session that a handle names.
    pub(super) async fn wait(deps: &BrowserDeps, cx: &Cx, handle: Option<&str>) -> Result<Self, ToolError> {
        let Some(batch) = &cx.batch else {
            let session = deps.session(cx, handle).await?;
            let turn = session.alone().await;
            return Ok(Self::Call(session, turn));
        };
        let mut turns = Arc::clone(&batch.kept(Held::default).0).lock_owned().await;
        if handle.is_none() && !turns.is_empty() {
            return Ok(Self::Step(turns, 0));
        }
        let session = deps.session(cx, handle).await?;
        let known = turns.iter().position(|held| held.session.handle() == session.handle());
        let at = if let Some(at) = known {
            at
        } else {
            let turn = session.alone().await;
            turns.push(Shared {
                session,
                turn,
                is_told: false,
            });
            turns.len() - 1
        };
        Ok(Self::Step(turns, at))
    }

    /// The one that a call has waited for.
    pub(super) fn of(cx: &Cx) -> Result<Self, ToolError> {
        cx.take_turn().ok_or_else(|| {
            tracing::error!("a browser tool runs without its turn");
            ToolError::internal()
        })
    }

    /// The session's name.
    pub(super) fn handle(&self) -> &str {
        match self {
            Self::Call(session, _) => session.handle(),
            Self::Step(turns, at) => turns[*at].session.handle(),
        }
    }

    /// The session's name, unless an earlier step of the batch has told it.
    pub(super) fn tell(&mut self) -> Option<String> {
        match self {
            Self::Call(session, _) => Some(session.handle().to_owned()),
            Self::Step(turns, at) => {
                let held = &mut turns[*at];
                let is_told = std::mem::replace(&mut held.is_told, true);
                (!is_told).then(|| held.session.handle().to_owned())
            }
        }
    }

    /// Its tabs.
    pub(super) fn tabs(&mut self) -> &mut Tabs {
        match self {
            Self::Call(_, turn) => turn,
            Self::Step(turns, at) => &mut turns[*at].turn,
        }
    }

    /// Gives the turn up before its time: for who ends the session. Returns its name.
    pub(super) fn give_up(self) -> String {
        match self {
            Self::Call(session, _) => session.handle().to_owned(),
            Self::Step(mut turns, at) => turns.remove(at).session.handle().to_owned(),
        }
    }
}
