//! A real server on a free port, and two small clients: one per era of the protocol.
//!
//! The clients are written from the text of the protocol, so that they do not share an error with the library that the
//! server uses. They assert nothing: the test gets the whole answer.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use axum::Router;
use fumi::{
    app::App,
    http::router::{self, BoundServer, Edge},
    mcp::Handler,
};
use reqwest::{RequestBuilder, Response, StatusCode, header::HeaderMap};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The version of the stateless era.
pub(crate) const STATELESS: &str = "2026-07-28";
/// The newest version of the session era.
pub(crate) const SESSION: &str = "2025-11-25";
/// The name of the client, unless a test gives another.
const CLIENT: &str = "fumi-tests";

/// A running server. Aborted when dropped, drained by [`Server::stop`].
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
        let routes = router::router(bound.edge());
        Self::run(app, bound, routes)
    }

    /// Starts a server with another handler behind the same routes and layers.
    pub(crate) async fn start_with<H: Handler>(app: Arc<App>, handler: impl Fn() -> H + Send + Sync + 'static) -> Self {
        let bound = router::bind(Arc::clone(&app)).await.unwrap();
        let routes = router::router_with_handler(bound.edge(), handler);
        Self::run(app, bound, routes)
    }

    fn run(app: Arc<App>, bound: BoundServer, routes: Router) -> Self {
        let base = format!("http://{}", bound.address().unwrap());
        let edge = bound.edge().clone();
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(bound.serve_routes(routes, Box::pin(async move { stopped.cancelled().await })));
        Self { app, edge, base, stop, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.base)
    }

    /// Stops the server and waits until it has ended.
    pub(crate) async fn stop(mut self) {
        self.stop.cancel();
        (&mut self.task).await.unwrap().unwrap();
    }

    /// Begins to stop the server without waiting.
    pub(crate) fn begin_stop(&self) {
        self.stop.cancel();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The answer to one message.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// The body as received.
    pub(crate) raw: String,
    /// Every JSON-RPC message in it.
    pub(crate) messages: Vec<Value>,
}

impl Answer {
    async fn of(response: Response) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        let raw = response.text().await.unwrap();
        let messages = messages(&raw);
        Self { status, headers, raw, messages }
    }

    /// Returns the response among the messages.
    #[track_caller]
    pub(crate) fn response(&self) -> &Value {
        let response =
            self.messages.iter().find(|message| message.get("result").or_else(|| message.get("error")).is_some());
        response.unwrap_or_else(|| panic!("no response: {} {}", self.status, self.raw))
    }

    /// Returns the result of the response.
    #[track_caller]
    pub(crate) fn result(&self) -> &Value {
        self.response().get("result").unwrap_or_else(|| panic!("an error: {}", self.raw))
    }

    /// Returns the error of the response.
    #[track_caller]
    pub(crate) fn error(&self) -> &Value {
        self.response().get("error").unwrap_or_else(|| panic!("no error: {}", self.raw))
    }

    /// Returns the structure, the text and whether the call failed.
    #[track_caller]
    pub(crate) fn called(&self) -> (&Value, &str, bool) {
        let result = self.result();
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        (&result["structuredContent"], text, result["isError"] == true)
    }
}

/// Returns the JSON-RPC messages of a body, which is one message or an event stream.
pub(crate) fn messages(raw: &str) -> Vec<Value> {
    if let Ok(message) = serde_json::from_str(raw) {
        return vec![message];
    }
    raw.lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .filter_map(|data| serde_json::from_str(data.trim()).ok())
        .collect()
}

/// A running call with its stream of messages.
pub(crate) struct Called {
    pub(crate) id: u64,
    response: Response,
    read: Vec<u8>,
    taken: usize,
}

impl Called {
    /// Returns the HTTP status.
    pub(crate) fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// Returns the next request of the server.
    pub(crate) async fn asked(&mut self) -> Value {
        self.next(|message| message["method"].is_string() && message["id"] != Value::Null).await
    }

    /// Returns the result of the call.
    pub(crate) async fn answered(&mut self) -> Value {
        let id = self.id;
        let response = self.next(|message| message["id"] == id && message["method"].is_null()).await;
        response.get("result").unwrap_or_else(|| panic!("an error: {response}")).clone()
    }

    /// Reads the stream to its end. The server has released the slot of the call by then.
    pub(crate) async fn ended(mut self) {
        while self.response.chunk().await.unwrap().is_some() {}
    }

    async fn next(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            // A chunk may end in the middle of a line or of a character.
            let end = self.read.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let messages = messages(&String::from_utf8_lossy(&self.read[..end]));
            while let Some(message) = messages.get(self.taken) {
                self.taken += 1;
                if wanted(message) {
                    return message.clone();
                }
            }
            let chunk = self.response.chunk().await.unwrap();
            let read = String::from_utf8_lossy(&self.read);
            self.read.extend(chunk.unwrap_or_else(|| panic!("the stream ended: {read}")));
        }
    }
}

static IDS: AtomicU64 = AtomicU64::new(1);

/// Returns the next request id.
pub(crate) fn next_id() -> u64 {
    IDS.fetch_add(1, Ordering::Relaxed)
}

fn post(http: &reqwest::Client, url: &str) -> RequestBuilder {
    http.post(url).header("Accept", "application/json, text/event-stream").header("Content-Type", "application/json")
}

/// A client of the stateless era: every request identifies the client.
#[derive(Clone)]
pub(crate) struct Stateless {
    pub(crate) http: reqwest::Client,
    pub(crate) url: String,
}

