//! Web pages of other origins that may read what fumi answers: those of `server.allowed_origins`.
//!
//! Invariant: nothing is granted to an origin that is not configured, not even to pages of this machine: whatever serves one
//! could otherwise call a fumi that asks nobody for a token. Credentials of browsers are never asked for; a page sends its
//! token itself. Whether an origin may call at all is decided before, for every request ([`super::layers`]).

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    response::Response,
};

use super::layers::Names;

/// What a page may send beyond what every page may: all headers, of which this one has to be named.
const SENT: &str = "Authorization, *";
/// What a page may read of an answer's head beyond what every page may.
const READ: &str = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After, X-Request-Id";
/// Methods of all routes.
const METHODS: &str = "GET, POST, DELETE";
/// For how many seconds a browser need not ask again.
const REMEMBERED: &str = "7200";

/// The origin of a request, if its pages may read the answer.
#[must_use]
pub fn granted(names: &Names, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    names.is_configured(origin.to_str().ok()?).then(|| origin.clone())
}

/// The answer to a browser that asks for such a page what may be sent.
#[must_use]
pub fn preflight(names: &Names, parts: &Parts) -> Option<Response> {
    let asks = parts.method == Method::OPTIONS && parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let _origin = granted(names, &parts.headers).filter(|_| asks)?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    set(&mut response, header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    set(&mut response, header::ACCESS_CONTROL_ALLOW_HEADERS, SENT);
    set(&mut response, header::ACCESS_CONTROL_MAX_AGE, REMEMBERED);
    Some(response)
}

/// Lets a page read an answer.
#[must_use]
pub fn grant(mut response: Response, origin: HeaderValue) -> Response {
    response
        .headers_mut()
        .insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    set(&mut response, header::ACCESS_CONTROL_EXPOSE_HEADERS, READ);
    response
        .headers_mut()
        .append(header::VARY, HeaderValue::from_static("origin"));
    response
}

fn set(response: &mut Response, name: HeaderName, value: &'static str) {
    response.headers_mut().insert(name, HeaderValue::from_static(value));
}
