//! The gate before the protocol: only the principal that opened a session may use it.
//!
//! Invariant: no request reaches a session of another principal, whatever its method, and a stateless request reaches
//! none: its `Mcp-Session-Id` is removed. The session is looked up before rate limiting and before a slot is taken
//! ([`home`]), so that 404 comes before 429 and 503; it is restored after the request has its slot
//! ([`restore_layer`]). Sessions and their restoration are in [`crate::mcp`].

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{Method, StatusCode, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use fumi_kernel::metrics::RefusalReason;

use super::{
    auth::Principal,
    http_error::{self, HttpError},
    router::Edge,
};
use crate::mcp::{
    era,
    replicas::REPLICA,
    session_manager::{self, McpSessionManager},
    session_restore::AdmissionError,
    session_store::SessionHome,
};

/// The header that names the session of a request.
const SESSION: &str = "mcp-session-id";

/// Returns the other replica that holds a request's session, or else its task or browser session. `None` if this replica
/// holds it, or none does. Checks that the session belongs to the principal.
pub async fn home(edge: &Edge, parts: &mut Parts, body: &[u8]) -> Result<Option<SessionHome>, HttpError> {
    if edge.forwarder.as_ref().is_some_and(|forwarder| forwarder.is_for_other(&parts.headers)) {
        return Err(HttpError::new(StatusCode::MISDIRECTED_REQUEST, "OTHER_REPLICA", &[]));
    }
    let home = check_owner(edge, parts).await?;
    if home.is_some() || era::session_id(&parts.headers).is_some() {
        return Ok(home);
    }
    let Some(forwarder) = &edge.forwarder else { return Ok(None) };
    let found = forwarder.home_of_handle(parts, body).await;
    found.map_err(|error| refused(edge, &AdmissionError::Unavailable(error)))
}

/// Checks that the session of a request belongs to its principal. An `initialize` names no session at this point.
/// Returns the replica that has the session, unless that is this one.
async fn check_owner(edge: &Edge, parts: &mut Parts) -> Result<Option<SessionHome>, HttpError> {
    if !http_error::is_mcp(parts.uri.path()) {
        return Ok(None);
    }
    if era::is_stateless(&parts.headers) {
        parts.headers.remove(SESSION);
    }
    let Some(id) = era::session_id(&parts.headers) else {
        return Ok(None);
    };
    // Without a principal no owner matches.
    let principal = parts.extensions.get::<Arc<Principal>>();
    let unavailable = |error| refused(edge, &AdmissionError::Unavailable(error));
    match edge.sessions.locate(id).await.map_err(unavailable)? {
        Some(place) if principal.is_some_and(|principal| principal.name == place.owner) => {
            let (Some(home), Some(forwarder)) = (place.elsewhere, &edge.forwarder) else { return Ok(None) };
            let found = forwarder.find_home(&edge.sessions, id, &home).await;
            let home = found.map_err(|error| refused(edge, &error))?;
            // A request is forwarded only once, and its session moved again while the request was on its way here.
            if home.is_some() && parts.headers.contains_key(&REPLICA) {
                return Err(refused(edge, &AdmissionError::Failed));
            }
            Ok(home)
        }
        // Only its owner learns whether the session exists.
        _ => Err(refused(edge, &AdmissionError::Unknown)),
    }
}

/// The layer around the protocol's service: restores a session that this process does not have.
pub async fn restore_layer(
    State((edge, sessions)): State<(Edge, Arc<McpSessionManager>)>,
    request: Request,
    next: Next,
) -> Response {
    let Some(id) = era::session_id(request.headers()).map(str::to_owned) else {
        return next.run(request).await;
    };
    let ends = request.method() == Method::DELETE;
    let (parts, body) = request.into_parts();
    if let Err(refusal) = sessions.admit(&id, &parts).await {
        return refused(&edge, &refusal).into_response();
    }
    let request = Request::from_parts(parts, body);
    let mut response = if ends { session_manager::ending(next.run(request)).await } else { next.run(request).await };
    if ends && response.status() == StatusCode::ACCEPTED {
        // The session has ended when the library answers; clients treat "accepted" as a failure.
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    let is_lost = matches!(response.status(), StatusCode::NOT_FOUND | StatusCode::INTERNAL_SERVER_ERROR);
    if is_lost && sessions.is_closing() {
        // The session ended with the process, between the gate and its worker. "Not found" would make its client forget
        // it.
        return refused(&edge, &AdmissionError::Closing).into_response();
    }
    if ends && response.status() == StatusCode::INTERNAL_SERVER_ERROR && edge.sessions.is_open(&id) {
        // The store did not end it; the log says why.
        edge.app.kernel.metrics.refused(RefusalReason::Busy);
        return HttpError::session_not_ended().into_response();
    }
    if is_lost && !edge.sessions.is_open(&id) {
        // It ended or moved, between the gate and its worker.
        let place = edge.sessions.locate(&id).await;
        let lost = place.map_or_else(AdmissionError::Unavailable, |place| {
            place.map_or(AdmissionError::Unknown, |_| AdmissionError::Failed)
        });
        return refused(&edge, &lost).into_response();
    }
    response
}

fn refused(edge: &Edge, refused: &AdmissionError) -> HttpError {
    if let AdmissionError::Unavailable(error) = refused {
        // The first failure of a lookup is logged as an error.
        tracing::debug!(%error, "a session cannot be looked up");
    }
    let error = match refused {
        AdmissionError::Unknown => return HttpError::new(StatusCode::NOT_FOUND, "SESSION_NOT_FOUND", &[]),
        AdmissionError::Full(limit) => HttpError::too_many_sessions(*limit),
        AdmissionError::Unavailable(_) | AdmissionError::Failed => HttpError::sessions_unavailable(),
        AdmissionError::Closing => HttpError::going_down(),
    };
    edge.app.kernel.metrics.refused(RefusalReason::Busy);
    error
}
