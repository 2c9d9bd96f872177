//! One span and one measurement for each request, labelled with the template of its route.
//!
//! A client's `traceparent` becomes the parent. The span travels in the request, because the protocol's handlers run in
//! other tasks. Unknown paths, which clients may invent, share one label.

use std::time::Instant;

use axum::{
    extract::{MatchedPath, Request, State},
    http::Method,
    middleware::Next,
    response::Response,
};
use tracing::Instrument as _;

use super::router::Edge;
use crate::telemetry::spans::{self, RequestSpan};

/// The label of paths without a route.
const UNMATCHED: &str = "unmatched";

/// The layer that wraps a request in a span and measures it.
pub async fn trace(State(edge): State<Edge>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = name_of(request.method());
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let route = matched.as_ref().map_or(UNMATCHED, MatchedPath::as_str);
    let id = request.headers().get("x-request-id").and_then(|id| id.to_str().ok());
    let logged = spans::log_span(id);
    let span = logged.in_scope(|| spans::http(method, route, request.headers()));
    request.extensions_mut().insert(RequestSpan { logged: logged.clone(), traced: span.clone() });
    let response = next.run(request).instrument(span.clone()).instrument(logged).await;
    let status = response.status();
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
    let metrics = &edge.app.kernel.metrics;
    metrics.request(method, route, status.as_u16(), started.elapsed());
    response
}

/// Returns the name of a known method; all others share one label.
fn name_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        _ => "_OTHER",
    }
}
