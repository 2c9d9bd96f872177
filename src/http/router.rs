//! The routes, and the server that runs them.
//!
//! Invariant: [`routes`] is the complete list of what is served.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};

use axum::{
    Json, Router,
    extract::DefaultBodyLimit,
    extract::State,
    http::StatusCode,
    middleware,
    routing::{MethodRouter, get},
};
use fumi_base::{
    errors::ErrorCatalog,
    pools::{Pool, PoolLoad},
};
use fumi_config::ConfigError;
use futures_core::future::BoxFuture;
use opentelemetry::KeyValue;
use serde_json::{Map, Value, json};
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    access,
    auth::{Authenticator, challenge},
    connections,
    forward::Forwarder,
    health,
    http_error::{self, HttpError},
    layers::{self, AllowedNames},
    mcp_route, metrics, openapi, page,
    reloadable::ReloadableValue,
    rest, session_gate, shutdown,
};
use crate::{app::App, mcp, mcp::server::McpServer, telemetry::metrics::resident_bytes};

/// The state shared by all routes, as one handle, since every layer clones it with each request.
#[derive(Clone, Debug)]
pub struct Edge(Arc<EdgeParts>);

/// The parts of an [`Edge`].
#[derive(Debug)]
pub struct EdgeParts {
    /// The application's parts, which other surfaces share.
    pub app: Arc<App>,
    /// The authentication of callers.
    pub auth: ReloadableValue<Authenticator>,
    /// The allowed host names and web origins.
    pub names: ReloadableValue<AllowedNames>,
    /// The open sessions and streams.
    pub sessions: Arc<mcp::session_registry::SessionRegistry>,
    /// The client of the other replicas; `None` if there are none.
    pub forwarder: Option<Forwarder>,
    /// The result of the last `/readyz` check of the roots.
    pub root_probe: health::RootProbe,
    /// The calls of the last 24 hours.
    pub history: page::CallHistory,
    /// Only one view of a novel is computed at a time, because each takes seconds of the pool for checks.
    pub novel_view: Semaphore,
    /// The `OpenAPI` document, which is the same as long as the process runs.
    pub document: OnceLock<Value>,
    /// Cancelled when the server begins to shut down: `/readyz` fails first.
    pub draining: CancellationToken,
    /// The requests in flight; closed when the drain time is over, and then no more are accepted.
    pub requests: TaskTracker,
    /// Cancelled when the requests in flight have been answered: sessions and streams end.
    pub closing: CancellationToken,
}

impl std::ops::Deref for Edge {
    type Target = EdgeParts;
    fn deref(&self) -> &EdgeParts {
        &self.0
    }
}

impl Edge {
    /// Creates an edge over the application's parts. Fails if the configuration of authentication does not fit them.
    pub fn new(app: Arc<App>) -> Result<Self, ConfigError> {
        let streams = mcp::session_registry::SessionRegistry::new(&app);
        let auth = ReloadableValue::new(Authenticator::open(&app.config.auth, &app)?);
        observe(&app, &streams);
        let names = ReloadableValue::new(AllowedNames::new(&app.config));
        let forwarder = app.replicas.clone().map(Forwarder::new).transpose()?;
        Ok(Self(Arc::new(EdgeParts {
            app,
            auth,
            names,
            sessions: streams,
            forwarder,
            root_probe: health::RootProbe::default(),
            history: page::CallHistory::default(),
            novel_view: Semaphore::new(1),
            document: OnceLock::new(),
            draining: CancellationToken::new(),
            requests: TaskTracker::new(),
            closing: CancellationToken::new(),
        })))
    }
}

/// A getter of one number of a pool's load.
type LoadGetter = fn(PoolLoad) -> usize;

/// Registers the metrics that are read on demand, and the listener for ended sessions.
fn observe(app: &Arc<App>, streams: &Arc<mcp::session_registry::SessionRegistry>) {
    let metrics = &app.kernel.metrics;
    let told = Arc::clone(metrics);
    streams.on_end(move |ended| {
        // A session that continues in the next process has not ended.
        if ended.is_over {
            told.session(ended.lasted);
        }
    });
    let open = Arc::downgrade(streams);
    metrics.register_gauge(("fumi.sessions", ""), "Open MCP sessions", move |tell| {
        if let Some(streams) = open.upgrade() {
            tell(streams.sessions() as u64, &[]);
        }
    });
    let loads: [(_, _, LoadGetter); 3] = [
        ("fumi.pool.places", "Slots of a pool", |load| load.slots),
        ("fumi.pool.running", "Calls that have a slot", |load| load.running),
        ("fumi.pool.waiting", "Calls that wait for a slot", |load| load.waiting),
    ];
    for (name, about, number) in loads {
        let parts = Arc::downgrade(app);
        metrics.register_gauge((name, ""), about, move |tell| {
            let Some(app) = parts.upgrade() else { return };
            for pool in Pool::ALL {
                let number = number(app.kernel.pools.load(pool));
                tell(number as u64, &[KeyValue::new("pool", pool.name())]);
            }
        });
    }
    let parts = Arc::downgrade(app);
    metrics.register_gauge(("fumi.cache", "By"), "Bytes of the result cache", move |tell| {
        if let Some(app) = parts.upgrade() {
            tell(app.kernel.cache.bytes(), &[]);
        }
    });
    metrics.register_gauge(("process.memory.usage", "By"), "Bytes of memory in use", |tell| {
        if let Some(bytes) = resident_bytes() {
            tell(bytes, &[]);
        }
    });
}

