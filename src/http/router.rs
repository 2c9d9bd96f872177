//! The routes, and the server that runs them.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{Json, Router, extract::State, routing::get, serve::ListenerExt as _};
use fumi_base::errors::Book;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{health, layers, shutdown};
use crate::{app::App, mcp};

/// What the routes share.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The process's parts.
    pub app: Arc<App>,
    /// What is open.
    pub streams: Arc<mcp::sessions::Streams>,
    /// Set once the server is going down: `/readyz` fails first.
    pub draining: CancellationToken,
    /// Set when calls have had their time: sessions and streams end.
    pub closing: CancellationToken,
}

impl Edge {
    /// An edge over the process's parts.
    #[must_use]
    pub fn new(app: Arc<App>) -> Self {
        let streams = mcp::sessions::Streams::new(Arc::clone(&app.sessions), &app.state_key);
        Self {
            app,
            streams,
            draining: CancellationToken::new(),
            closing: CancellationToken::new(),
        }
    }
}

/// What a server serves.
pub type Routes = Router;

/// All routes behind all layers.
pub fn router(edge: &Edge) -> Routes {
    let (app, streams) = (Arc::clone(&edge.app), Arc::clone(&edge.streams));
    router_of(edge, move || {
        mcp::server::Server::new(Arc::clone(&app), Arc::clone(&streams))
    })
}

/// The same routes and layers around another handler: what the conformance tests serve is otherwise what fumi serves.
pub fn router_of<H: mcp::Handler>(edge: &Edge, handler: impl Fn() -> H + Send + Sync + 'static) -> Routes {
    let service = mcp::service(&edge.app, &edge.streams, edge.closing.clone(), handler);
    let routes = Router::new()
        .route("/livez", get(health::livez))
        .route("/readyz", get(health::readyz))
        .route("/v1/errors", get(errors))
        .with_state(edge.clone())
        .route_service("/mcp", service);
    layers::wrap(routes, &edge.app.config)
}

/// A bound server.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    edge: Edge,
}

/// Binds the configured address.
pub async fn bind(app: Arc<App>) -> io::Result<Bound> {
    let listener = TcpListener::bind(app.config.server.listen).await?;
    Ok(Bound {
        listener,
        edge: Edge::new(app),
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
        let routes = router(&self.edge);
        self.serve_routes(routes, stop).await
    }

    /// The same with routes of the caller's choice (see [`router_of`]).
    pub async fn serve_routes(self, routes: Routes, stop: impl Future<Output = ()>) -> io::Result<()> {
        let patience = Duration::from_secs(self.edge.app.config.server.drain_seconds);
        let closing = self.edge.closing.clone();
        // A reply goes out in several small writes; without this each waits up to 40 ms for the client's acknowledgement.
        let listener = self.listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "a connection keeps delaying small writes");
            }
        });
        let server = axum::serve(listener, routes).with_graceful_shutdown(async move { closing.cancelled().await });
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
    let books: [&Book; 5] = [
        &fumi_base::project::BOOK,
        &crate::tool::error::BOOK,
        &mcp::fault::BOOK,
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
