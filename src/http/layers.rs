//! The ordered list of layers that every request passes, outermost first: [`wrap`].
//!
//! Host and Origin are checked on every route, not on MCP alone: a page on another site that guesses a port must learn
//! nothing. Whole responses have no timeout, because event streams have none.

use std::{any::Any, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, Version, header, request::Parts},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use fumi_config::Config;
use fumi_kernel::metrics::RefusalReason;
use tower::ServiceBuilder;
use tower_http::{
    CompressionLevel,
    catch_panic::CatchPanicLayer,
    compression::{
        CompressionLayer,
        predicate::{Predicate as _, SizeAbove},
    },
};

use super::{
    access_log,
    auth::{Principal, authenticate, stream_expiry},
    body::BodyLimits,
    cors, health,
    http_error::{self, HttpError},
    in_flight::{InFlight, is_event_stream, only_listens},
    router::Edge,
    session_gate,
    session_message::MessageInspector,
    trace::trace,
};

/// The longest path and query of a URL, in bytes.
const URI_BYTES: usize = 8 * 1024;
/// The smallest reply that is compressed, in bytes.
const WORTH_COMPRESSING: u64 = 1_024;

/// Puts the layers around the routes. The list reads from the outside in. The access by URL and principal and the rate
/// limit (404, 403, 429) are decided behind it, by [`super::access`].
pub fn wrap(routes: Router, edge: &Edge) -> Router {
    let layers = ServiceBuilder::new()
        // The id is assigned first, so that every log entry can carry it; the line is written last, so that it reports
        // what was really sent.
        .layer(middleware::from_fn(access_log::record))
        .layer(middleware::from_fn_with_state(edge.clone(), trace))
        // Outside of every layer that may refuse.
        .layer(middleware::from_fn(http_error::json_rpc_layer))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(compression())
        .layer(middleware::from_fn_with_state(Arc::new(Admission::new(edge)), admit));
    routes.layer(layers)
}

/// The checks that a request must pass before it reaches a route. They are one layer: separate layers would cost every
/// request a box and a copy of everything inside.
#[derive(Debug)]
struct Admission {
    edge: Edge,
    bodies: BodyLimits,
    sessions: MessageInspector,
    in_flight: InFlight,
}

async fn admit(State(admission): State<Arc<Admission>>, request: Request, next: Next) -> Response {
    let origin = cors::granted(&admission.edge.names.get(), request.headers());
    let served = admission.pass(request, next).await;
    let response = served.unwrap_or_else(IntoResponse::into_response);
    match origin {
        Some(origin) => cors::grant(response, origin),
        None => response,
    }
}

impl Admission {
    fn new(edge: &Edge) -> Self {
        Self {
            edge: edge.clone(),
            bodies: BodyLimits::new(&edge.app.config, &edge.app.kernel.metrics),
            sessions: MessageInspector::new(edge),
            in_flight: InFlight::new(edge),
        }
    }

    async fn pass(&self, request: Request, next: Next) -> Result<Response, HttpError> {
        let (mut parts, body) = request.into_parts();
        // Before anything from which a foreign page could learn.
        check_names(&self.edge, &parts)?;
        // Browsers send no token with a preflight request.
        if let Some(answer) = cors::preflight(&self.edge.names.get(), &parts) {
            return Ok(answer);
        }
        // 401 comes before the body is read, and before 404.
        authenticate(&self.edge, &mut parts).await?;
        let (body, _room) = self.bodies.read(&parts, body).await?;
        // An `initialize` names no session after this; the sessions of all other requests are looked up here, so that
        // an unknown session gets 404 even from a full server.
        let begins = self.sessions.inspect(&mut parts, &body)?;
        let mut home = session_gate::home(&self.edge, &mut parts, &body).await?;
        let place = self.in_flight.take(&mut parts)?;
        let principal = parts.extensions.get::<Arc<Principal>>().map(Arc::clone);
        let listens = only_listens(&parts);
        while let (Some(elsewhere), Some(forwarder)) = (&home, &self.edge.forwarder) {
            match forwarder.forward(&self.edge, elsewhere, &parts, &body).await? {
                Some(response) => return Ok(place.keep(response)),
                None => home = session_gate::home(&self.edge, &mut parts, &body).await?,
            }
        }
        let serve = next.run(Request::from_parts(parts, Body::from(body)));
        let response = if begins { self.sessions.begin(serve).await? } else { serve.await };
        let response = place.keep(response);
        Ok(match principal {
            Some(principal) if is_event_stream(&response) => stream_expiry::bound_stream(&principal, listens, response),
            _ => response,
        })
    }
}

/// Returns the response after a panic in a layer or route. The panic message is logged and not sent to the client.
#[expect(clippy::needless_pass_by_value, reason = "the layer hands it over")]
fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let said = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    tracing::error!(panic = said, "a request panicked");
    HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, "SERVER_FAILED", &[]).into_response()
}

/// Compresses JSON for clients that ask for it. Streams are not compressed: their events would wait in a buffer.
fn compression() -> CompressionLayer<impl tower_http::compression::Predicate> {
    let is_json = |_: StatusCode, _: Version, headers: &HeaderMap, _: &http::Extensions| {
        let kind = headers.get(header::CONTENT_TYPE);
        kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
    };
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(WORTH_COMPRESSING).and(is_json))
}

/// The host names and the web origins from which fumi may be called.
#[derive(Debug)]
pub struct AllowedNames {
    hosts: Vec<String>,
    origins: Vec<String>,
    /// True if the operator made the server reachable from outside: then any address (never a name) is an accepted
    /// `Host` too.
    exposed: bool,
}