/// A path with its methods and handlers.
pub struct HttpRoute {
    /// The path; segments in braces are variables.
    pub path: &'static str,
    /// The accepted methods; GET includes HEAD.
    pub methods: &'static [&'static str],
    answers: MethodRouter,
}

impl std::fmt::Debug for HttpRoute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.methods.join(", "), self.path)
    }
}

/// Returns all routes: the server serves this list, and tests check every entry.
pub fn routes(edge: &Edge) -> Vec<HttpRoute> {
    let (app, streams) = (Arc::clone(&edge.app), Arc::clone(&edge.sessions));
    let handler = move || McpServer::new(Arc::clone(&app), Arc::clone(&streams));
    routes_of(edge, handler)
}

/// Returns all routes with another protocol handler.
fn routes_of<H: mcp::Handler>(edge: &Edge, handler: impl Fn() -> H + Send + Sync + 'static) -> Vec<HttpRoute> {
    const READ: &[&str] = &["GET"];
    let plain = |path, answers: MethodRouter<Edge>| HttpRoute {
        path,
        methods: READ,
        answers: answers.with_state(edge.clone()),
    };
    let tools = |path, methods, answers: MethodRouter<Edge>| HttpRoute {
        path,
        methods,
        answers: answers
            .with_state(edge.clone())
            // The body was read by an earlier layer.
            .layer(DefaultBodyLimit::disable())
            .layer(middleware::from_fn_with_state(edge.clone(), access::plain_layer)),
    };
    let mcp::Endpoint { sessions, service, calls } =
        mcp::endpoint(&edge.app, &edge.sessions, edge.closing.clone(), handler);
    let mcp = |path| HttpRoute {
        path,
        methods: &["GET", "POST", "DELETE"],
        answers: mcp_route::endpoint(service.clone(), calls.clone())
            .layer(middleware::from_fn_with_state((edge.clone(), Arc::clone(&sessions)), session_gate::restore_layer))
            .layer(middleware::from_fn_with_state(edge.clone(), access::layer)),
    };
    vec![
        plain("/livez", get(health::livez)),
        plain("/readyz", get(health::readyz)),
        plain("/v1/errors", get(errors)),
        plain("/metrics", get(metrics::metrics)),
        plain("/openapi.json", get(openapi::serve)),
        plain(challenge::METADATA, get(challenge::metadata)),
        plain(challenge::METADATA_OF, get(challenge::metadata)),
        tools(page::PATH, &["GET", "POST"], get(page::show).post(page::call)),
        tools("/v1/tools", READ, get(rest::list)),
        tools("/v1/tools/{name}", &["GET", "POST"], get(rest::show).post(rest::call)),
        mcp("/mcp"),
        mcp("/mcp/"),
        mcp("/mcp/{*rest}"),
        mcp("/projects/{name}/mcp"),
        mcp("/projects/{name}/mcp/"),
        mcp("/projects/{name}/mcp/{*rest}"),
    ]
}

/// Returns the router: all routes behind all layers.
pub fn router(edge: &Edge) -> Router {
    layered(edge, routes(edge))
}

/// Returns the router with another protocol handler, so that the conformance tests exercise everything else as fumi
/// serves it.
pub fn router_with_handler<H: mcp::Handler>(edge: &Edge, handler: impl Fn() -> H + Send + Sync + 'static) -> Router {
    layered(edge, routes_of(edge, handler))
}

