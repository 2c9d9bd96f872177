//! The routes, and the server that runs them.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    routing::{MethodRouter, get},
};
use fumi_base::errors::Book;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{
    connections, health, layers, mcp_route,
    refusal::{self, Refusal},
    shutdown,
};
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
        let streams = mcp::sessions::Streams::new(Arc::clone(&app.sessions));
        Self {
            app,
            streams,
            draining: CancellationToken::new(),
            closing: CancellationToken::new(),
        }
    }
}

/// One route.
pub struct Route {
    /// Its path; parts in braces are any.
    pub path: &'static str,
    /// The methods that it takes, besides HEAD where it takes GET.
    pub methods: &'static [&'static str],
    answers: MethodRouter,
}

impl std::fmt::Debug for Route {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.methods.join(", "), self.path)
    }
}

/// All routes: what is served is this list, and what tests ask of every route too.
#[must_use]
pub fn routes(edge: &Edge) -> Vec<Route> {
    let route = |path, methods, answers| Route { path, methods, answers };
    let service = mcp::service(&edge.app, &edge.streams, edge.closing.clone());
    let server = mcp::server::Server::new(Arc::clone(&edge.app), Arc::clone(&edge.streams));
    let calls = mcp::stateless::Calls::new(server, edge.closing.clone());
    vec![
        route("/livez", &["GET"], get(health::livez)),
        route("/readyz", &["GET"], get(health::readyz).with_state(edge.clone())),
        route("/v1/errors", &["GET"], get(errors)),
        route("/mcp", &["GET", "POST", "DELETE"], mcp_route::endpoint(service, Some(calls))),
    ]
}

/// All routes behind all layers.
pub fn router(edge: &Edge) -> Router {
    let routes = routes(edge)
        .into_iter()
        .fold(Router::new(), |router, route| router.route(route.path, route.answers))
        .fallback(async || Refusal::NoSuchRoute)
        .method_not_allowed_fallback(async || Refusal::MethodNotAllowed);
    layers::wrap(routes, edge)
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
        let patience = Duration::from_secs(self.edge.app.config.server.drain_seconds);
        let closing = self.edge.closing.clone();
        let routes = router(&self.edge);
        let server = connections::serve(self.listener, routes, &self.edge.app.config, closing);
        let edge = &self.edge;
        tokio::select! {
            () = server => {}
            () = async {
                stop.await;
                shutdown::drain(edge, patience).await;
            } => {}
        }
        Ok(())
    }
}

/// Every code that an error can carry, with its sentences: what `troubleshooting_url` points at.
async fn errors() -> Json<Value> {
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
