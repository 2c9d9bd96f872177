//! `/metrics`: the metrics for Prometheus, as a route or on an address of its own.

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

/// The media type of the text format.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

pub async fn metrics(State(edge): State<Edge>) -> Response {
    ([(header::CONTENT_TYPE, TEXT)], edge.app.metrics.text()).into_response()
}

/// Serves only metrics, until the edge closes. Every client that reaches the address may read them.
pub async fn serve_separately(listener: TcpListener, edge: Edge) {
    let (closing, app) = (edge.closing.clone(), Arc::clone(&edge.app));
    let routes = Router::new().route("/metrics", get(metrics)).with_state(edge);
    connections::serve(listener, routes, &app.config, closing).await;
}