fn layered(edge: &Edge, routes: Vec<HttpRoute>) -> Router {
    let refuse = |status, entry| async move || HttpError::new(status, entry, &[]);
    let routes = routes
        .into_iter()
        .fold(Router::new(), |router, route| router.route(route.path, route.answers))
        .fallback(refuse(StatusCode::NOT_FOUND, "NO_SUCH_ROUTE"))
        .method_not_allowed_fallback(refuse(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED"));
    // Handlers become services here, once, and not again for every request.
    layers::wrap(routes, edge).with_state(())
}

/// A server with bound sockets.
#[derive(Debug)]
pub struct BoundServer {
    listener: TcpListener,
    /// The socket for metrics, if they have their own.
    metrics: Option<TcpListener>,
    edge: Edge,
}

/// Binds the configured addresses.
pub async fn bind(app: Arc<App>) -> Result<BoundServer, ConfigError> {
    let edge = Edge::new(app)?;
    let listen = edge.app.config.server.listen;
    let listener = TcpListener::bind(listen).await;
    let listener = listener.map_err(|error| ConfigError(format!("cannot listen on {listen}: {error}")))?;
    let metrics = match edge.app.config.telemetry.metrics_listen.as_str() {
        "" => None,
        listen => {
            let listener = TcpListener::bind(listen).await;
            Some(listener.map_err(|error| ConfigError(format!("cannot listen on {listen}: {error}")))?)
        }
    };
    if let Some(replicas) = &edge.app.replicas {
        let url = match edge.app.config.server.replica_url.trim_end_matches('/') {
            "" => {
                let address = listener.local_addr();
                format!("http://{}", address.map_err(|error| ConfigError(format!("no address to listen on: {error}")))?)
            }
            url => url.to_owned(),
        };
        replicas.enter(url).await;
    }
    Ok(BoundServer { listener, metrics, edge })
}

impl BoundServer {
    /// Returns the bound address; the port is never 0.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Returns the address of the metrics; the port is never 0.
    pub fn metrics_address(&self) -> io::Result<SocketAddr> {
        self.metrics.as_ref().unwrap_or(&self.listener).local_addr()
    }

    /// Returns the edge, for observers outside of the server.
    pub fn edge(&self) -> &Edge {
        &self.edge
    }

    /// Serves until `stop` ends, then drains: probes fail, calls finish, sessions end.
    pub fn serve(self, stop: BoxFuture<'static, ()>) -> BoxFuture<'static, io::Result<()>> {
        let routes = router(&self.edge);
        self.serve_routes(routes, stop)
    }

    /// Serves the given routes (see [`router_with_handler`]) until `stop` ends, then drains. The future is boxed so that the
    /// server is compiled once, and not again in every program that awaits it.
    pub fn serve_routes(self, routes: Router, stop: BoxFuture<'static, ()>) -> BoxFuture<'static, io::Result<()>> {
        Box::pin(self.serve_until(routes, stop))
    }

    async fn serve_until(self, routes: Router, stop: BoxFuture<'static, ()>) -> io::Result<()> {
        let patience = Duration::from_secs(self.edge.app.config.server.drain_seconds);
        let closing = self.edge.closing.clone();
        if let Some(listener) = self.metrics {
            let edge = self.edge.clone();
            tokio::spawn(metrics::serve_separately(listener, edge));
        }
        if let Some(replicas) = self.edge.app.replicas.clone() {
            tokio::spawn(async move { replicas.check_url().await });
        }
        tokio::spawn(page::CallHistory::keep(self.edge.clone()));
        let server = connections::serve(self.listener, routes, &self.edge.app.config, closing);
        let edge = &self.edge;
        tokio::select! {
            () = server => {}
            () = async {
                stop.await;
                shutdown::drain(edge, patience).await;
            } => {}
        }
        edge.app.browser.shut_down().await;
        Ok(())
    }
}

/// Serves all error codes with their texts, to which `troubleshooting_url` points.
async fn errors(State(edge): State<Edge>) -> Json<Value> {
    Json(all_errors(edge.app.catalogue.errors()))
}

/// Returns the union of the error catalogues of the server and of the families, by entry.
pub fn all_errors(of_families: &[&'static ErrorCatalog]) -> Value {
    let own: [&ErrorCatalog; 5] = [
        &fumi_base::project::BOOK,
        &fumi_kernel::error::BOOK,
        &mcp::protocol_error::BOOK,
        &fumi_provider::error::BOOK,
        &http_error::BOOK,
    ];
    let books = own.iter().chain(of_families);
    let mut all = Map::new();
    for (name, entry) in books.flat_map(|book| book.entries()) {
        all.insert(
            name.to_owned(),
            json!({
                "code": entry.code.as_deref().unwrap_or(name),
                "type": entry.class.name(),
                "message": {"en": entry.en, "ja": entry.ja},
                "next": {"en": entry.next_en, "ja": entry.next_ja},
            }),
        );
    }
    all.sort_keys();
    Value::Object(all)
}
