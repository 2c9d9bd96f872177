//! What the HTTP edge refuses by itself, and the one form in which every refusal leaves.
//!
//! Outside MCP a refusal is `{"error": {code, message, message_ja, next, next_ja, …}}`. At an MCP endpoint clients read
//! JSON-RPC, so that there the same object is the `data` of a JSON-RPC error: [`in_form`] sees to it, for what the protocol
//! library says in plain text too. Failures of tools are results and never come here.

use std::{sync::LazyLock, time::Duration};

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use fumi_base::errors::{Book, Teach};
use serde_json::{Value, json};

/// The refusals of the edge.
pub static BOOK: LazyLock<Book> = LazyLock::new(|| Book::embedded(include_str!("errors.toml")));

/// Longest refusal of the protocol library that is read, in bytes.
const LONGEST: usize = 64 * 1024;
/// How much of it is told, in characters: it may quote the client.
const TOLD: usize = 300;
/// A JSON-RPC request as it should be.
const EXPECTED: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}"#;

/// Codes of JSON-RPC: for what is no JSON, for what is no message, for what failed, and for everything else.
const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const INTERNAL_ERROR: i32 = -32_603;
const REFUSED: i32 = -32_000;

/// Why the edge refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentences stand in errors.toml")]
pub enum Refusal {
    #[error("no Host, or several")]
    HostMissing,
    #[error("a foreign Host")]
    Host,
    #[error("a foreign Origin")]
    Origin,
    #[error("a URL over {0} bytes")]
    UriTooLong(usize),
    #[error("a body over {0} bytes")]
    BodyTooLarge(usize),
    #[error("a body that does not come")]
    BodyLate(Duration),
    #[error("a broken body")]
    BodyBroken,
    #[error("too many requests at once")]
    Busy(Duration),
    #[error("{limit} sessions are open")]
    Sessions { limit: usize, retry_after: Duration },
    #[error("no such route")]
    NoSuchRoute,
    #[error("another method")]
    MethodNotAllowed,
    #[error("no such session")]
    SessionNotFound,
    #[error("a client that accepts something else")]
    NotAcceptable,
    #[error("another media type")]
    MediaType,
    #[error("no JSON: {0}")]
    NotJson(String),
    #[error("no message")]
    NotAMessage,
    #[error("refused: {0}")]
    Protocol(String),
    #[error("failed")]
    Failed,
}

impl Refusal {
    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::HostMissing | Self::BodyBroken | Self::NotJson(_) | Self::NotAMessage | Self::Protocol(_) => {
                StatusCode::BAD_REQUEST
            }
            Self::Host | Self::Origin => StatusCode::FORBIDDEN,
            Self::UriTooLong(_) => StatusCode::URI_TOO_LONG,
            Self::BodyTooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodyLate(_) => StatusCode::REQUEST_TIMEOUT,
            Self::Busy(_) | Self::Sessions { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::NoSuchRoute | Self::SessionNotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// When to come back, if that helps.
    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Busy(after) | Self::Sessions { retry_after: after, .. } => Some(*after),
            _ => None,
        }
    }
}

impl Teach for Refusal {
    fn entry(&self) -> &'static str {
        match self {
            Self::HostMissing => "HOST_MISSING",
            Self::Host => "HOST_REFUSED",
            Self::Origin => "ORIGIN_REFUSED",
            Self::UriTooLong(_) => "URI_TOO_LONG",
            Self::BodyTooLarge(_) => "BODY_TOO_LARGE",
            Self::BodyLate(_) => "BODY_LATE",
            Self::BodyBroken => "BODY_BROKEN",
            Self::Busy(_) => "TOO_MANY_REQUESTS_AT_ONCE",
            Self::Sessions { .. } => "TOO_MANY_SESSIONS",
            Self::NoSuchRoute => "NO_SUCH_ROUTE",
            Self::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Self::SessionNotFound => "SESSION_NOT_FOUND",
            Self::NotAcceptable => "NOT_ACCEPTABLE",
            Self::MediaType => "NOT_JSON_BY_TYPE",
            Self::NotJson(_) => "NOT_JSON",
            Self::NotAMessage => "NOT_A_MESSAGE",
            Self::Protocol(_) => "REQUEST_REFUSED",
            Self::Failed => "SERVER_FAILED",
        }
    }

    fn book(&self) -> &'static Book {
        &BOOK
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = match self {
            Self::UriTooLong(limit) | Self::BodyTooLarge(limit) | Self::Sessions { limit, .. } => {
                vec![("limit", limit.to_string())]
            }
            Self::BodyLate(patience) => vec![("seconds", patience.as_secs().to_string())],
            Self::NotJson(reason) | Self::Protocol(reason) => vec![("reason", reason.clone())],
            Self::NotAMessage => vec![("expected", EXPECTED.to_owned())],
            _ => Vec::new(),
        };
        facts.extend(
            self.retry_after()
                .map(|after| ("retry_after_ms", after.as_millis().to_string())),
        );
        facts
    }
}

