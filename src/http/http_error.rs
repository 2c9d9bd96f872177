//! Error responses of the edge: one form for every refusal that happens before a tool runs.
//!
//! The body is the error object of the tools, so that clients read one form everywhere; the texts are in `errors.toml`
//! beside this file. Clients of an MCP endpoint read JSON-RPC: there the same object is the `data` of a JSON-RPC error
//! ([`json_rpc_layer`]), also for errors that the protocol library returns in plain text. The callers choose the
//! status.

use std::{sync::LazyLock, time::Duration};

use axum::{
    Json,
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use fumi_base::errors::{ErrorCatalog, ErrorMessage, Fact, Facts};
use serde_json::{Map, Value, json};

/// The error catalogue of the edge.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("errors.toml")));

/// The longest error of the protocol library that is read, in bytes.
const LONGEST: usize = 64 * 1024;
/// The longest quotation of such an error in a response, in characters. The error may itself quote the client.
const QUOTED: usize = 300;

/// Codes of JSON-RPC: for invalid JSON, for an invalid message, for an internal error, and for everything else.
const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const INTERNAL_ERROR: i32 = -32_603;
const REFUSED: i32 = -32_000;

/// The error response to a refused request.
#[derive(Debug)]
pub struct HttpError {
    status: StatusCode,
    lesson: Box<ErrorMessage>,
    headers: HeaderMap,
}

impl HttpError {
    /// Creates a refusal from its entry in the catalogue.
    pub fn new(status: StatusCode, entry: &'static str, facts: &[(&'static str, &dyn Fact)]) -> Self {
        let texts: Facts = facts.iter().filter_map(|(name, fact)| Some((*name, fact.fact()?))).collect();
        Self { status, lesson: Box::new(BOOK.error_message(entry, &texts)), headers: HeaderMap::new() }
    }

    /// Creates a temporary refusal, with the seconds (at least one) until a retry is worthwhile.
    pub fn temporary(
        status: StatusCode,
        entry: &'static str,
        facts: &[(&'static str, &dyn Fact)],
        wait: Duration,
    ) -> Self {
        let seconds = seconds(wait);
        let mut facts = facts.to_vec();
        facts.push(("retry_after", &seconds));
        Self::new(status, entry, &facts).with_header(header::RETRY_AFTER, &seconds.to_string())
    }

    /// Creates the refusal of a server that has no room for another request.
    pub fn busy() -> Self {
        Self::temporary(StatusCode::SERVICE_UNAVAILABLE, "TOO_MANY_REQUESTS_AT_ONCE", &[], SOON)
    }

    /// Creates the refusal of a server that shuts down.
    pub fn going_down() -> Self {
        Self::temporary(StatusCode::SERVICE_UNAVAILABLE, "SERVER_GOING_DOWN", &[], LATER)
    }

    /// Creates the refusal of a request whose session cannot be looked up or reached.
    pub fn sessions_unavailable() -> Self {
        Self::temporary(StatusCode::SERVICE_UNAVAILABLE, "SESSIONS_UNAVAILABLE", &[], LATER)
    }

    /// Creates the refusal of a session that cannot be stored.
    pub fn session_not_opened() -> Self {
        Self::temporary(StatusCode::SERVICE_UNAVAILABLE, "SESSION_NOT_OPENED", &[], LATER)
    }

    /// Creates the refusal to end a session whose record cannot be deleted.
    pub fn session_not_ended() -> Self {
        Self::temporary(StatusCode::SERVICE_UNAVAILABLE, "SESSION_NOT_ENDED", &[], LATER)
    }

    /// Creates the refusal of a server that has no room for another session.
    pub fn too_many_sessions(limit: usize) -> Self {
        Self::temporary(StatusCode::SERVICE_UNAVAILABLE, "TOO_MANY_SESSIONS", &[("limit", &limit)], SOON)
    }

    /// Converts a plain-text error of the protocol library.
    fn from_library(status: StatusCode, text: &str, names_session: bool) -> Self {
        let told = || -> String { text.trim_start_matches("Bad Request: ").chars().take(QUOTED).collect() };
        match status {
            StatusCode::NOT_FOUND if names_session => Self::new(status, "SESSION_NOT_FOUND", &[]),
            StatusCode::NOT_FOUND => Self::new(status, "NO_SUCH_ROUTE", &[]),
            StatusCode::METHOD_NOT_ALLOWED => Self::new(status, "METHOD_NOT_ALLOWED", &[]),
            StatusCode::NOT_ACCEPTABLE => Self::new(status, "NOT_ACCEPTABLE", &[]),
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Self::new(status, "NOT_JSON_BY_TYPE", &[]),
            status if status.is_server_error() => Self::new(status, "SERVER_FAILED", &[]),
            status => Self::new(status, "REQUEST_REFUSED", &[("reason", &told())]),
        }
    }

    /// Adds a header. An invalid header value is ignored.
    pub fn with_header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }

    /// Returns the public error code.
    pub fn code(&self) -> &str {
        &self.lesson.code
    }
}

