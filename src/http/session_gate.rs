//! The gate before the protocol: whoever names a session must be the one that opened it.
//!
//! Invariant: no request reaches a session of another principal, whatever its method, and one of the era without sessions
//! reaches none: its `Mcp-Session-Id` is taken off. What a session is, and how it comes back, is the matter of [`crate::mcp`].

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    http::{Method, StatusCode},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use tower::{Service, ServiceBuilder};

use super::{refusal::Refusal, router::Edge};
use crate::mcp::{
    self,
    admission::Refused,
    sessions::{self, Sessions},
};

/// The header by which a request names its session.
const SESSION: &str = "mcp-session-id";
/// After which time a refusal may be over: a server is up again, a disk answers, a session has ended.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// The protocol's service behind the gate. There is no other way to it.
pub fn service(
    edge: &Edge,
) -> impl Service<Request, Response = Response, Error = Infallible, Future: Send + 'static> + Clone + Send + Sync + use<>
{
    let mcp::Endpoint { sessions, service } = mcp::endpoint(&edge.app, &edge.streams, edge.closing.clone());
    ServiceBuilder::new()
        .layer(middleware::from_fn_with_state(sessions, admit))
        .service(service)
}

async fn admit(State(sessions): State<Arc<Sessions>>, mut request: Request, next: Next) -> Response {
    if sessions::is_stateless(request.headers()) {
        request.headers_mut().remove(SESSION);
    }
    // What is no text the protocol does not read either, and refuses.
    let named = request.headers().get(SESSION).and_then(|id| id.to_str().ok());
    let Some(id) = named.map(str::to_owned) else {
        return next.run(request).await;
    };
    let ends = request.method() == Method::DELETE;
    let (parts, body) = request.into_parts();
    if let Err(refused) = sessions.admit(&id, &parts).await {
        return refusal(&refused);
    }
    let request = Request::from_parts(parts, body);
    let response = if ends {
        sessions::ending(next.run(request)).await
    } else {
        next.run(request).await
    };
    let lost = matches!(
        response.status(),
        StatusCode::NOT_FOUND | StatusCode::INTERNAL_SERVER_ERROR
    );
    if lost && sessions.is_closing() {
        // It ended between the gate and its worker, with the process. "Not found" would make its client forget it.
        return refusal(&Refused::Closing);
    }
    response
}

fn refusal(refused: &Refused) -> Response {
    let (entry, facts) = match refused {
        Refused::Unknown => return Refusal::new(StatusCode::NOT_FOUND, "SESSION_NOT_FOUND", &[]).into_response(),
        Refused::Full(limit) => ("TOO_MANY_SESSIONS", vec![("limit", limit.to_string())]),
        Refused::Unavailable(_) | Refused::Failed => ("SESSIONS_UNAVAILABLE", Vec::new()),
        Refused::Closing => ("SERVER_GOING_DOWN", Vec::new()),
    };
    if let Refused::Unavailable(error) = refused {
        tracing::error!(%error, "a session cannot be looked up");
    }
    Refusal::for_now(StatusCode::SERVICE_UNAVAILABLE, entry, &facts, RETRY_AFTER).into_response()
}
