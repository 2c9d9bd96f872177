//! The gate before the protocol: whoever names a session must be the one that opened it.
//!
//! Invariant: no request reaches a session of another principal, whatever its method, and one of the era without sessions
//! reaches none: its `Mcp-Session-Id` is taken off. Whose a session is, is asked before anything is counted
//! ([`recognise`]), so that 404 comes before 429 and 503; it comes back where the request has its place ([`bring_back`]). What
//! a session is, and how it comes back, is the matter of [`crate::mcp`].

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    http::{Method, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{
    auth::Principal,
    refusal::{self, Refusal},
    router::Edge,
};
use crate::{
    mcp::{
        admission::Refused,
        sessions::{self, Sessions},
    },
    telemetry::metrics::RefusedBy,
};

/// The header by which a request names its session.
const SESSION: &str = "mcp-session-id";
/// After which time a refusal may be over: a server is up again, a disk answers, a session has ended.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// The layer that asks whose session a request names. An `initialize` names none any more.
pub async fn recognise(State(edge): State<Edge>, mut request: Request, next: Next) -> Response {
    if !refusal::is_mcp(request.uri().path()) {
        return next.run(request).await;
    }
    if sessions::is_stateless(request.headers()) {
        request.headers_mut().remove(SESSION);
    }
    let Some(id) = sessions::named(request.headers()).map(str::to_owned) else {
        return next.run(request).await;
    };
    // Nobody's name is no session's.
    let principal = request
        .extensions()
        .get::<Arc<Principal>>()
        .map(|known| Arc::clone(&known.name));
    match edge.streams.owner(&id).await {
        Ok(Some(owner)) if Some(&owner) == principal.as_ref() => next.run(request).await,
        // Whether there is such a session is its owner's matter.
        Ok(_) => refused(&edge, &Refused::Unknown),
        Err(error) => refused(&edge, &Refused::Unavailable(error)),
    }
}

/// The layer around the protocol's service: a session that this process does not have comes back first.
pub async fn bring_back(
    State((edge, sessions)): State<(Edge, Arc<Sessions>)>,
    request: Request,
    next: Next,
) -> Response {
    let Some(id) = sessions::named(request.headers()).map(str::to_owned) else {
        return next.run(request).await;
    };
    let ends = request.method() == Method::DELETE;
    let (parts, body) = request.into_parts();
    if let Err(refusal) = sessions.admit(&id, &parts).await {
        return refused(&edge, &refusal);
    }
    let request = Request::from_parts(parts, body);
    let mut response = if ends {
        sessions::ending(next.run(request)).await
    } else {
        next.run(request).await
    };
    if ends && response.status() == StatusCode::ACCEPTED {
        // It has ended when the library answers; clients take "accepted" for a failure.
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    let is_lost = matches!(
        response.status(),
        StatusCode::NOT_FOUND | StatusCode::INTERNAL_SERVER_ERROR
    );
    if is_lost && sessions.is_closing() {
        // It ended between the gate and its worker, with the process. "Not found" would make its client forget it.
        return refused(&edge, &Refused::Closing);
    }
    response
}

fn refused(edge: &Edge, refused: &Refused) -> Response {
    if let Refused::Unavailable(error) = refused {
        tracing::error!(%error, "a session cannot be looked up");
    }
    let entry = match refused {
        Refused::Unknown => return Refusal::new(StatusCode::NOT_FOUND, "SESSION_NOT_FOUND", &[]).into_response(),
        Refused::Full(limit) => {
            edge.app.kernel.metrics.refused(RefusedBy::Busy);
            return Refusal::too_many_sessions(*limit).into_response();
        }
        Refused::Unavailable(_) | Refused::Failed => "SESSIONS_UNAVAILABLE",
        Refused::Closing => "SERVER_GOING_DOWN",
    };
    edge.app.kernel.metrics.refused(RefusedBy::Busy);
    Refusal::for_now(StatusCode::SERVICE_UNAVAILABLE, entry, &[], RETRY_AFTER).into_response()
}
