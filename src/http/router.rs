//! The routes, and the server that runs them.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, State},
    middleware,
    routing::get,
    serve::ListenerExt as _,
};
use fumi_base::{
    errors::Book,
    pools::{Load, Pool},
};
use opentelemetry::KeyValue;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{
    auth::{Auth, challenge},
    current::Current,
    door, health,
    layers::{self, Names},
    metrics, openapi, refusal, rest, session_gate, shutdown,
};
use crate::{app::App, config::ConfigError, mcp, telemetry::metrics::resident_bytes};

/// What the routes share.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The process's parts.
    pub app: Arc<App>,
    /// Who may call.
    pub auth: Current<Auth>,
    /// Under which names it may be called.
    pub names: Current<Names>,
    /// What is open.
    pub streams: Arc<mcp::sessions::Streams>,
    /// Set once the server is going down: `/readyz` fails first.
    pub draining: CancellationToken,
    /// Set when calls have had their time: sessions and streams end.
    pub closing: CancellationToken,
}

impl Edge {
    /// An edge over the process's parts. Fails when the configuration of authentication does not fit them.
    pub fn new(app: Arc<App>) -> Result<Self, ConfigError> {
        let streams = mcp::sessions::Streams::new(&app);
        let auth = Current::new(Auth::open(&app.config.auth, &app)?);
        observe(&app, &streams);
        let names = Current::new(Names::new(&app.config));
        Ok(Self {
            app,
            auth,
            names,
            streams,
            draining: CancellationToken::new(),
            closing: CancellationToken::new(),
        })
    }
}

/// What is read whenever metrics are, and what is told when a session ends.
fn observe(app: &Arc<App>, streams: &Arc<mcp::sessions::Streams>) {
    let metrics = &app.kernel.metrics;
    let told = Arc::clone(metrics);
    streams.on_end(move |ended| {
        // One that goes on in the next process has not ended.
        if ended.is_over {
            told.session(ended.lasted);
        }
    });
    let open = Arc::downgrade(streams);
    metrics.observe("fumi.sessions", "Sessions that are open", move |tell| {
        if let Some(streams) = open.upgrade() {
            tell(streams.sessions() as u64, &[]);
        }
    });
    let loads: [(_, _, fn(Load) -> usize); 3] = [
        (
            "fumi.pool.places",
            "Jobs of a pool that may run at once",
            |load: Load| load.places,
        ),
        ("fumi.pool.running", "Jobs of a pool that run", |load: Load| {
            load.running
        }),
        ("fumi.pool.waiting", "Calls that wait for a pool", |load: Load| {
            load.waiting
        }),
    ];
    for (name, about, number) in loads {
        let parts = Arc::downgrade(app);
        metrics.observe(name, about, move |tell| {
            let Some(app) = parts.upgrade() else { return };
            for pool in Pool::ALL {
                let number = number(app.kernel.pools.load(pool));
                tell(number as u64, &[KeyValue::new("pool", pool.name())]);
            }
        });
    }
    metrics.observe("process.memory.usage", "Bytes of memory in use", |tell| {
        if let Some(bytes) = resident_bytes() {
            tell(bytes, &[]);
        }
    });
}

/// All routes behind all layers.
pub fn router(edge: &Edge) -> Router {
    let service = session_gate::service(edge);
    let mcp = [
        "/mcp",
        "/mcp/{*rest}",
        "/projects/{name}/mcp",
        "/projects/{name}/mcp/{*rest}",
    ]
    .into_iter()
    .fold(Router::new(), |routes, path| {
        routes.route_service(path, service.clone())
    })
    .layer(middleware::from_fn_with_state(edge.clone(), door::enter));
    let tools = Router::new()
        .route("/v1/tools", get(rest::list))
        .route("/v1/tools/{name}", get(rest::show).post(rest::call))
        .layer(DefaultBodyLimit::max(edge.app.config.limits.body_bytes))
        .layer(middleware::from_fn_with_state(edge.clone(), door::enter_plain));
    let metadata = challenge::METADATA;
    let routes = Router::new()
        .route("/livez", get(health::livez))
        .route("/readyz", get(health::readyz))
        .route("/v1/errors", get(errors))
        .route("/metrics", get(metrics::metrics))
        .route("/openapi.json", get(openapi::serve))
        .merge(tools)
        .route(metadata, get(challenge::metadata))
        .route(&format!("{metadata}/{{*resource}}"), get(challenge::metadata))
        .with_state(edge.clone())
        .merge(mcp);
    layers::wrap(routes, edge)
}

/// A bound server.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    /// Where metrics are read, if not here.
    metrics: Option<TcpListener>,
    edge: Edge,
}

/// Binds the configured address.
pub async fn bind(app: Arc<App>) -> Result<Bound, ConfigError> {
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
    Ok(Bound {
        listener,
        metrics,
        edge,
    })
}

impl Bound {
    /// The address that was bound; the port is never 0.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The edge, for whoever watches it from outside.
    #[must_use]
    pub fn edge(&self) -> &Edge {
        &self.edge
    }

    /// Serves until `stop` ends, then drains: probes fail, calls finish, sessions end.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let patience = Duration::from_secs(self.edge.app.config.server.drain_seconds);
        let closing = self.edge.closing.clone();
        if let Some(listener) = self.metrics {
            let edge = self.edge.clone();
            tokio::spawn(async move {
                if let Err(error) = metrics::serve_apart(listener, edge).await {
                    tracing::error!(%error, "metrics are no longer served");
                }
            });
        }
        // A reply goes out in several small writes; without this each waits up to 40 ms for the client's acknowledgement.
        let listener = self.listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "a connection keeps delaying small writes");
            }
        });
        let server =
            axum::serve(listener, router(&self.edge)).with_graceful_shutdown(async move { closing.cancelled().await });
        let edge = self.edge;
        tokio::select! {
            result = server => result,
            () = async {
                stop.await;
                shutdown::drain(&edge, patience).await;
            } => Ok(()),
        }
    }
}

/// Every code that an error can carry, with its sentences: what `troubleshooting_url` points at.
async fn errors(State(_): State<Edge>) -> Json<Value> {
    Json(all_errors())
}

/// The union of all books, by entry.
#[must_use]
pub fn all_errors() -> Value {
    let books: [&Book; 6] = [
        &fumi_base::project::BOOK,
        &crate::tool::error::BOOK,
        &mcp::fault::BOOK,
        &refusal::BOOK,
        &fumi_code::errors::search::BOOK,
        &fumi_code::errors::structure::BOOK,
    ];
    let mut all = Map::new();
    for (name, entry) in books.iter().flat_map(|book| book.entries()) {
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
