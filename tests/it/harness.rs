//! A real server on a free port, and two small clients: one per era of the protocol.
//!
//! The clients are written for these tests from the protocol's text, so that they do not share a mistake with the
//! library that the server uses. They assert nothing: what came back is handed to the test.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use fumi::{
    app::App,
    http::router::{self, Edge},
};
use reqwest::{RequestBuilder, Response, StatusCode, header::HeaderMap};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The stateless era's version.
pub(crate) const STATELESS: &str = "2026-07-28";
/// The newest version of the session era.
pub(crate) const SESSION: &str = "2025-11-25";

/// A running server. Stopped when dropped, drained by [`Server::stop`].
pub(crate) struct Server {
    pub(crate) app: Arc<App>,
    pub(crate) edge: Edge,
    /// `http://127.0.0.1:PORT`.
    pub(crate) base: String,
    stop: CancellationToken,
    task: JoinHandle<std::io::Result<()>>,
}

impl Server {
    pub(crate) async fn start(app: Arc<App>) -> Self {
        let bound = router::bind(Arc::clone(&app)).await.unwrap();
        let base = format!("http://{}", bound.address().unwrap());
        let edge = bound.edge().clone();
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(bound.serve(async move { stopped.cancelled().await }));
        Self {
            app,
            edge,
            base,
            stop,
            task,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.base)
    }

    /// Asks it to go down; it is down when this returns.
    pub(crate) async fn stop(mut self) {
        self.stop.cancel();
        (&mut self.task).await.unwrap().unwrap();
    }

    /// Asks it to go down and does not wait.
    pub(crate) fn begin_stop(&self) {
        self.stop.cancel();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What came back for one message.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// The body as it came.
    pub(crate) raw: String,
    /// Every JSON-RPC message in it.
    pub(crate) messages: Vec<Value>,
}

impl Answer {
    async fn of(response: Response) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        let raw = response.text().await.unwrap();
        let messages = messages(&raw);
        Self {
            status,
            headers,
            raw,
            messages,
        }
    }

    /// The response among the messages.
    #[track_caller]
    pub(crate) fn response(&self) -> &Value {
        let response = self
            .messages
            .iter()
            .find(|message| message.get("result").or_else(|| message.get("error")).is_some());
        response.unwrap_or_else(|| panic!("no response: {} {}", self.status, self.raw))
    }

    /// Its result.
    #[track_caller]
    pub(crate) fn result(&self) -> &Value {
        self.response()
            .get("result")
            .unwrap_or_else(|| panic!("an error: {}", self.raw))
    }

    /// Its error.
    #[track_caller]
    pub(crate) fn error(&self) -> &Value {
        self.response()
            .get("error")
            .unwrap_or_else(|| panic!("no error: {}", self.raw))
    }

    /// Structure, text and whether the call failed.
    #[track_caller]
    pub(crate) fn called(&self) -> (&Value, &str, bool) {
        let result = self.result();
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        (&result["structuredContent"], text, result["isError"] == true)
    }
}

/// The JSON-RPC messages of a body, which is one message or an event stream.
pub(crate) fn messages(raw: &str) -> Vec<Value> {
    if let Ok(message) = serde_json::from_str(raw) {
        return vec![message];
    }
    raw.lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .filter_map(|data| serde_json::from_str(data.trim()).ok())
        .collect()
}

static IDS: AtomicU64 = AtomicU64::new(1);

/// The next request id.
pub(crate) fn next_id() -> u64 {
    IDS.fetch_add(1, Ordering::Relaxed)
}

fn post(http: &reqwest::Client, url: &str) -> RequestBuilder {
    http.post(url)
        .header("Accept", "application/json, text/event-stream")
        .header("Content-Type", "application/json")
}

/// A client of the stateless era: every request says who it is, none belongs to another.
#[derive(Clone)]
pub(crate) struct Stateless {
    pub(crate) http: reqwest::Client,
    pub(crate) url: String,
}

