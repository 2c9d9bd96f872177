//! The audit log: one line for each file that was written or removed, with its principal and tool.
//!
//! Invariant: the line is logged after the write, by the one module that all writes pass through
//! ([`crate::atomic_write`]), so that changes are logged even if the call fails later. Work without a caller (a new
//! novel at the command line) is not logged. Of a file only its quoted path in the project is logged, and nothing of
//! its content.

use std::{cell::RefCell, path::Path, sync::Arc};

use crate::{project::Project, redact::Redactor};

/// The principal and the tool of a call.
#[derive(Clone, Debug)]
pub struct Actor {
    /// The name of the principal; empty without authentication.
    pub principal: Arc<str>,
    pub tool: &'static str,
    /// Removes secrets from the names of files.
    pub redactor: Arc<Redactor>,
}

thread_local! {
    /// The caller of the work on this thread.
    static ACTOR: RefCell<Option<Actor>> = const { RefCell::new(None) };
}

/// Runs work on this thread for a caller.
pub fn run_as<T>(actor: Actor, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Actor>);
    impl Drop for Restore {
        fn drop(&mut self) {
            ACTOR.set(self.0.take());
        }
    }
    let _restore = Restore(ACTOR.replace(Some(actor)));
    work()
}

/// Logs that a file or folder of a project was `written` or `removed`.
pub(crate) fn log_change(what: &'static str, project: &Project, relative: &Path) {
    ACTOR.with_borrow(|actor| {
        let Some(Actor { principal, tool, redactor }) = actor else {
            return;
        };
        let principal = Some(&**principal).filter(|name| !name.is_empty());
        let shown = |path: &Path| {
            let path = path.display().to_string();
            redactor.redact_own(&path).unwrap_or(path)
        };
        let (file, project) = (shown(relative), shown(project.root()));
        tracing::info!(target: "fumi::audit", principal, tool, file, project, "{what}");
    });
}
