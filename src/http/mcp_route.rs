//! The MCP endpoint as a route: the HTTP handling around the protocol's own service.
//!
//! The protocol itself is in [`crate::mcp`]. This file distinguishes a body that is not a message from one of the wrong
//! media type, which the library does not.

use std::convert::Infallible;

use axum::{
    BoxError,
    body::{Body, Bytes, HttpBody, to_bytes},
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
    routing::{MethodRouter, any},
};
use tower::Service;

use super::http_error::HttpError;

/// A well-formed JSON-RPC request, for error messages.
const EXPECTED: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}"#;

/// Creates a route over the protocol's service, and over that for tool calls without a session.
pub fn endpoint<S, B>(service: S, calls: S) -> MethodRouter
where
    S: Service<Request, Response = Response<B>, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    any(move |request: Request| {
        // Only requests without a session have this header.
        let method = request.headers().get("mcp-method");
        let is_call = method.is_some_and(|method| method == "tools/call");
        answer(if is_call { calls.clone() } else { service.clone() }, request)
    })
}

async fn answer<S, B>(mut service: S, request: Request) -> Response
where
    S: Service<Request, Response = Response<B>, Error = Infallible>,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let (mut parts, body) = request.into_parts();
    expand_accept_all(&mut parts);
    let is_message = parts.method == Method::POST && is_json(&parts.headers);
    // The body is in memory already.
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        return HttpError::new(StatusCode::BAD_REQUEST, "BODY_BROKEN", &[]).into_response();
    };
    let answer = service
        .call(Request::from_parts(parts, Body::from(body.clone())))
        .await
        .unwrap_or_else(|never| match never {})
        .map(Body::new);
    if is_message && answer.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return unreadable(&body).into_response();
    }
    answer
}

/// Replaces `*/*` in `Accept` by the media types that are served here; the library requires them by name.
fn expand_accept_all(parts: &mut Parts) {
    let accepts_all = parts.headers.get_all(header::ACCEPT).iter().any(|accepted| {
        let mut ranges = accepted.as_bytes().split(|byte| matches!(byte, b',' | b';'));
        ranges.any(|range| range.trim_ascii() == b"*/*")
    });
    if accepts_all {
        let named = HeaderValue::from_static("application/json, text/event-stream");
        parts.headers.insert(header::ACCEPT, named);
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).is_some_and(|kind| {
        let essence = kind.split(';').next().unwrap_or_default();
        essence.trim().eq_ignore_ascii_case("application/json")
    })
}

/// Returns the error for a body that is not a message.
fn unreadable(body: &[u8]) -> HttpError {
    // Parsed as a value and not only for its form: too deep nesting counts as invalid JSON.
    match serde_json::from_slice::<serde_json::Value>(body) {
        Ok(_) => HttpError::new(StatusCode::BAD_REQUEST, "NOT_A_MESSAGE", &[("expected", &EXPECTED)]),
        Err(error) => HttpError::new(StatusCode::BAD_REQUEST, "NOT_JSON", &[("reason", &error.to_string())]),
    }
}