impl AllowedNames {
    /// Reads the allowed names from the configuration.
    pub fn new(config: &Config) -> Self {
        let each = |names: &[String], plain: fn(&str) -> String| names.iter().map(|name| plain(name)).collect();
        Self {
            hosts: each(&config.server.allowed_hosts, plain_host),
            origins: each(&config.server.allowed_origins, plain_origin),
            exposed: !config.server.listen.ip().is_loopback(),
        }
    }

    /// True for loopback hosts, and for configured ones with or without port. DNS rebinding needs a name, so an address
    /// is safe.
    fn allows_host(&self, authority: &str) -> bool {
        let authority = authority.to_ascii_lowercase();
        let host = host_of(&authority);
        is_loopback(host)
            || self.hosts.iter().any(|known| *known == authority || known == host)
            || (self.exposed && host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok())
    }

    /// True for a loopback origin and for a configured one. Requests without `Origin` are not checked. A configured
    /// entry may end in `:*`.
    fn allows_origin(&self, origin: &str) -> bool {
        let origin = plain_origin(origin);
        let Some((_, authority)) = origin.split_once("://") else {
            return false;
        };
        is_loopback(host_of(authority)) || self.is_configured(&origin)
    }

    /// True for an origin that the operator configured.
    pub fn is_configured(&self, origin: &str) -> bool {
        let origin = plain_origin(origin);
        self.origins.iter().any(|known| {
            let rest = known.strip_suffix(":*").and_then(|base| origin.strip_prefix(base));
            *known == origin || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        })
    }
}

/// Lowercases a host and removes a default port: clients leave it out, and a proxy may speak TLS.
fn plain_host(host: &str) -> String {
    let host = host.to_ascii_lowercase();
    let usual = host.strip_suffix(":443").or_else(|| host.strip_suffix(":80"));
    usual.unwrap_or(&host).to_owned()
}

/// Lowercases an origin and removes the default port of its scheme, which browsers leave out.
fn plain_origin(origin: &str) -> String {
    let origin = origin.to_ascii_lowercase();
    let port = if origin.starts_with("https:") { ":443" } else { ":80" };
    origin.strip_suffix(port).unwrap_or(&origin).to_owned()
}

/// Returns the host of an authority, without its port.
fn host_of(authority: &str) -> &str {
    if authority.starts_with('[') {
        return authority.find(']').map_or(authority, |end| &authority[..=end]);
    }
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}

fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn check_names(edge: &Edge, parts: &Parts) -> Result<(), HttpError> {
    // The check protects browsers only, and those speak HTTP/1.1 and send a `Host`.
    let is_old_probe = parts.version == Version::HTTP_10 && health::is_probe(parts.uri.path());
    if is_old_probe && !parts.headers.contains_key(header::HOST) && parts.uri.authority().is_none() {
        return Ok(());
    }
    if let Some(refusal) = check_host_and_origin(&edge.names.get(), &parts.headers, &parts.uri) {
        edge.app.kernel.metrics.refused(RefusalReason::Host);
        return Err(refusal);
    }
    let path = parts.uri.path_and_query();
    if path.is_some_and(|path| path.as_str().len() > URI_BYTES) {
        edge.app.kernel.metrics.refused(RefusalReason::Body);
        return Err(HttpError::new(StatusCode::URI_TOO_LONG, "URI_TOO_LONG", &[("limit", &URI_BYTES)]));
    }
    Ok(())
}

fn check_host_and_origin(names: &AllowedNames, headers: &HeaderMap, uri: &Uri) -> Option<HttpError> {
    let text = |value: &HeaderValue| value.to_str().map(str::to_owned).unwrap_or_default();
    let mut hosts = headers.get_all(header::HOST).iter().map(text);
    // Proxies on the way prefer a host in the request line to the header.
    let (own, another) = (hosts.next(), hosts.next());
    let authority = uri.authority().map(ToString::to_string);
    if another.is_some() || (own.is_none() && authority.is_none()) {
        return Some(HttpError::new(StatusCode::BAD_REQUEST, "HOST_MISSING", &[]));
    }
    if !own.iter().chain(&authority).all(|host| names.allows_host(host)) {
        return Some(HttpError::new(StatusCode::FORBIDDEN, "HOST_REFUSED", &[]));
    }
    let mut origins = headers.get_all(header::ORIGIN).iter().map(text);
    let is_foreign = origins.any(|origin| !names.allows_origin(&origin));
    (is_foreign || is_embedded(headers)).then(|| HttpError::new(StatusCode::FORBIDDEN, "ORIGIN_REFUSED", &[]))
}

/// True if a page of another site embeds the URL, for example as an image or a frame: browsers then send the headers of Fetch
/// Metadata instead of `Origin`. A link to the URL is allowed.
fn is_embedded(headers: &HeaderMap) -> bool {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|sent| sent == value);
    let is_link = is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document");
    is("sec-fetch-site", "cross-site") && !headers.contains_key(header::ORIGIN) && !is_link
}

#[cfg(test)]
mod tests {
    use super::AllowedNames;
    use fumi_config::Config;

    fn config() -> Config {
        let mut config = Config::default();
        config.server.allowed_hosts = vec!["fumi.example.com:443".to_owned()];
        config.server.allowed_origins =
            ["https://app.example.com:*", "https://one.example.com:443"].map(str::to_owned).to_vec();
        config
    }

    fn names(exposed: bool) -> AllowedNames {
        AllowedNames { exposed, ..AllowedNames::new(&config()) }
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
            ("https://one.example.com", true),
            ("https://one.example.com:8443", false),
            ("http://one.example.com", false),
            ("https://app.example.com:8443", true),
            ("https://app.example.com.evil.org", false),
            ("http://evil.example.com", false),
            ("null", false),
        ] {
            assert_eq!(names(false).allows_origin(origin), allowed, "{origin}");
        }
    }
}
