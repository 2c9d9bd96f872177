//! What the edge must know of a session's message before it is served: an `initialize` is served although it names a session
//! that is gone, and told when there are too many; an answer to the server's own question is marked as one ([`Answer`]).
//!
//! It reads which fields a message has, and the method, and nothing else of it.

use std::sync::Arc;

use axum::{
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{Method, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};

use serde::de::IgnoredAny;

use super::{refusal::Refusal, router::Edge};
use crate::{
    mcp::sessions::{self, Streams},
    telemetry::metrics::{Metrics, RefusedBy},
};

/// Marks a message that answers a question of the server's. It begins no work, and the call that asked has its place and was
/// counted: where such a message had to wait for either, a full server would wait for itself.
#[derive(Clone, Copy, Debug)]
pub struct Answer;

/// What the layer looks at.
#[derive(Clone, Debug)]
pub struct Sessions {
    /// Those that are open.
    streams: Arc<Streams>,
    /// How many may be.
    limit: usize,
    metrics: Arc<Metrics>,
}

impl Sessions {
    /// As configured.
    #[must_use]
    pub fn new(edge: &Edge) -> Self {
        Self {
            streams: Arc::clone(&edge.streams),
            limit: edge.app.config.server.max_sessions,
            metrics: Arc::clone(&edge.app.kernel.metrics),
        }
    }

    fn full(&self) -> Response {
        self.metrics.refused(RefusedBy::Busy);
        Refusal::too_many_sessions(self.limit).into_response()
    }
}

/// The layer. Bodies are in memory already.
pub async fn prepare(State(open): State<Sessions>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST || sessions::is_stateless(request.headers()) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return Refusal::new(StatusCode::BAD_REQUEST, "BODY_BROKEN", &[]).into_response();
    };
    let begins = is_initialize(&bytes);
    if parts.headers.contains_key("mcp-session-id") && is_answer(&bytes) {
        parts.extensions.insert(Answer);
    }
    if begins {
        // A client that begins anew may still send the id of a session that is gone. `initialize` never needs one.
        parts.headers.remove("mcp-session-id");
    }
    let request = Request::from_parts(parts, Body::from(bytes));
    if !begins {
        return next.run(request).await;
    }
    if open.streams.sessions() >= open.limit {
        return open.full();
    }
    // Several may come at once for the last place.
    let (response, was_full) = sessions::noticing(next.run(request)).await;
    if was_full { open.full() } else { response }
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

/// Whether a message has a result or an error, and no method.
fn is_answer(body: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Fields {
        method: Option<IgnoredAny>,
        result: Option<IgnoredAny>,
        error: Option<IgnoredAny>,
    }
    serde_json::from_slice::<Fields>(body)
        .is_ok_and(|message| message.method.is_none() && (message.result.is_some() || message.error.is_some()))
}

#[cfg(test)]
mod tests {
    use super::{is_answer, is_initialize};

    #[test]
    fn an_answer_has_no_method() {
        assert!(is_answer(br#"{"jsonrpc":"2.0","id":1,"result":{"method":"x"}}"#));
        assert!(is_answer(
            br#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#
        ));
        for other in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"result":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
            r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#,
            r#"{"result":{}"#,
            "",
        ] {
            assert!(!is_answer(other.as_bytes()), "{other}");
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
