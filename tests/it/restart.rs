//! Sessions that outlive their process, which is drained or killed and started again with the same state.
//!
//! Most restarts happen in this process, with the same folder; the real program is killed too. The principal of a
//! session is checked after a restart as before.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use fumi::{
    app::App,
    http::{
        auth::tokens::sha256_of,
        router::{self, Edge},
    },
    mcp::{
        server::McpServer as Handler,
        session_manager::McpSessionManager,
        session_registry::{SessionEndReason, SessionRegistry},
    },
    state::State,
};
use fumi_base::store::{
    Clock, ExpectedState, KeyListing, Lease, Store, StoreError, StoredEntry, SweepReport, Version, fs::FolderStore,
    memory::MemoryStore,
};
use fumi_config::{AuthMode, Config, ConfiguredToken};
use reqwest::{Method, Response, StatusCode};
use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, InitializeRequest, InitializedNotification, RequestId,
    },
    service::serve_server_with_ct,
    transport::{
        TransportAdapterIdentity,
        streamable_http_server::session::{SessionId, SessionManager as _},
    },
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::{
    harness::{SESSION, STATELESS, Server, Session, messages, next_id},
    program::Served,
    sample::Sample,
};

/// A project with folders `one`, `two`, `three`, each with a file of its own, and a folder for state beside it.
struct Place {
    sample: Sample,
    now: Arc<AtomicU64>,
}

const FOLDERS: [&str; 3] = ["one", "two", "three"];

impl Place {
    fn new() -> Self {
        let sample = Sample::empty();
        for folder in FOLDERS {
            sample.file(&format!("{folder}/{folder}.py"), "x = 1\n");
        }
        sample.file("top.py", "x = 1\n");
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let now = Arc::new(AtomicU64::new(u64::try_from(since.as_millis()).unwrap()));
        Self { sample, now }
    }

    fn state(&self) -> PathBuf {
        self.sample.outside().join("state")
    }

    fn store(&self) -> Arc<dyn Store> {
        let now = Arc::clone(&self.now);
        let clock = Clock::from_fn(move || SystemTime::UNIX_EPOCH + Duration::from_millis(now.load(Ordering::SeqCst)));
        Arc::new(FolderStore::open(&self.state().join("store"), clock).unwrap())
    }

    /// Starts a server that shares nothing with the others but the store, as a separate process would.
    async fn server(&self) -> Server {
        self.server_with(|_| {}).await
    }

    async fn server_with(&self, change: impl FnOnce(&mut Config)) -> Server {
        Server::start(self.app_over(self.store(), change)).await
    }

    fn app_over(&self, store: Arc<dyn Store>, change: impl FnOnce(&mut Config)) -> Arc<App> {
        let mut config = Config::default();
        config.server.listen.set_port(0);
        config.projects.allowed_roots.push(self.sample.root());
        change(&mut config);
        let state = State { store, folder: None };
        App::build_with_state(state, config, crate::program::parsers(), Vec::new()).unwrap()
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.sample.root().join(name)
    }

