//! What an `initialize` needs of the edge: to be served although it names a session that is gone, and to be told when there
//! are too many sessions.
//!
//! It reads the method of a message and nothing else of it.

use std::sync::Arc;

use axum::{
    body::{Body, to_bytes},
    extract::{Request, State},
    http::Method,
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{in_flight::RETRY_AFTER, refusal::Refusal};
use crate::mcp::sessions::{self, Streams};

/// What the layer looks at.
#[derive(Clone, Debug)]
pub struct Sessions {
    /// Those that are open.
    pub streams: Arc<Streams>,
    /// How many may be.
    pub limit: usize,
}

/// The layer. Bodies are in memory already.
pub async fn prepare(State(open): State<Sessions>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST || sessions::is_stateless(request.headers()) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return Refusal::BodyBroken.into_response();
    };
    let begins = is_initialize(&bytes);
    if begins {
        // A client that begins anew may still send the id of a session that is gone. `initialize` never needs one.
        parts.headers.remove("mcp-session-id");
    }
    let request = Request::from_parts(parts, Body::from(bytes));
    if !begins {
        return next.run(request).await;
    }
    let full = || Refusal::Sessions {
        limit: open.limit,
        retry_after: RETRY_AFTER,
    };
    if open.streams.sessions() >= open.limit {
        return full().into_response();
    }
    // Several may come at once for the last place.
    let (response, was_full) = sessions::noticing(next.run(request)).await;
    if was_full { full().into_response() } else { response }
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
    use super::is_initialize;

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
