//! Answers tool calls of the stateless era without the protocol library's peers, tasks and channels.
//!
//! Those serve conversations, and here a call is one request with one reply. Invariant: only a request that is correct
//! in every respect is answered here, by a plain JSON reply. Everything else (another method, a header that contradicts
//! the body, an unknown tool, one that may ask the client something, a progress token) is left to the library, so that
//! only one place decides what is wrong. A test sends the same requests both ways and compares.

use std::{io::Write as _, sync::Arc};

use http::{HeaderMap, HeaderValue, request::Parts};
use rmcp::model::{ClientCapabilities, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::{
    observe::{Operation, RequestMeta},
    server::{self, McpServer},
    sessions::STATELESS_SINCE,
};
use crate::{
    telemetry::metrics::ReplyForm,
    tool::{
        Answerer, CallProgress, ToolReply,
        pipeline::{self, Call},
        rendered_reply::RenderedReply,
    },
};

/// The required keys of a request's `_meta`, and the key that sends the request to the library.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const PROGRESS: &str = "progressToken";

/// A well-formed call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallMessage<'b> {
    jsonrpc: &'b str,
    id: Id,
    method: &'b str,
    params: CallParams,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallParams {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    #[serde(rename = "_meta")]
    meta: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Number(i64),
    Text(String),
}

impl Id {
    fn into_library(self) -> RequestId {
        match self {
            Self::Number(number) => RequestId::Number(number),
            Self::Text(text) => RequestId::String(text.into()),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let written = match self {
            Self::Number(number) => write!(out, "{number}").is_ok(),
            Self::Text(text) => serde_json::to_writer(out, text).is_ok(),
        };
        debug_assert!(written, "memory can be written to");
    }
}

/// Answers well-formed calls.
#[derive(Clone, Debug)]
pub struct StatelessCalls {
    server: McpServer,
    /// Cancels running work when the server ends.
    closing: CancellationToken,
}

impl StatelessCalls {
    /// Creates it over fumi's own handler.
    #[must_use]
    pub fn new(server: McpServer, closing: CancellationToken) -> Self {
        Self { server, closing }
    }

    /// Returns the reply to a request as JSON; `None` if the library must answer it. Dropping the future cancels the
    /// work: the client disconnected.
    ///
    /// # Panics
    /// Never: a reply is made of JSON values.
    pub async fn answer(&self, parts: &Parts, body: &[u8]) -> Option<Vec<u8>> {
        let CallMessage { id, params, .. } = call_of(&parts.headers, body)?;
        let caller = self.server.caller_of(parts);
        // A tool that asks the client needs a conversation.
        let entry = self.server.find(&caller, &params.name).filter(|entry| !entry.asks)?;
        let tool = entry.spec.name;
        let mut call = Call {
            arguments: params.arguments,
            project: self.server.project_without_session(&caller),
            caller,
            answerer: Answerer::Host,
            // A look-up in the cache is not cancelled.
            cancel: CancellationToken::new(),
            progress: CallProgress::default(),
            batch: None,
        };
        let app = self.server.app();
        let work = async {
            if let Some((ready, elapsed_ms)) = pipeline::cached_reply(&app.kernel, entry, &call) {
                return Ok(CallOutcome::Cached(ready, elapsed_ms));
            }
            call.cancel = self.closing.child_token();
            Ok(CallOutcome::Reply(Box::new(self.run(tool, call).await)))
        };
        let operation = Operation {
            method: "tools/call",
            tool: Some(tool),
        };
        let sent = RequestMeta {
            parts: Some(parts),
            meta: &params.meta,
            version: Some(STATELESS_SINCE),
        };
        let given = operation.run_for(app, sent, CallOutcome::error_code, work).await.ok()?;
        let (tokens, json) = match given {
            CallOutcome::Cached(ready, elapsed_ms) => (ready.tokens() as u64, cached_response(&id, &ready, elapsed_ms)),
            CallOutcome::Reply(reply) => {
                let result = server::to_call_result(*reply);
                let tokens = result
                    .meta
                    .as_ref()
                    .and_then(|meta| meta.0.get("fumi/tokens")?.as_u64());
                let result = ServerResult::CallToolResult(result);
                let message: ServerJsonRpcMessage = JsonRpcMessage::response(result, id.into_library());
                let json = serde_json::to_vec(&message).expect("a reply is made of JSON values");
                (tokens.unwrap_or_default(), json)
            }
        };
        app.kernel.metrics.tokens(tool, ReplyForm::Both, tokens);
        Some(json)
    }

    /// Runs a call in a task of its own: when the client disconnects, this future is dropped, but the work keeps its
    /// permit of the pool until it has really stopped.
    async fn run(&self, tool: &'static str, call: Call) -> ToolReply {
        let _hung_up = call.cancel.clone().drop_guard();
        let server = self.server.clone();
        let work = async move {
            let entry = server.find(&call.caller, tool).expect("the caller has looked it up");
            server.run(entry, call).await
        };
        match tokio::spawn(work.in_current_span()).await {
            Ok(reply) => reply,
            Err(error) => match error.try_into_panic() {
                // The panic layer answers it.
                Ok(panic) => std::panic::resume_unwind(panic),
                // The process ends.
                Err(_) => std::future::pending().await,
            },
        }
    }
}

/// The result of a call.
enum CallOutcome {
    /// A cached reply in rendered form, and the time of the look-up in milliseconds.
    Cached(Arc<RenderedReply>, u64),
    Reply(Box<ToolReply>),
}

impl CallOutcome {
    fn error_code(&self) -> Option<String> {
        match self {
            Self::Cached(..) => None,
            Self::Reply(reply) => reply.error_code(),
        }
    }
}

fn call_of<'b>(headers: &HeaderMap, body: &'b [u8]) -> Option<CallMessage<'b>> {
    let is = |name: &str, value: &str| single_value(headers, name).is_some_and(|found| found == value);
    let accepts = |kind: &str| {
        // Weights and parameters are left to the library.
        let accept = single_value(headers, "accept").and_then(|accept| accept.to_str().ok())?;
        (!accept.contains(';')).then(|| accept.split(',').any(|one| one.trim() == kind))
    };
    let is_plain = is("mcp-protocol-version", STATELESS_SINCE)
        && is("mcp-method", "tools/call")
        && is("content-type", "application/json")
        && accepts("application/json") == Some(true)
        && accepts("text/event-stream") == Some(true);
    if !is_plain {
        return None;
    }
    let message: CallMessage<'_> = serde_json::from_slice(body).ok()?;
    let meta = &message.params.meta;
    let capabilities = meta.get(CAPABILITIES)?;
    let is_call = message.jsonrpc == "2.0"
        && message.method == "tools/call"
        && is("mcp-name", &message.params.name)
        && meta.get(VERSION).is_some_and(|version| version == STATELESS_SINCE)
        && !meta.contains_key(PROGRESS)
        && (is_empty(capabilities) || ClientCapabilities::deserialize(capabilities).is_ok());
    is_call.then_some(message)
}

/// Returns the value of a header that occurs once.
fn single_value<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    if values.next().is_some() { None } else { value }
}

fn is_empty(value: &Value) -> bool {
    matches!(value, Value::Object(fields) if fields.is_empty())
}

/// Writes a cached reply in rendered form, as the library would write it.
fn cached_response(id: &Id, ready: &RenderedReply, elapsed_ms: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(ready.bytes() + 256);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(&mut out);
    out.extend_from_slice(br#","result":{"resultType":"complete","content":[{"type":"text","text":"#);
    out.extend_from_slice(ready.text().as_bytes());
    out.extend_from_slice(br#"}],"structuredContent":"#);
    ready.write_structured(elapsed_ms, &mut out);
    let tokens = ready.tokens();
    let meta = write!(
        out,
        r#","isError":false,"_meta":{{"fumi/tokens":{tokens},"fumi/elapsed_ms":{elapsed_ms},"cache_hit":true}}}}}}"#
    );
    debug_assert!(meta.is_ok(), "memory can be written to");
    out
}
