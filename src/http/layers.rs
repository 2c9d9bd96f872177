//! One ordered list of what every request passes, outermost first: [`wrap`].
//!
//! Host and Origin are checked on every route, not on MCP alone: a page on another site that guesses a port must learn
//! nothing. There is no time limit on whole responses, because event streams have none.

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use tower_http::{
    catch_panic::CatchPanicLayer,
    request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer},
};

use super::{auth::authenticate, current::Current, router::Edge, trace::trace};
use crate::config::Config;

/// Puts the layers around the routes. The list reads from the outside in.
pub fn wrap(routes: Router, edge: &Edge) -> Router {
    let config = &edge.app.config;
    let body_bytes = config.limits.body_bytes;
    // `layer` wraps what is there, so the innermost comes first in code: read upwards.
    routes
        .layer(middleware::from_fn_with_state(body_bytes, forget_stale_session))
        .layer(middleware::from_fn_with_state(edge.clone(), authenticate))
        .layer(CatchPanicLayer::new())
        .layer(middleware::from_fn_with_state(edge.names.clone(), check_names))
        .layer(middleware::from_fn_with_state(edge.clone(), trace))
        .layer(PropagateRequestIdLayer::x_request_id())
        .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
}

/// Under which names fumi may be called, and from which web origins.
#[derive(Debug)]
pub struct Names {
    hosts: Vec<String>,
    origins: Vec<String>,
    /// Reachable from outside by the operator's wish: then an address (never a name) is a fair `Host` too.
    exposed: bool,
}

impl Names {
    /// The names that the configuration allows.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let lower = |names: &[String]| names.iter().map(|name| name.to_ascii_lowercase()).collect();
        Self {
            hosts: lower(&config.server.allowed_hosts),
            origins: lower(&config.server.allowed_origins),
            exposed: !config.server.listen.ip().is_loopback(),
        }
    }

    /// Loopback names always; configured ones with or without port. DNS rebinding needs a name, so an address is safe.
    fn allows_host(&self, authority: &str) -> bool {
        let authority = authority.to_ascii_lowercase();
        let host = host_of(&authority);
        is_loopback(host)
            || self.hosts.iter().any(|known| *known == authority || known == host)
            || (self.exposed && host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok())
    }

    /// No `Origin` (not a browser), a page served from this machine, or a configured one. An entry may end in `:*`.
    fn allows_origin(&self, origin: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        let Some((_, authority)) = origin.split_once("://") else {
            return false;
        };
        is_loopback(host_of(authority))
            || self.origins.iter().any(|known| {
                *known == origin
                    || known.strip_suffix(":*").is_some_and(|base| {
                        origin
                            .strip_prefix(base)
                            .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
                    })
            })
    }
}

/// The host of an authority, without its port.
fn host_of(authority: &str) -> &str {
    if authority.starts_with('[') {
        return authority.find(']').map_or(authority, |end| &authority[..=end]);
    }
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}

fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

async fn check_names(State(names): State<Current<Names>>, request: Request, next: Next) -> Response {
    match refusal(&names.get(), request.headers(), request.uri()) {
        Some(reason) => (StatusCode::FORBIDDEN, reason).into_response(),
        None => next.run(request).await,
    }
}

fn refusal(names: &Names, headers: &HeaderMap, uri: &Uri) -> Option<&'static str> {
    let text = |value: &HeaderValue| value.to_str().map(str::to_owned).unwrap_or_default();
    let mut hosts = headers.get_all(header::HOST).iter().map(text);
    // HTTP/2 carries the host in the URI.
    let host = hosts.next().or_else(|| uri.authority().map(ToString::to_string));
    if hosts.next().is_some() || !host.is_some_and(|host| names.allows_host(&host)) {
        return Some("Forbidden: this Host is not allowed. Allow it with server.allowed_hosts.\n");
    }
    let refused = headers
        .get_all(header::ORIGIN)
        .iter()
        .map(text)
        .any(|origin| !names.allows_origin(&origin));
    refused.then_some("Forbidden: this Origin is not allowed. Allow it with server.allowed_origins.\n")
}

/// A client that begins anew may still send the id of a session that is gone. `initialize` never needs one.
async fn forget_stale_session(State(limit): State<usize>, request: Request, next: Next) -> Response {
    let carries = request.method() == Method::POST && request.headers().contains_key("mcp-session-id");
    if !carries {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, limit).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, "The request body is too large.\n").into_response();
    };
    if is_initialize(&bytes) {
        parts.headers.remove("mcp-session-id");
    }
    next.run(Request::from_parts(parts, Body::from(bytes))).await
}

fn is_initialize(body: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Method<'a> {
        #[serde(borrow)]
        method: Option<std::borrow::Cow<'a, str>>,
    }
    // Cheap first: nearly every request is something else.
    body.windows(12).any(|window| window == b"\"initialize\"")
        && serde_json::from_slice::<Method>(body).is_ok_and(|message| message.method.as_deref() == Some("initialize"))
}

#[cfg(test)]
mod tests {
    use super::{Names, is_initialize};

    fn names(exposed: bool) -> Names {
        Names {
            hosts: vec!["fumi.example.com".to_owned()],
            origins: vec!["https://app.example.com:*".to_owned()],
            exposed,
        }
    }

    #[test]
    fn hosts_are_loopback_or_configured() {
        for (host, local, exposed) in [
            ("127.0.0.1:8640", true, true),
            ("localhost", true, true),
            ("[::1]:8640", true, true),
            ("fumi.example.com", true, true),
            ("FUMI.example.com:443", true, true),
            ("evil.example.com", false, false),
            ("localhost.evil.example.com", false, false),
            ("192.0.2.7:8640", false, true),
            ("", false, false),
        ] {
            assert_eq!(names(false).allows_host(host), local, "{host}");
            assert_eq!(names(true).allows_host(host), exposed, "{host} exposed");
        }
    }

    #[test]
    fn origins_are_of_this_machine_or_configured() {
        for (origin, allowed) in [
            ("http://localhost:6274", true),
            ("http://127.0.0.1", true),
            ("https://app.example.com", true),
            ("https://app.example.com:8443", true),
            ("https://app.example.com.evil.org", false),
            ("http://evil.example.com", false),
            ("null", false),
        ] {
            assert_eq!(names(false).allows_origin(origin), allowed, "{origin}");
        }
    }

    #[test]
    fn only_the_method_makes_an_initialize() {
        assert!(is_initialize(
            br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#
        ));
        assert!(!is_initialize(
            br#"{"method":"tools/call","params":{"name":"initialize"}}"#
        ));
    }
}
