//! The paths that changed under a root, remembered for a reader that keeps something about each file: [`ChangeLog`].
//!
//! Invariant: a change that happened before [`ChangeLog::take`], by a system call that had returned, is in its answer or
//! in that of an earlier `take`, or the answer is [`ChangedPaths::Unknown`]. The log does not say what happened to a path:
//! the reader looks, after `take`. What no stamp covers ([`crate::freshness`]) is not logged either, above all the
//! contents of `.fumi/`, `.noveler/` and most of `.git/`, and the targets of links that lead out.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Arc, Weak},
};

use parking_lot::Mutex;
use tokio::{runtime::Handle, sync::Notify};

use crate::{
    changes::EventLoop,
    root_watcher::{RootWatcher, is_uncounted},
};

/// The maximum number of paths that a log remembers. A build may write more, into an ignored folder; the paths would take
/// over 5 MB, and comparing all files takes less time than looking at each path.
const MOST_PATHS: usize = 50_000;

/// The paths that changed since the last [`ChangeLog::take`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedPaths {
    /// Absolute paths, in no particular order. Each stands for itself and for everything below it, since a folder that
    /// was moved, or that was filled before it was watched, is reported alone. A path may be unchanged or gone.
    Paths(Vec<PathBuf>),
    /// Anything may have changed: events were lost, the root is another folder or is not watched, a folder has two paths
    /// (a bind mount), or more paths changed than a log remembers.
    Unknown,
}

/// Everything that a reader must know about a root to trust what it keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    pub changed: ChangedPaths,
    /// The hash of the ignore rules outside the root, without the targets of ignore files that are links. `None` if the
    /// root has more worktrees and submodules than are inspected.
    pub outside: Option<u64>,
    /// False if the kernel does not report changes of this root: `changed` is then always [`ChangedPaths::Unknown`].
    pub is_watched: bool,
}

/// True for a path, relative to a root, whose changes are logged.
pub fn is_logged(relative: &Path) -> bool {
    !relative.iter().any(is_uncounted)
}

/// A log of the changes under one root, from its creation on. Dropping it ends the log.
#[derive(Debug)]
pub struct ChangeLog {
    tree: Arc<Mutex<RootWatcher>>,
    log: Arc<PathLog>,
    /// Reads the kernel's queue while no call does, so that it does not overflow. `None` outside a runtime.
    _event_loop: Option<Arc<EventLoop>>,
}

impl ChangeLog {
    pub(crate) fn begin(tree: Arc<Mutex<RootWatcher>>) -> Self {
        let log = Arc::new(PathLog::default());
        let event_loop = {
            let mut inner = tree.lock();
            // Discard events queued earlier: they are not news for this log.
            inner.drain();
            inner.logs.0.push(Arc::downgrade(&log));
            Handle::try_current().ok().map(|_| EventLoop::share(&tree, &mut inner))
        };
        Self { tree, log, _event_loop: event_loop }
    }

    /// Returns what changed since the last `take`, or since the log began. Each change is returned to one caller only.
    /// Blocking: it reads the kernel's queue first, and walks new folders.
    pub fn take(&self) -> Changes {
        self.tree.lock().take_changes(&self.log)
    }

    /// Waits until something was logged since the last `take`. Only one task may wait at a time. For a log that began
    /// outside a runtime, something is logged only when a call reads the kernel's queue.
    pub async fn wait(&self) {
        while self.log.is_empty() {
            self.log.wake.notified().await;
        }
    }
}

/// The part of a log that the root's watcher fills.
#[derive(Debug, Default)]
pub(crate) struct PathLog {
    /// Locked in short sections that never await.
    state: Mutex<LogState>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct LogState {
    paths: HashSet<PathBuf>,
    /// True if paths are missing. Then `paths` is empty, and stays so until the log is taken.
    is_unknown: bool,
}

impl PathLog {
    fn push(&self, path: &Path) {
        let mut state = self.state.lock();
        if state.is_unknown || state.paths.contains(path) {
            return;
        }
        if state.paths.len() < MOST_PATHS {
            state.paths.insert(path.to_path_buf());
        } else {
            state.forget();
        }
        self.wake.notify_one();
    }

    fn forget(&self) {
        self.state.lock().forget();
        self.wake.notify_one();
    }

    fn is_empty(&self) -> bool {
        let state = self.state.lock();
        state.paths.is_empty() && !state.is_unknown
    }

    /// Returns what was logged and resets the log.
    pub(crate) fn take(&self) -> ChangedPaths {
        let state = std::mem::take(&mut *self.state.lock());
        if state.is_unknown { ChangedPaths::Unknown } else { ChangedPaths::Paths(state.paths.into_iter().collect()) }
    }
}

impl LogState {
    fn forget(&mut self) {
        *self = Self { paths: HashSet::new(), is_unknown: true };
    }
}

/// The logs of one root.
#[derive(Debug, Default)]
pub(crate) struct PathLogs(Vec<Weak<PathLog>>);

impl PathLogs {
    /// Logs that a path, or something below it, changed.
    pub(crate) fn push(&mut self, path: &Path) {
        self.for_each(|log| log.push(path));
    }

    /// Logs that anything may have changed.
    pub(crate) fn forget(&mut self) {
        self.for_each(PathLog::forget);
    }

    fn for_each(&mut self, act: impl Fn(&PathLog)) {
        self.0.retain(|log| {
            let log = log.upgrade();
            if let Some(log) = &log {
                act(log);
            }
            log.is_some()
        });
    }
}

#[cfg(test)]
mod tests;
