//! `/metrics`: what Prometheus reads, as a route or on an address of its own.

use std::sync::Arc;

use axum::{
    Router,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use tokio::net::TcpListener;

use super::{connections, router::Edge};

/// The text format's media type.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The route.
pub async fn metrics(State(edge): State<Edge>) -> Response {
    ([(header::CONTENT_TYPE, TEXT)], edge.app.kernel.metrics.text()).into_response()
}

/// Serves nothing but metrics, until the edge closes. Whoever reaches the address may read.
pub async fn serve_apart(listener: TcpListener, edge: Edge) {
    let (closing, app) = (edge.closing.clone(), Arc::clone(&edge.app));
    let routes = Router::new().route("/metrics", get(metrics)).with_state(edge);
    connections::serve(listener, routes, &app.config, closing).await;
}