impl Stateless {
    pub(crate) fn new(server: &Server) -> Self {
        Self { http: reqwest::Client::new(), url: server.url() }
    }

    /// Returns the request to send.
    pub(crate) fn prepare(&self, id: u64, method: &str, name: Option<&str>, params: Value) -> RequestBuilder {
        let mut params = params;
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientInfo": {"name": CLIENT, "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let own = params.get("_meta").and_then(Value::as_object).cloned().unwrap_or_default();
        params["_meta"] = meta;
        params["_meta"].as_object_mut().unwrap().extend(own);
        let mut request =
            post(&self.http, &self.url).header("MCP-Protocol-Version", STATELESS).header("Mcp-Method", method);
        if let Some(name) = name {
            request = request.header("Mcp-Name", name);
        }
        request.body(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string())
    }

    pub(crate) async fn request(&self, method: &str, params: Value) -> Answer {
        let name = params
            .get("name")
            .or_else(|| params.get("uri"))
            .or_else(|| params.get("taskId"))
            .and_then(Value::as_str)
            .map(str::to_owned);
        let request = self.prepare(next_id(), method, name.as_deref(), params);
        Answer::of(request.send().await.unwrap()).await
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
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

    /// Opens a session of a client that declares capabilities.
    pub(crate) async fn open_able(server: &Server, capabilities: Value) -> Self {
        Self::open_bearing(server, reqwest::Client::new(), capabilities).await
    }

    /// Opens a session through an HTTP client that adds headers to every request.
    pub(crate) async fn open_bearing(server: &Server, http: reqwest::Client, capabilities: Value) -> Self {
        Self::open_as(http, &server.url(), SESSION, capabilities).await
    }

    pub(crate) async fn open_at(url: &str, version: &str) -> Self {
        Self::open_as(reqwest::Client::new(), url, version, json!({})).await
    }

    pub(crate) async fn open_as(http: reqwest::Client, url: &str, version: &str, capabilities: Value) -> Self {
        let answer = Self::introduce(&http, url, (version, CLIENT), None, capabilities).await;
        Self::begun(http, url, &answer).await
    }

    /// Opens a session of a client with this name.
    pub(crate) async fn open_named(server: &Server, client: &str) -> Self {
        let (http, url) = (reqwest::Client::new(), server.url());
        let answer = Self::introduce(&http, &url, (SESSION, client), None, json!({})).await;
        Self::begun(http, &url, &answer).await
    }

    /// Returns the session that began with this answer to `initialize`.
    async fn begun(http: reqwest::Client, url: &str, answer: &Answer) -> Self {
        let id = answer.headers.get("mcp-session-id").map(|id| id.to_str().unwrap().to_owned());
        let initialized = answer.result().clone();
        let id = id.unwrap_or_else(|| panic!("no session: {}", answer.raw));
        let session = Self { http, url: url.to_owned(), id, initialized };
        let told = session.notify("notifications/initialized", json!({})).await;
        assert_eq!(told.status, StatusCode::ACCEPTED);
        session
    }

    /// Sends the first message, with a session id that may be stale.
    pub(crate) async fn initialize(http: &reqwest::Client, url: &str, version: &str, stale: Option<&str>) -> Answer {
        Self::introduce(http, url, (version, CLIENT), stale, json!({})).await
    }

    async fn introduce(
        http: &reqwest::Client,
        url: &str,
        (version, client): (&str, &str),
        stale: Option<&str>,
        capabilities: Value,
    ) -> Answer {
        let params = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": {"name": client, "version": "1"},
        });
        let mut request = post(http, url);
        if let Some(stale) = stale {
            request = request.header("Mcp-Session-Id", stale);
        }
        let body = json!({"jsonrpc": "2.0", "id": next_id(), "method": "initialize", "params": params});
        Answer::of(request.body(body.to_string()).send().await.unwrap()).await
    }

    /// Returns a request of this session to send.
    pub(crate) fn prepare(&self, message: &Value) -> RequestBuilder {
        post(&self.http, &self.url)
            .header("Mcp-Session-Id", &self.id)
            .header("MCP-Protocol-Version", self.initialized["protocolVersion"].as_str().unwrap_or(SESSION))
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
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Begins a call during which the server may send requests.
    pub(crate) async fn begin(&self, tool: &str, arguments: Value) -> Called {
        let id = next_id();
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        Called { id, response: self.prepare(&message).send().await.unwrap(), read: Vec::new(), taken: 0 }
    }

    /// Answers a request of the server with a result.
    pub(crate) async fn respond(&self, request: &Value, result: Value) {
        self.answer(request, json!({"result": result})).await;
    }

    /// Answers a request of the server, with a result or an error.
    pub(crate) async fn answer(&self, request: &Value, mut answer: Value) {
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = request["id"].clone();
        let told = self.prepare(&answer).send().await.unwrap();
        assert_eq!(told.status(), StatusCode::ACCEPTED);
    }

    /// Opens the stream for messages of the server.
    pub(crate) async fn listen(&self) -> Response {
        let request = self.http.get(&self.url).header("Accept", "text/event-stream").header("Mcp-Session-Id", &self.id);
        request.send().await.unwrap()
    }

    pub(crate) async fn end(&self) -> StatusCode {
        self.http.delete(&self.url).header("Mcp-Session-Id", &self.id).send().await.unwrap().status()
    }
}
