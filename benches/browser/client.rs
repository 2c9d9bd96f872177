//! One client over HTTP for every program that is measured: a session of MCP's session era, and calls in it.
//!
//! Invariant: a call ends when its response has come, not when the stream that carries it closes. Where a round trip is
//! simulated, the client itself sleeps that long before each request: the server's own work is not stretched.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use tiktoken_rs::o200k_base_singleton;

/// The newest version of the session era.
const VERSION: &str = "2025-11-25";

/// The stateless era's version.
const STATELESS: &str = "2026-07-28";

/// The longest that any call may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// An open session.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    http: reqwest::Client,
    url: String,
    id: Option<String>,
    /// Added before each request.
    round_trip: Duration,
    /// Calls stand alone, held together by the handle of the browser that the first reply carries.
    is_stateless: bool,
    handle: Arc<OnceLock<String>>,
    /// Where the server writes what its replies link to.
    folder: PathBuf,
}

/// What a call came back with.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// All text blocks.
    pub(crate) text: String,
    /// Null where there is none.
    pub(crate) structure: Value,
    /// Snapshots that were written to a file, to which the text only links.
    linked: String,
    pub(crate) is_error: bool,
    pub(crate) took: Duration,
}

impl Session {
    pub(crate) async fn open(url: &str, folder: &Path, round_trip: Duration) -> Self {
        let http = reqwest::Client::builder().tcp_nodelay(true).timeout(PATIENCE);
        let mut session = Self {
            http: http.build().expect("a client"),
            url: url.to_owned(),
            id: None,
            round_trip: Duration::ZERO,
            is_stateless: false,
            handle: Arc::default(),
            folder: folder.to_owned(),
        };
        let initialize = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": VERSION,
                "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            },
        });
        let response = session.send(&initialize).await;
        let id = response.headers().get("mcp-session-id").expect("a session");
        session.id = Some(id.to_str().expect("visible characters").to_owned());
        answer(response, 0).await;
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        session.send(&initialized).await;
        session.round_trip = round_trip;
        session
    }

    /// The same server without the session.
    pub(crate) fn stateless(mut self) -> Self {
        self.is_stateless = true;
        self
    }

    /// The names of the tools.
    pub(crate) async fn tools(&self) -> Vec<String> {
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let result = answer(self.send(&list).await, 1).await;
        let tools = result["tools"].as_array().expect("a list");
        tools
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    }

    /// Calls a tool. An error of the tool is a reply too.
    pub(crate) async fn call(&self, tool: &str, arguments: &Value) -> Reply {
        let began = Instant::now();
        let mut message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        });
        if self.is_stateless {
            message["params"]["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": STATELESS,
                "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            if let Some(handle) = self.handle.get() {
                message["params"]["arguments"]["browser_session"] = json!(handle);
            }
        }
        let result = answer(self.send(&message).await, 1).await;
        let elapsed = began.elapsed();
        if let Some(handle) = result["structuredContent"]["browser_session"].as_str() {
            self.handle.get_or_init(|| handle.to_owned());
        }
        let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        let text = texts.join("\n");
        let links = text
            .split("[Snapshot](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        let linked = links.map(|file| fs::read_to_string(self.folder.join(file)).expect("the linked snapshot"));
        Reply {
            linked: linked.collect(),
            text,
            structure: result["structuredContent"].clone(),
            is_error: result["isError"] == true,
            took: elapsed,
        }
    }

    /// Calls a tool that must not fail.
    pub(crate) async fn done(&self, tool: &str, arguments: &Value) -> Reply {
        let reply = self.call(tool, arguments).await;
        assert!(!reply.is_error, "{tool} {arguments} failed:\n{}", reply.all());
        reply
    }

    /// Ends the session, and what the server keeps for it.
    pub(crate) async fn close(self) {
        let request = self.http.delete(&self.url);
        // A server may not let sessions be ended.
        let _ = self.headed(request).send().await;
    }

    async fn send(&self, message: &Value) -> Response {
        tokio::time::sleep(self.round_trip).await;
        let mut request = self.http.post(&self.url).json(message);
        if self.is_stateless {
            let tool = message["params"]["name"].as_str().unwrap_or_default();
            request = request.header("mcp-method", "tools/call").header("mcp-name", tool);
        }
        let response = self.headed(request).send().await.expect("the server answers");
        assert!(response.status().is_success(), "{message}: {}", response.status());
        response
    }

    fn headed(&self, request: RequestBuilder) -> RequestBuilder {
        let request = request.header("accept", "application/json, text/event-stream");
        match &self.id {
            _ if self.is_stateless => request.header("mcp-protocol-version", STATELESS),
            None => request,
            Some(id) => request
                .header("mcp-session-id", id)
                .header("mcp-protocol-version", VERSION),
        }
    }
}

impl Reply {
    /// What a model pays at most: clients show it the structure or the text.
    pub(crate) fn tokens(&self) -> usize {
        let structure = match &self.structure {
            Value::Null => 0,
            structure => tokens(&structure.to_string()),
        };
        tokens(&self.text).max(structure)
    }

    /// The same with the snapshots that it links to: what a model pays that looks at them.
    pub(crate) fn tokens_with_links(&self) -> usize {
        self.tokens() + tokens(&self.linked)
    }

    /// All that came, to look for something in.
    pub(crate) fn all(&self) -> String {
        format!("{}\n{}", self.text, self.structure)
    }

    /// The snapshot, as lines.
    pub(crate) fn snapshot(&self) -> &str {
        self.structure["snapshot"].as_str().unwrap_or(&self.text)
    }
}

/// Tokens of a text with o200k.
pub(crate) fn tokens(text: &str) -> usize {
    o200k_base_singleton().encode_ordinary(text).len()
}

/// The result of the request with this id, from a body that is one message or an event stream.
async fn answer(mut response: Response, id: u64) -> Value {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.expect("readable") {
        body.extend(chunk);
        if let Some(result) = result_in(&body, id) {
            return result;
        }
    }
    panic!("no response: {}", String::from_utf8_lossy(&body));
}

fn result_in(body: &[u8], id: u64) -> Option<Value> {
    let is_stream =
        body.starts_with(b"event:") || body.starts_with(b"data:") || body.starts_with(b"id:") || body.starts_with(b":");
    let lines: Vec<&[u8]> = if is_stream {
        // The last line may not be whole yet.
        let whole = body.iter().rposition(|byte| *byte == b'\n')?;
        body[..whole]
            .split(|byte| *byte == b'\n')
            .filter_map(|line| line.strip_prefix(b"data:"))
            .collect()
    } else {
        vec![body]
    };
    let mut messages = lines
        .into_iter()
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let message = messages.find(|message| message["id"] == id && message["method"].is_null())?;
    assert!(message["error"].is_null(), "an error of the protocol: {message}");
    Some(message["result"].clone())
}
