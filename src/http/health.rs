//! Probes. `/livez` answers as long as the process can; `/readyz` says whether to send more work.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use axum::{extract::State, http::StatusCode};

use super::router::Edge;

/// A disk that says nothing for so long is as good as missing.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether a path is one of the probes, which are answered however full the server is.
#[must_use]
pub fn is_probe(path: &str) -> bool {
    matches!(path, "/livez" | "/readyz")
}

/// The process runs.
pub async fn livez() -> &'static str {
    "ok\n"
}

/// The server takes calls.
pub async fn readyz(State(edge): State<Edge>) -> (StatusCode, &'static str) {
    if edge.draining.is_cancelled() {
        (StatusCode::SERVICE_UNAVAILABLE, "draining\n")
    } else if !are_roots_there(&edge).await {
        // Which one, the log and the caller's errors say: probes are answered to strangers.
        (StatusCode::SERVICE_UNAVAILABLE, "a project root is missing\n")
    } else {
        (StatusCode::OK, "ok\n")
    }
}

/// What the last look at the roots found.
#[derive(Clone, Debug, Default)]
pub struct Roots(Arc<Looked>);

#[derive(Debug, Default)]
struct Looked {
    is_looking: AtomicBool,
    is_missing: AtomicBool,
}

/// True if every root answered within [`PATIENCE`]. One look at a time: a mount that hangs takes one thread, however many
/// probes come.
async fn are_roots_there(edge: &Edge) -> bool {
    let Roots(last) = edge.probed.clone();
    if last.is_looking.swap(true, Relaxed) {
        return !last.is_missing.load(Relaxed);
    }
    let (roots, told) = (Arc::clone(&edge.app.kernel.roots), Arc::clone(&last));
    let look = tokio::task::spawn_blocking(move || {
        let are_there = roots.are_there();
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
