//! Probes. `/livez` answers as long as the process can; `/readyz` says whether to send more work.

use axum::{extract::State, http::StatusCode};

use super::router::Edge;

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
    } else if !edge.app.kernel.roots.are_there() {
        // Which one, the log and the caller's errors say: probes are answered to strangers.
        (StatusCode::SERVICE_UNAVAILABLE, "a project root is missing\n")
    } else {
        (StatusCode::OK, "ok\n")
    }
}