impl Stateless {
    pub(crate) fn new(server: &Server) -> Self {
        Self {
            http: reqwest::Client::new(),
            url: server.url(),
        }
    }

    /// The request as it goes out.
    pub(crate) fn prepare(&self, id: u64, method: &str, name: Option<&str>, params: Value) -> RequestBuilder {
        let mut params = params;
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientInfo": {"name": "fumi-tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let own = params
            .get("_meta")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        params["_meta"] = meta;
        params["_meta"].as_object_mut().unwrap().extend(own);
        let mut request = post(&self.http, &self.url)
            .header("MCP-Protocol-Version", STATELESS)
            .header("Mcp-Method", method);
        if let Some(name) = name {
            request = request.header("Mcp-Name", name);
        }
        request.body(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string())
    }

    pub(crate) async fn request(&self, method: &str, params: Value) -> Answer {
        let name = params
            .get("name")
            .or_else(|| params.get("uri"))
            .and_then(Value::as_str)
            .map(str::to_owned);
        let request = self.prepare(next_id(), method, name.as_deref(), params);
        Answer::of(request.send().await.unwrap()).await
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
            .await
    }
}

/// A client of the session era.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) http: reqwest::Client,
    pub(crate) url: String,
    pub(crate) id: String,
    /// The result of `initialize`.
    pub(crate) initialized: Value,
}

impl Session {
    pub(crate) async fn open(server: &Server) -> Self {
        Self::open_at(&server.url(), SESSION).await
    }

    pub(crate) async fn open_at(url: &str, version: &str) -> Self {
        let http = reqwest::Client::new();
        let answer = Self::initialize(&http, url, version, None).await;
        let id = answer
            .headers
            .get("mcp-session-id")
            .map(|id| id.to_str().unwrap().to_owned());
        let initialized = answer.result().clone();
        let id = id.unwrap_or_else(|| panic!("no session: {}", answer.raw));
        let session = Self {
            http,
            url: url.to_owned(),
            id,
            initialized,
        };
        let told = session.notify("notifications/initialized", json!({})).await;
        assert_eq!(told.status, StatusCode::ACCEPTED);
        session
    }

    /// The first message, with a session id that may be stale.
    pub(crate) async fn initialize(http: &reqwest::Client, url: &str, version: &str, stale: Option<&str>) -> Answer {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "fumi-tests", "version": "1"},
        });
        let mut request = post(http, url);
        if let Some(stale) = stale {
            request = request.header("Mcp-Session-Id", stale);
        }
        let body = json!({"jsonrpc": "2.0", "id": next_id(), "method": "initialize", "params": params});
        Answer::of(request.body(body.to_string()).send().await.unwrap()).await
    }

    /// A request of this session as it goes out.
    pub(crate) fn prepare(&self, message: &Value) -> RequestBuilder {
        post(&self.http, &self.url)
            .header("Mcp-Session-Id", &self.id)
            .header(
                "MCP-Protocol-Version",
                self.initialized["protocolVersion"].as_str().unwrap_or(SESSION),
            )
            .body(message.to_string())
    }

    pub(crate) async fn request(&self, method: &str, params: Value) -> Answer {
        let message = json!({"jsonrpc": "2.0", "id": next_id(), "method": method, "params": params});
        Answer::of(self.prepare(&message).send().await.unwrap()).await
    }

    pub(crate) async fn notify(&self, method: &str, params: Value) -> Answer {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        Answer::of(self.prepare(&message).send().await.unwrap()).await
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
            .await
    }

    /// The stream on which the server speaks first.
    pub(crate) async fn listen(&self) -> Response {
        let request = self
            .http
            .get(&self.url)
            .header("Accept", "text/event-stream")
            .header("Mcp-Session-Id", &self.id);
        request.send().await.unwrap()
    }

    pub(crate) async fn end(&self) -> StatusCode {
        self.http
            .delete(&self.url)
            .header("Mcp-Session-Id", &self.id)
            .send()
            .await
            .unwrap()
            .status()
    }
}