/// A refusal as any layer or route answers it.
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        refused(&self, self.status(), self.retry_after())
    }
}

/// Any failure as a response of the edge; what is refused elsewhere (by who may call, say) leaves in the same form.
#[must_use]
pub fn refused(failure: &impl Teach, status: StatusCode, retry_after: Option<Duration>) -> Response {
    let lesson = failure.lesson();
    let mut told = json!({
        "code": lesson.code,
        "message": lesson.message.en,
        "message_ja": lesson.message.ja,
        "next": lesson.next.en,
        "next_ja": lesson.next.ja,
    });
    if let Some(after) = retry_after {
        told["retry_after_ms"] = json!(after.as_millis());
    }
    let mut response = as_json(status, &json!({"error": told}));
    if let Some(after) = retry_after {
        // In whole seconds, never earlier.
        let seconds = after.as_millis().div_ceil(1_000).max(1).to_string();
        if let Ok(value) = HeaderValue::from_str(&seconds) {
            response.headers_mut().insert(header::RETRY_AFTER, value);
        }
    }
    response.extensions_mut().insert(Told(told));
    response
}

/// What a refusal says, for whoever changes its form.
#[derive(Clone, Debug)]
struct Told(Value);

fn as_json(status: StatusCode, body: &Value) -> Response {
    let content = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    (status, content, body.to_string()).into_response()
}

/// Whether clients expect JSON-RPC at a path.
fn is_mcp(path: &str) -> bool {
    path.split('/').skip(1).any(|part| part == "mcp")
}

/// The layer that gives refusals at MCP endpoints the form of JSON-RPC. Headers and status stay as they are.
pub async fn in_form(request: Request, next: Next) -> Response {
    let is_mcp = is_mcp(request.uri().path());
    let is_session = request.headers().contains_key("mcp-session-id");
    let response = next.run(request).await;
    let status = response.status();
    if is_mcp && (status.is_client_error() || status.is_server_error()) {
        as_rpc(response, is_session).await
    } else {
        response
    }
}

async fn as_rpc(response: Response, is_session: bool) -> Response {
    let is_json = |response: &Response| {
        let kind = response.headers().get(header::CONTENT_TYPE);
        kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
    };
    let (told, mut parts) = if response.extensions().get::<Told>().is_none() && is_json(&response) {
        // Already what the protocol says.
        return response;
    } else if let Some(Told(told)) = response.extensions().get::<Told>() {
        (told.clone(), response.into_parts().0)
    } else {
        let (parts, body) = response.into_parts();
        let text = to_bytes(body, LONGEST).await.unwrap_or_default();
        let refusal = Refusal::of_library(parts.status, &String::from_utf8_lossy(&text), is_session);
        let response = refusal.into_response();
        let told = response.extensions().get::<Told>().map(|told| told.0.clone());
        (told.unwrap_or_default(), parts)
    };
    let code = match (parts.status, told["code"].as_str()) {
        (StatusCode::INTERNAL_SERVER_ERROR, _) => INTERNAL_ERROR,
        (_, Some(code)) => match code {
            "PARSE_ERROR" => PARSE_ERROR,
            "INVALID_REQUEST" => INVALID_REQUEST,
            _ => REFUSED,
        },
        _ => REFUSED,
    };
    let body = json!({
        "jsonrpc": "2.0",
        "id": null,
        "error": {
            "code": code,
            "message": format!("{} {}", text(&told, "message"), text(&told, "next")),
            "data": told,
        },
    });
    parts.headers.remove(header::CONTENT_LENGTH);
    parts
        .headers
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Body::from(body.to_string()))
}

fn text<'v>(told: &'v Value, name: &str) -> &'v str {
    told[name].as_str().unwrap_or_default()
}

impl Refusal {
    /// What the protocol library refused in plain text.
    fn of_library(status: StatusCode, text: &str, is_session: bool) -> Self {
        match status {
            StatusCode::NOT_FOUND if is_session => Self::SessionNotFound,
            StatusCode::NOT_FOUND => Self::NoSuchRoute,
            StatusCode::METHOD_NOT_ALLOWED => Self::MethodNotAllowed,
            StatusCode::NOT_ACCEPTABLE => Self::NotAcceptable,
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Self::MediaType,
            status if status.is_server_error() => Self::Failed,
            _ => Self::Protocol(text.trim_start_matches("Bad Request: ").chars().take(TOLD).collect()),
        }
    }
}
