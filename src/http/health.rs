//! Probes. `/livez` succeeds while the process can answer; `/readyz` reports whether to send more work.
//!
//! A probe needs no token and does not name the missing root.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use axum::{extract::State, http::StatusCode};

use super::router::Edge;

/// The timeout of the check of the roots; a disk that does not answer in time counts as missing.
const PATIENCE: Duration = Duration::from_secs(2);

/// True if a path is one of the probes, which are answered even when the server is full.
#[must_use]
pub fn is_probe(path: &str) -> bool {
    matches!(path, "/livez" | "/readyz")
}

/// Reports that the process runs.
pub async fn livez() -> &'static str {
    "ok\n"
}

/// Reports whether the server accepts calls.
pub async fn readyz(State(edge): State<Edge>) -> (StatusCode, &'static str) {
    if edge.draining.is_cancelled() {
        (StatusCode::SERVICE_UNAVAILABLE, "draining\n")
    } else if !are_roots_there(&edge).await {
        // The response does not name the root, because probes need no token; the log and the caller's errors do.
        (StatusCode::SERVICE_UNAVAILABLE, "a project root is missing\n")
    } else {
        (StatusCode::OK, "ok\n")
    }
}

/// The result of the last check of the roots.
#[derive(Clone, Debug, Default)]
pub struct RootProbe(Arc<RootCheck>);

#[derive(Debug, Default)]
struct RootCheck {
    is_looking: AtomicBool,
    is_missing: AtomicBool,
}

/// True if every root answered within [`PATIENCE`]. Only one check runs at a time, so that a hanging mount blocks one
/// thread, however many probes arrive; meanwhile the last result is returned.
async fn are_roots_there(edge: &Edge) -> bool {
    let RootProbe(last) = edge.root_probe.clone();
    if last.is_looking.swap(true, Relaxed) {
        return !last.is_missing.load(Relaxed);
    }
    let (roots, told) = (Arc::clone(&edge.app.kernel.roots), Arc::clone(&last));
    let look = tokio::task::spawn_blocking(move || {
        let are_there = roots.ensure_open();
        told.is_missing.store(!are_there, Relaxed);
        told.is_looking.store(false, Relaxed);
        are_there
    });
    let looked = tokio::time::timeout(PATIENCE, look).await;
    if looked.is_err() {
        last.is_missing.store(true, Relaxed);
    }
    matches!(looked, Ok(Ok(true)))
}
