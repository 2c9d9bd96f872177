//! Probes. `/livez` succeeds while the process can answer; `/readyz` reports whether to send more work.
//!
//! A probe needs no token and names neither the missing root nor the store's server.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{AppendHeaders, IntoResponse},
};
use parking_lot::{Mutex, MutexGuard};

use super::router::Edge;

/// The timeout of each check; a disk or a store that does not answer in time counts as missing.
const PATIENCE: Duration = Duration::from_secs(2);

/// True if a path is one of the probes, which are answered even when the server is full.
pub fn is_probe(path: &str) -> bool {
    matches!(path, "/livez" | "/readyz")
}

/// Reports that the process runs. Another replica that asks for this one by its id also learns that this one still has its
/// sessions.
pub async fn livez(State(edge): State<Edge>, headers: HeaderMap) -> impl IntoResponse {
    let answer = edge.app.replicas.as_ref().and_then(|replicas| replicas.answer(&headers));
    (AppendHeaders(answer), "ok\n")
}

/// Reports whether the server accepts calls.
pub async fn readyz(State(edge): State<Edge>) -> (StatusCode, &'static str) {
    if edge.draining.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "draining\n");
    }
    // The store's check has time-outs of its own; it is late only while the server is away.
    let store = tokio::time::timeout(PATIENCE, edge.app.store.check());
    let (roots, store) = tokio::join!(check_roots(&edge), store);
    match roots {
        RootState::Open if !matches!(store, Ok(Ok(()))) => {
            (StatusCode::SERVICE_UNAVAILABLE, "the store cannot be used\n")
        }
        RootState::Open => (StatusCode::OK, "ok\n"),
        // The response does not name the root, because probes need no token; the log and the caller's errors do.
        RootState::Missing => (StatusCode::SERVICE_UNAVAILABLE, "a project root is missing\n"),
        RootState::NoDescriptors => (StatusCode::SERVICE_UNAVAILABLE, "no file descriptors are left\n"),
    }
}

/// The state of all roots together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RootState {
    #[default]
    Open,
    /// A root does not exist, or did not answer in time.
    Missing,
    /// The roots exist, but no file can be opened.
    NoDescriptors,
}

/// The result of the last check of the roots.
#[derive(Clone, Debug, Default)]
pub struct RootProbe(Arc<RootCheck>);

#[derive(Debug, Default)]
struct RootCheck {
    is_looking: AtomicBool,
    last: Mutex<RootState>,
}

impl RootCheck {
    fn last(&self) -> MutexGuard<'_, RootState> {
        self.last.lock()
    }
}

/// Checks every root, for at most [`PATIENCE`]. Only one check runs at a time, so that a hanging mount blocks one
/// thread, however many probes arrive; meanwhile the last result is returned.
async fn check_roots(edge: &Edge) -> RootState {
    let RootProbe(check) = edge.root_probe.clone();
    if check.is_looking.swap(true, Relaxed) {
        return *check.last();
    }
    let (roots, told) = (Arc::clone(&edge.app.kernel.roots), Arc::clone(&check));
    let look = tokio::task::spawn_blocking(move || {
        let found = if !roots.ensure_open() {
            RootState::Missing
        } else if roots.lacks_descriptors() {
            RootState::NoDescriptors
        } else {
            RootState::Open
        };
        *told.last() = found;
        told.is_looking.store(false, Relaxed);
        found
    });
    if let Ok(found) = tokio::time::timeout(PATIENCE, look).await {
        return found.unwrap_or(RootState::Missing);
    }
    *check.last() = RootState::Missing;
    RootState::Missing
}