    /// Returns the names in the store's folder.
    fn stored(&self) -> Vec<String> {
        let entries = fs::read_dir(self.state().join("store/entries")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// Returns the same session for another server.
fn at(session: &Session, server: &Server) -> Session {
    Session { url: server.url(), ..session.clone() }
}

async fn choose(session: &Session, folder: &Path) {
    let answer = session.call("set_project_path", json!({"project_path": folder})).await;
    let (structured, text, failed) = answer.called();
    assert!(!failed && structured["remembered"] == true, "{text}");
}

async fn files(session: &Session) -> Vec<String> {
    let arguments = json!({"roots": ["."], "types": ["f"], "absolute": false});
    let answer = session.call("list_files", arguments).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.raw);
    let (structured, text, failed) = answer.called();
    assert!(!failed, "{text}");
    let rows = structured["results"].as_array().unwrap();
    rows.iter().map(|row| row["path"].as_str().unwrap().to_owned()).collect()
}

/// Opens a session in each folder.
async fn sessions_in_folders(place: &Place, server: &Server) -> Vec<Session> {
    let mut sessions = Vec::new();
    for folder in FOLDERS {
        let session = Session::open(server).await;
        choose(&session, &place.folder(folder)).await;
        sessions.push(session);
    }
    sessions
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drained_server_leaves_its_sessions_to_the_next() {
    let place = Place::new();
    let first = place.server().await;
    let sessions = sessions_in_folders(&place, &first).await;
    let plain = Session::open(&first).await;
    first.stop().await;
    for _ in 0..2 {
        let next = place.server().await;
        for (session, folder) in sessions.iter().zip(FOLDERS) {
            assert_eq!(files(&at(session, &next)).await, [format!("{folder}.py")]);
        }
        let plain = at(&plain, &next);
        assert_eq!(files(&plain).await.len(), 4, "it chose none");
        assert_eq!(plain.notify("notifications/initialized", json!({})).await.status, StatusCode::ACCEPTED);
        assert_eq!(next.edge.sessions.sessions(), 4);
        next.stop().await;
    }
    // A later choice is stored like the first one.
    let next = place.server().await;
    choose(&at(&sessions[0], &next), &place.folder("three")).await;
    drop(next);
    let next = place.server().await;
    assert_eq!(files(&at(&sessions[0], &next)).await, ["three.py"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn restored_session_keeps_its_form_of_results() {
    let place = Place::new();
    let first = place.server().await;
    let asked = Session::open_at(&format!("{}?result=text", first.url()), SESSION).await;
    let known = Session::open_named(&first, "claude-code").await;
    let other = Session::open(&first).await;
    first.stop().await;
    let next = place.server().await;
    for (session, has_structure) in [(asked, false), (known, false), (other, true)] {
        let answer = at(&session, &next).call("list_files", json!({"roots": ["."]})).await;
        let result = answer.result();
        assert_eq!(result.get("structuredContent").is_some(), has_structure, "{result}");
    }
}

/// Starts the real program.
fn start(place: &Place, more: &[&str]) -> Served {
    Served::start(Served::command(&place.sample).args(more))
}

/// Returns the same session for another program.
fn over(program: &Served, session: &Session) -> Session {
    Session { url: program.url.clone(), ..session.clone() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_loses_no_session() {
    let place = Place::new();
    let mut program = start(&place, &[]);
    let mut sessions = Vec::new();
    for folder in FOLDERS {
        let session = Session::open_at(&program.url, SESSION).await;
        choose(&session, &place.folder(folder)).await;
        sessions.push(session);
    }
    let ended = Session::open_at(&program.url, SESSION).await;
    assert!(ended.end().await.is_success());
    for round in 0..3 {
        // SIGKILL, in the second round during calls.
        let under_way: Vec<_> = sessions
            .iter()
            .filter(|_| round == 1)
            .map(|session| {
                let session = over(&program, session);
                let message = json!({"jsonrpc": "2.0", "id": next_id(), "method": "tools/list", "params": {}});
                tokio::spawn(session.prepare(&message).send())
            })
            .collect();
        program.child.kill().unwrap();
        program.child.wait().unwrap();
        for call in under_way {
            let _ = call.await;
        }
        program = start(&place, &[]);
        for (session, folder) in sessions.iter().zip(FOLDERS) {
            assert_eq!(files(&over(&program, session)).await, [format!("{folder}.py")]);
        }
        let gone = over(&program, &ended).request("tools/list", json!({})).await;
        assert_eq!(gone.status, StatusCode::NOT_FOUND);
    }
    // A store in memory loses everything.
    drop(program);
    let program = start(&place, &["--store", "memory"]);
    let gone = over(&program, &sessions[0]).request("tools/list", json!({})).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_at_once_on_a_restored_session_all_succeed() {
    let place = Place::new();
    let first = place.server().await;
    let session = Session::open(&first).await;
    choose(&session, &place.folder("two")).await;
    drop(first);
    for round in 0..20 {
        let server = place.server().await;
        let session = at(&session, &server);
        let calls: Vec<_> = (0..24)
            .map(|at| {
                let session = session.clone();
                tokio::spawn(async move {
                    // Some open the stream first, some send a notification.
                    match at % 6 {
                        4 => assert_eq!(session.listen().await.status(), StatusCode::OK),
                        5 => {
                            let told = session.notify("notifications/initialized", json!({})).await;
                            assert_eq!(told.status, StatusCode::ACCEPTED, "{}", told.raw);
                        }
                        _ => {}
                    }
                    assert_eq!(files(&session).await, ["two.py"]);
                })
            })
            .collect();
        for call in calls {
            call.await.unwrap_or_else(|error| panic!("round {round}: {error}"));
        }
        assert_eq!(server.edge.sessions.sessions(), 1, "restored once");
    }
}

/// A client that disconnects while its session is restored does not break it for others.
#[tokio::test(flavor = "multi_thread")]
async fn a_disconnect_during_the_restoration_does_not_break_the_session() {
    let place = Place::new();
    let first = place.server().await;
    let session = Session::open(&first).await;
    choose(&session, &place.folder("two")).await;
    drop(first);
    for round in 0..20 {
        let server = place.server().await;
        let session = at(&session, &server);
        let message = json!({"jsonrpc": "2.0", "id": next_id(), "method": "tools/list", "params": {}});
        let call = tokio::spawn(session.prepare(&message).send());
        for _ in 0..round * 20 {
            tokio::task::yield_now().await;
        }
        call.abort();
        assert_eq!(files(&session).await, ["two.py"], "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_ended_does_not_come_back() {
    let place = Place::new();
    let first = place.server().await;
    let (ended, later) = (Session::open(&first).await, Session::open(&first).await);
    assert_eq!(place.stored().len(), 2);
    assert!(ended.end().await.is_success());
    assert_eq!(place.stored().len(), 1);
    first.stop().await;
    let next = place.server().await;
    let gone = |session: Session| async move { session.request("tools/list", json!({})).await.status };
    assert_eq!(gone(at(&ended, &next)).await, StatusCode::NOT_FOUND);
    // The deletion is the first request of this session at this server.
    assert!(at(&later, &next).end().await.is_success());
    assert_eq!(gone(at(&later, &next)).await, StatusCode::NOT_FOUND);
    assert_eq!(at(&later, &next).end().await, StatusCode::NOT_FOUND, "once");
    assert_eq!(place.stored(), [""; 0]);
    assert_eq!(next.edge.sessions.sessions(), 0);
    drop(next);
    let last = place.server().await;
    assert_eq!(gone(at(&later, &last)).await, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_idle_for_too_long_is_not_restored() {
    let place = Place::new();
    let first = place.server().await;
    let session = Session::open(&first).await;
    drop(first);
    // Restoring the session is a use, so its idle time starts again.
    for minutes in [55, 55] {
        place.now.fetch_add(minutes * 60_000, Ordering::SeqCst);
        let server = place.server().await;
        assert_eq!(at(&session, &server).request("tools/list", json!({})).await.status, StatusCode::OK);
    }
    place.now.fetch_add(63 * 60_000, Ordering::SeqCst);
    let server = place.server().await;
    let gone = at(&session, &server).request("tools/list", json!({})).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    // It is deleted in the background, without a request.
    while !place.stored().is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn listening_may_be_the_first_thing_after_a_restart() {
    let place = Place::new();
    let first = place.server().await;
    let session = Session::open(&first).await;
    choose(&session, &place.folder("one")).await;
    let uri = "code://file/one.py";
    let subscribed = session.request("resources/subscribe", json!({"uri": uri})).await;
    assert!(subscribed.result().is_object(), "{}", subscribed.raw);
    let other = "code://file/other.py";
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        assert!(session.request(method, json!({"uri": other})).await.result().is_object());
    }
    drop(first);
    for last_event in [None, Some("7")] {
        let server = place.server().await;
        let session = at(&session, &server);
        let mut request = session.http.get(&session.url).header("Accept", "text/event-stream");
        if let Some(id) = last_event {
            request = request.header("Last-Event-ID", id);
        }
        let response = request.header("Mcp-Session-Id", &session.id).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let mut told = Told::of(response);
        // It may have changed while the server was down.
        assert_eq!(told.updated().await, uri, "{last_event:?}");
        place.sample.file("one/one.py", format!("x = {}\n", next_id()));
        assert_eq!(told.updated().await, uri, "{last_event:?}");
        assert_eq!(server.edge.sessions.subscriptions().live(), 1);
    }
}

/// The server's own messages on a stream.
struct Told {
    response: Response,
    raw: String,
    read: usize,
}

impl Told {
    fn of(response: Response) -> Self {
        Self { response, raw: String::new(), read: 0 }
    }

    /// Returns the URI of the next resource that is reported as changed.
    async fn updated(&mut self) -> String {
        loop {
            let updates: Vec<Value> = messages(&self.raw)
                .into_iter()
                .filter(|message| message["method"] == "notifications/resources/updated")
                .collect();
            if let Some(update) = updates.get(self.read) {
                self.read += 1;
                return update["params"]["uri"].as_str().unwrap().to_owned();
            }
            let chunk = tokio::time::timeout(Duration::from_secs(30), self.response.chunk()).await;
            let chunk = chunk.expect("no notification arrived").unwrap().expect("the stream ended");
            self.raw.push_str(&String::from_utf8_lossy(&chunk));
        }
    }
}

/// Returns a client whose every request has a token.
fn bearing(token: &str) -> reqwest::Client {
    let mut headers = reqwest::header::HeaderMap::new();
    headers.insert("Authorization", format!("Bearer {token}").parse().unwrap());
    reqwest::Client::builder().default_headers(headers).build().unwrap()
}

fn with_tokens(config: &mut Config) {
    config.auth.mode = AuthMode::Tokens;
    config.auth.tokens = ["ann", "bob"]
        .map(|name| ConfiguredToken {
            name: name.to_owned(),
            sha256: sha256_of(&format!("the-token-of-{name}")),
            toolsets: Vec::new(),
            roots: Vec::new(),
            readonly: false,
            rate_per_minute: None,
        })
        .to_vec();
}

async fn open_as(server: &Server, name: &str) -> Session {
    let http = bearing(&format!("the-token-of-{name}"));
    let answer = Session::initialize(&http, &server.url(), SESSION, None).await;
    let session = Session {
        http,
        url: server.url(),
        id: answer.headers["mcp-session-id"].to_str().unwrap().to_owned(),
        initialized: answer.result().clone(),
    };
    session.notify("notifications/initialized", json!({})).await;
    session
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_another_principal_does_not_exist() {
    let place = Place::new();
    let first = place.server_with(with_tokens).await;
    let ann = open_as(&first, "ann").await;
    choose(&ann, &place.folder("one")).await;
    let is_closed_to_bob = async |server: &Server| {
        let bob = Session { http: bearing("the-token-of-bob"), ..at(&ann, server) };
        let unknown = Session { id: "00000000-0000-4000-8000-000000000000".to_owned(), ..bob.clone() };
        for method in [Method::POST, Method::GET, Method::DELETE] {
            let ask = async |session: &Session| {
                let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
                let request = session
                    .http
                    .request(method.clone(), &session.url)
                    .header("Mcp-Session-Id", &session.id)
                    .header("Content-Type", "application/json")
                    .header("Accept", "application/json, text/event-stream")
                    .body(message.to_string());
                let answer = request.send().await.unwrap();
                (answer.status(), answer.text().await.unwrap())
            };
            let (foreign, unknown) = (ask(&bob).await, ask(&unknown).await);
            assert_eq!(foreign.0, StatusCode::NOT_FOUND, "{method}: {}", foreign.1);
            assert_eq!(foreign, unknown, "{method}: the two answers differ");
        }
        // The stateless era does not reach the session either.
        let params = json!({"name": "list_files", "arguments": {"roots": ["."], "count_only": true}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientInfo": {"name": "fumi-tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let request = bob.http.post(&bob.url).header("Mcp-Session-Id", &bob.id);
        let answer = request
            .header("MCP-Protocol-Version", STATELESS)
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", "list_files")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .body(message.to_string())
            .send()
            .await
            .unwrap();
        let raw = answer.text().await.unwrap();
        assert!(raw.contains("\"total_count\":7"), "the whole project, not ann's: {raw}");
    };
    is_closed_to_bob(&first).await;
    assert_eq!(files(&ann).await, ["one.py"]);
    first.stop().await;
    let next = place.server_with(with_tokens).await;
    is_closed_to_bob(&next).await;
    assert_eq!(next.edge.sessions.sessions(), 0, "bob restored nothing");
    assert_eq!(files(&at(&ann, &next)).await, ["one.py"]);
    is_closed_to_bob(&next).await;
    assert_eq!(files(&at(&ann, &next)).await, ["one.py"]);
    assert!(at(&ann, &next).end().await.is_success());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_store_holds_no_secret() {
    let place = Place::new();
    let server = place.server_with(with_tokens).await;
    let http = bearing("the-token-of-ann");
    let params = json!({
        "protocolVersion": SESSION,
        "capabilities": {},
        "clientInfo": {"name": "fumi-tests", "version": "1"},
        "_meta": {"some.where/key": "secret-in-meta"},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let opened = http
        .post(server.url())
        .header("Accept", "application/json, text/event-stream")
        .header("Content-Type", "application/json")
        .header("Cookie", "secret-in-a-cookie")
        .body(body.to_string())
        .send()
        .await
        .unwrap();
    assert_eq!(opened.status(), StatusCode::OK);
    let ann = open_as(&server, "ann").await;
    choose(&ann, &place.folder("one")).await;
    let (mut looked, mut folders) = (0, vec![place.state()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let content = String::from_utf8(fs::read(entry.path()).unwrap()).unwrap();
            looked += usize::from(content.contains("fumi-tests"));
            for secret in ["the-token-of", &sha256_of("the-token-of-ann"), "secret-in", "uthorization", "earer"] {
                assert!(!content.contains(secret), "{secret} in {content}");
            }
        }
    }
    assert_eq!(looked, 2, "both sessions are there");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_that_is_not_allowed_any_more_is_not_restored() {
    let place = Place::new();
    let first = place.server().await;
    let sessions = sessions_in_folders(&place, &first).await;
    drop(first);
    fs::remove_dir_all(place.folder("three")).unwrap();
    let two = place.folder("two");
    let narrower = place.server_with(|config| config.projects.allowed_roots = vec![two]).await;
    for session in &sessions[..2] {
        assert_eq!(files(&at(session, &narrower)).await, ["two.py"], "the only project that is left");
    }
    drop(narrower);
    // A link in its place does not lead to a folder that is not allowed.
    std::os::unix::fs::symlink(place.sample.outside(), place.folder("three")).unwrap();
    let wider = place.server().await;
    let third = files(&at(&sessions[2], &wider)).await;
    assert!(third.contains(&"top.py".to_owned()), "the default project: {third:?}");
    assert!(!third.iter().any(|file| file.contains("state")), "{third:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn restored_sessions_count_too() {
    let place = Place::new();
    let first = place.server().await;
    let sessions = sessions_in_folders(&place, &first).await;
    drop(first);
    let next = place.server_with(|config| config.server.max_sessions = 2).await;
    for session in &sessions[..2] {
        files(&at(session, &next)).await;
    }
    let third = at(&sessions[2], &next);
    let refused = third.request("tools/list", json!({})).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE, "{}", refused.raw);
    assert!(refused.headers.contains_key("retry-after"), "{:?}", refused.headers);
    assert!(refused.raw.contains("TOO_MANY_SESSIONS") || refused.raw.contains("上限"), "{}", refused.raw);
    let http = reqwest::Client::new();
    let another = Session::initialize(&http, &next.url(), SESSION, None).await;
    assert!(!another.status.is_success(), "{}", another.raw);
    assert!(at(&sessions[0], &next).end().await.is_success());
    assert_eq!(files(&third).await, ["three.py"], "it was not lost");
}

/// A store that a test can make fail.
#[derive(Debug, Default)]
struct Moody {
    inner: MemoryStore,
    fails: AtomicBool,
}

impl Moody {
    fn mood(&self) -> Result<(), StoreError> {
        if self.fails.load(Ordering::SeqCst) {
            return Err(StoreError::Locked);
        }
        Ok(())
    }
}

#[async_trait]
impl Store for Moody {
    fn is_persistent(&self) -> bool {
        true
    }
    async fn get(&self, key: &str) -> Result<Option<StoredEntry>, StoreError> {
        self.mood()?;
        self.inner.get(key).await
    }
    async fn put(
        &self,
        key: &str,
        value: Vec<u8>,
        expect: ExpectedState,
        ttl: Option<Duration>,
    ) -> Result<Version, StoreError> {
        self.mood()?;
        self.inner.put(key, value, expect, ttl).await
    }
    async fn touch(&self, key: &str, ttl: Option<Duration>) -> Result<bool, StoreError> {
        self.mood()?;
        self.inner.touch(key, ttl).await
    }
    async fn delete(&self, key: &str, expect: ExpectedState) -> Result<bool, StoreError> {
        self.mood()?;
        self.inner.delete(key, expect).await
    }
    async fn list(&self, prefix: &str) -> Result<KeyListing, StoreError> {
        self.mood()?;
        self.inner.list(prefix).await
    }
    async fn lease(&self, name: &str, holder: &str, ttl: Duration) -> Result<Lease, StoreError> {
        self.mood()?;
        self.inner.lease(name, holder, ttl).await
    }
    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease, StoreError> {
        self.mood()?;
        self.inner.renew(lease, ttl).await
    }
    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.mood()?;
        self.inner.release(lease).await
    }
    async fn evict(&self, name: &str, holder: &str) -> Result<bool, StoreError> {
        self.mood()?;
        self.inner.evict(name, holder).await
    }
    async fn sweep(&self) -> Result<SweepReport, StoreError> {
        self.mood()?;
        self.inner.sweep().await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_whose_end_cannot_be_stored_goes_on_until_it_is_ended_again() {
    let place = Place::new();
    let store = Arc::new(Moody::default());
    let server = Server::start(place.app_over(Arc::clone(&store) as Arc<dyn Store>, |_| {})).await;
    let session = Session::open(&server).await;
    choose(&session, &place.folder("one")).await;
    store.fails.store(true, Ordering::SeqCst);
    assert_eq!(session.end().await, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(files(&session).await, ["one.py"]);
    store.fails.store(false, Ordering::SeqCst);
    assert_eq!(session.end().await, StatusCode::NO_CONTENT);
    let ended = session.request("tools/list", json!({})).await;
    assert_eq!(ended.status, StatusCode::NOT_FOUND, "{}", ended.raw);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_fails_costs_no_session() {
    let place = Place::new();
    let store = Arc::new(Moody::default());
    let shared = || Arc::clone(&store) as Arc<dyn Store>;
    let first = Server::start(place.app_over(shared(), |_| {})).await;
    let (known, stored) = (Session::open(&first).await, Session::open(&first).await);
    store.fails.store(true, Ordering::SeqCst);
    // Sessions in memory keep working, new ones are served, and a choice of a project is effective.
    choose(&known, &place.folder("one")).await;
    assert_eq!(files(&known).await, ["one.py"]);
    let unstored = Session::open(&first).await;
    choose(&unstored, &place.folder("two")).await;
    drop(first);
    let next = Server::start(place.app_over(shared(), |_| {})).await;
    let away = at(&stored, &next).request("tools/list", json!({})).await;
    assert_eq!(away.status, StatusCode::SERVICE_UNAVAILABLE, "not 404: {}", away.raw);
    assert!(away.headers.contains_key("retry-after"));
    store.fails.store(false, Ordering::SeqCst);
    assert_eq!(files(&at(&stored, &next)).await.len(), 4);
    // Only the facts that could not be stored were lost with the process.
    assert_eq!(files(&at(&known, &next)).await.len(), 4, "its choice");
    let gone = at(&unstored, &next).request("tools/list", json!({})).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
}

/// Tests the time between the end of the drain and the end of the process.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_down_forgets_no_session() {
    let place = Place::new();
    let edge = Edge::new(place.app_over(place.store(), |_| {})).unwrap();
    let routes = router::router(&edge);
    let ask = async |body: Value, session: Option<&str>| {
        let mut request = axum::http::Request::post("/mcp")
            .header("Host", "localhost")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        if let Some(id) = session {
            request = request.header("Mcp-Session-Id", id);
        }
        let request = request.body(axum::body::Body::from(body.to_string())).unwrap();
        routes.clone().oneshot(request).await.unwrap()
    };
    let params =
        json!({"protocolVersion": SESSION, "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}});
    let mut ids = Vec::new();
    for _ in 0..2 {
        let opened = ask(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}), None).await;
        let id = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        // When the whole answer is read, the session is ready.
        axum::body::to_bytes(opened.into_body(), 1 << 20).await.unwrap();
        ids.push(id);
    }
    edge.closing.cancel();
    while edge.sessions.sessions() > 0 {
        tokio::task::yield_now().await;
    }
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}});
    for id in &ids {
        let answer = ask(list.clone(), Some(id)).await;
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE, "a 404 would end it");
        assert!(answer.headers().contains_key("retry-after"));
    }
    assert_eq!(ask(list, Some("unknown")).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(place.stored().len(), 2);
}

/// Opens a session as a client's `initialize` does, without HTTP.
async fn opened(app: &Arc<App>, streams: &Arc<SessionRegistry>, sessions: &Arc<McpSessionManager>) -> SessionId {
    let (id, transport) = sessions.create_session().await.unwrap();
    let handler = Handler::new(Arc::clone(app), Arc::clone(streams));
    tokio::spawn(async move {
        let stop = CancellationToken::new();
        let running = serve_server_with_ct::<_, _, _, TransportAdapterIdentity>(handler, transport, stop);
        let running = Box::pin(running).await.unwrap();
        let _ = running.waiting().await;
    });
    let request = ClientRequest::InitializeRequest(InitializeRequest::default());
    let message = ClientJsonRpcMessage::request(request, RequestId::Number(0));
    sessions.initialize_session(&id, message).await.unwrap();
    let done = ClientNotification::InitializedNotification(InitializedNotification::default());
    sessions.accept_message(&id, ClientJsonRpcMessage::notification(done)).await.unwrap();
    id
}

/// The expiry is short in this test.
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_session_is_deleted_from_the_store_and_its_end_is_reported_once() {
    let place = Place::new();
    let app = place.app_over(place.store(), |_| {});
    let streams = SessionRegistry::new(&app);
    let ends = Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = Arc::clone(&ends);
    streams.on_end(move |ended| told.lock().unwrap().push((ended.why, ended.is_over)));
    let sessions = McpSessionManager::with_idle(&app, &streams, CancellationToken::new(), Duration::from_millis(1));
    let calling = opened(&app, &streams, &sessions).await;
    let call = streams.open_call(Some(&*calling));
    let idle = opened(&app, &streams, &sessions).await;
    while streams.is_open(&idle) {
        tokio::task::yield_now().await;
    }
    while place.stored().len() > 1 {
        tokio::task::yield_now().await;
    }
    assert!(streams.is_open(&calling), "it was ended in the middle of a call");
    assert!(place.stored()[0].contains(&*calling));
    assert_eq!(*ends.lock().unwrap(), [(SessionEndReason::Idle, true)]);
    drop(call);
    while streams.sessions() > 0 || !place.stored().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(ends.lock().unwrap().len(), 2);
    assert!(streams.locate(&idle).await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_life_of_a_session_is_measured_over_restarts() {
    let place = Place::new();
    let lives = async |server: &Server| {
        let text = reqwest::get(format!("{}/metrics", server.base)).await.unwrap().text().await.unwrap();
        let line = text
            .lines()
            .find(|line| line.starts_with("mcp_server_session_duration_seconds_count"))
            .map(|line| line.rsplit(' ').next().unwrap().to_owned());
        line.map_or(0, |count| count.parse::<u64>().unwrap())
    };
    let first = place.server().await;
    let (ended, stays) = (Session::open(&first).await, Session::open(&first).await);
    assert_eq!(lives(&first).await, 0);
    assert!(ended.end().await.is_success());
    assert_eq!(lives(&first).await, 1);
    drop(first);
    let next = place.server().await;
    files(&at(&stays, &next)).await;
    assert_eq!(lives(&next).await, 0, "the session still exists");
    assert!(at(&stays, &next).end().await.is_success());
    assert_eq!(lives(&next).await, 1);
}

/// Only records of this build's format are read; a session with a record of another format is lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_record_of_another_format_is_ignored() {
    let place = Place::new();
    let first = place.server().await;
    let session = Session::open(&first).await;
    drop(first);
    let store = place.store();
    let key = format!("session/{}", session.id);
    let entry = store.get(&key).await.unwrap().unwrap();
    let record: Value = serde_json::from_slice(&entry.value).unwrap();
    let names: BTreeSet<&str> = record.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, BTreeSet::from(["began_ms", "form", "initialize", "principal"]), "{record}");
    for broken in ["", "{}", "null", "{\"form\": 99}"] {
        store.put(&key, broken.into(), ExpectedState::Anything, None).await.unwrap();
        let server = place.server().await;
        let gone = at(&session, &server).request("tools/list", json!({})).await;
        assert_eq!(gone.status, StatusCode::NOT_FOUND, "{broken}: {}", gone.raw);
    }
}
