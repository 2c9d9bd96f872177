//! Inspects the message of a session before it is served.
//!
//! An `initialize` is accepted although it names an expired session, and refused when there are too many sessions; an
//! answer to the server's own question is marked with [`ClientAnswer`]. Only the message's field names and its method
//! are read.

use std::sync::Arc;

use axum::{
    http::{Method, StatusCode, request::Parts},
    response::Response,
};
use fumi_kernel::metrics::{RefusalReason, ServerMetrics};
use serde::de::IgnoredAny;

use super::{auth::Principal, http_error::HttpError, router::Edge};
use crate::mcp::{
    era,
    session_manager::{self, SessionRefusal},
    session_registry::SessionRegistry,
    session_store::LARGEST_INITIALIZE,
};

/// The mark of a message that answers a question of the server. Such a message begins no work, and the call that asked has
/// a slot and was counted already. If the answer needed a slot of its own, a full server would wait for itself.
#[derive(Clone, Copy, Debug)]
pub struct ClientAnswer;

/// The part of the layer that inspects messages.
#[derive(Clone, Debug)]
pub struct MessageInspector {
    /// The registry of open sessions.
    streams: Arc<SessionRegistry>,
    /// The largest number of open sessions.
    limit: usize,
    metrics: Arc<ServerMetrics>,
}

impl MessageInspector {
    /// Takes the limit from the configuration.
    pub fn new(edge: &Edge) -> Self {
        Self {
            streams: Arc::clone(&edge.sessions),
            limit: edge.app.config.server.max_sessions,
            metrics: Arc::clone(&edge.app.kernel.metrics),
        }
    }

    fn full(&self) -> HttpError {
        self.metrics.refused(RefusalReason::Busy);
        HttpError::too_many_sessions(self.limit)
    }

    /// Inspects a message. Returns true if it begins a session.
    pub fn inspect(&self, parts: &mut Parts, body: &[u8]) -> Result<bool, HttpError> {
        if parts.method != Method::POST || era::is_stateless(&parts.headers) {
            return Ok(false);
        }
        if parts.headers.contains_key("mcp-session-id") && is_answer(body) {
            parts.extensions.insert(ClientAnswer);
        }
        if !is_initialize(body) {
            return Ok(false);
        }
        if body.len() > LARGEST_INITIALIZE {
            self.metrics.refused(RefusalReason::Body);
            return Err(HttpError::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "INITIALIZE_TOO_LARGE",
                &[("size", &body.len()), ("limit", &LARGEST_INITIALIZE)],
            ));
        }
        // A reconnecting client may still send the id of an expired session. `initialize` never needs one.
        parts.headers.remove("mcp-session-id");
        let principal = parts.extensions.get::<Arc<Principal>>();
        if !principal.is_some_and(|principal| self.streams.has_slot(&principal.name)) {
            return Err(self.full());
        }
        Ok(true)
    }

    /// Serves a message that begins a session. Returns a refusal if another session took the last slot meanwhile, or the
    /// session could not be stored.
    pub async fn begin(&self, serve: impl Future<Output = Response>) -> Result<Response, HttpError> {
        match session_manager::detect_refusal(serve).await {
            (response, None) => Ok(response),
            (_, Some(SessionRefusal::Full)) => Err(self.full()),
            (_, Some(SessionRefusal::NotStored)) => {
                self.metrics.refused(RefusalReason::Busy);
                Err(HttpError::session_not_opened())
            }
        }
    }
}

fn is_initialize(body: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct MethodField<'a> {
        #[serde(borrow)]
        method: Option<std::borrow::Cow<'a, str>>,
    }
    // The cheap check first: nearly every request is something else.
    body.windows(12).any(|window| window == b"\"initialize\"")
        && serde_json::from_slice::<MethodField>(body)
            .is_ok_and(|message| message.method.as_deref() == Some("initialize"))
}

/// True if a message has a result or an error, and no method.
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
        assert!(is_answer(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#));
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
        assert!(is_initialize(br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#));
        assert!(!is_initialize(br#"{"method":"tools/call","params":{"name":"initialize"}}"#));
    }
}
