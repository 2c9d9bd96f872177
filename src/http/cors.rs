//! CORS for the web origins of `server.allowed_origins`.
//!
//! Invariant: nothing is granted to an origin that is not configured, not even to pages of this machine: any local web
//! server could otherwise use a fumi that requires no token. Browser credentials are never allowed; a page sends its
//! token itself. Whether an origin may call at all is decided earlier, for every request ([`super::layers`]).

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    response::Response,
};

use super::layers::AllowedNames;

/// The request headers that a page may send: all, but `Authorization` must be named.
const SENT: &str = "Authorization, *";
/// The response headers that a page may read besides the safelisted ones.
const READ: &str = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After, X-Request-Id";
/// The methods of all routes.
const METHODS: &str = "GET, POST, DELETE";
/// The seconds for which a browser may cache a preflight response.
const REMEMBERED: &str = "7200";

/// Returns the origin of a request if its pages may read the response.
pub fn granted(names: &AllowedNames, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    names.is_configured(origin.to_str().ok()?).then(|| origin.clone())
}

/// Returns the response to the preflight request of a configured origin.
pub fn preflight(names: &AllowedNames, parts: &Parts) -> Option<Response> {
    let asks = parts.method == Method::OPTIONS && parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let _origin = granted(names, &parts.headers).filter(|_| asks)?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    set(&mut response, header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    set(&mut response, header::ACCESS_CONTROL_ALLOW_HEADERS, SENT);
    set(&mut response, header::ACCESS_CONTROL_MAX_AGE, REMEMBERED);
    Some(response)
}

/// Lets the pages of an origin read a response.
pub fn grant(mut response: Response, origin: HeaderValue) -> Response {
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    set(&mut response, header::ACCESS_CONTROL_EXPOSE_HEADERS, READ);
    response.headers_mut().append(header::VARY, HeaderValue::from_static("origin"));
    response
}

fn set(response: &mut Response, name: HeaderName, value: &'static str) {
    response.headers_mut().insert(name, HeaderValue::from_static(value));
}