/// The retry time of a full server: most requests are over by then.
const SOON: Duration = Duration::from_secs(1);
/// The retry time after a restart, or an outage of the store.
const LATER: Duration = Duration::from_secs(2);

/// Returns whole seconds, rounded up, at least one: zero would invite a client to retry at once.
fn seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let Self { status, lesson, headers } = self;
        let details: Map<String, Value> =
            lesson.facts.iter().map(|(name, value)| ((*name).to_owned(), json!(value.en))).collect();
        let error = json!({
            "type": lesson.class.name(),
            "code": lesson.code,
            "message": lesson.message.in_both(),
            "details": details,
            "guidance": {"explanation": lesson.next.in_both()},
            "troubleshooting_url": format!("/v1/errors#{}", lesson.kind),
        });
        let body = Json(json!({"success": false, "error": &error}));
        let mut response = (status, headers, body).into_response();
        response.extensions_mut().insert(ErrorObject(error));
        response
    }
}

/// The error object of a refusal, for the layer that changes its form.
#[derive(Clone, Debug)]
struct ErrorObject(Value);

/// True if clients expect JSON-RPC at a path: `/mcp`, `/projects/NAME/mcp`, and the paths below them.
pub fn is_mcp(path: &str) -> bool {
    let mut segments = path.split('/').skip(1);
    match segments.next() {
        Some("projects") => segments.nth(1) == Some("mcp"),
        first => first == Some("mcp"),
    }
}

/// The layer that converts errors at MCP endpoints to JSON-RPC. Status and headers stay the same.
pub async fn json_rpc_layer(request: Request, next: Next) -> Response {
    let is_mcp = is_mcp(request.uri().path());
    let names_session = request.headers().contains_key("mcp-session-id");
    let response = next.run(request).await;
    let status = response.status();
    if is_mcp && (status.is_client_error() || status.is_server_error()) {
        as_rpc(response, names_session).await
    } else {
        response
    }
}

async fn as_rpc(response: Response, names_session: bool) -> Response {
    let told = response.extensions().get::<ErrorObject>().cloned();
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if told.is_none() && is_json {
        // Already a JSON-RPC error.
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let told = if let Some(ErrorObject(told)) = told {
        told
    } else {
        let text = to_bytes(body, LONGEST).await.unwrap_or_default();
        let refusal = HttpError::from_library(parts.status, &String::from_utf8_lossy(&text), names_session);
        let told = refusal.into_response().extensions_mut().remove::<ErrorObject>();
        told.map(|ErrorObject(told)| told).unwrap_or_default()
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let code = match (text(&told["code"]).as_str(), parts.status) {
        ("PARSE_ERROR", _) => PARSE_ERROR,
        ("INVALID_REQUEST", _) => INVALID_REQUEST,
        (_, StatusCode::INTERNAL_SERVER_ERROR) => INTERNAL_ERROR,
        _ => REFUSED,
    };
    let message = format!("{}\n{}", text(&told["message"]), text(&told["guidance"]["explanation"]));
    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message, "data": told}});
    parts.headers.remove(header::CONTENT_LENGTH);
    let json = HeaderValue::from_static("application/json");
    parts.headers.insert(header::CONTENT_TYPE, json);
    Response::from_parts(parts, Body::from(body.to_string()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::seconds;

    #[test]
    fn waiting_is_rounded_up_to_whole_seconds() {
        for (millis, expected) in [(0, 1), (1, 1), (1_000, 1), (1_001, 2), (59_999, 60)] {
            assert_eq!(seconds(Duration::from_millis(millis)), expected);
        }
    }
}
