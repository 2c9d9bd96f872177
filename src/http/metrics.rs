//! `/metrics`: what Prometheus reads, as a route or on an address of its own.

use std::io;

use axum::{
    Router,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use tokio::net::TcpListener;

use super::router::Edge;

/// The text format's media type.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The route.
pub async fn metrics(State(edge): State<Edge>) -> Response {
    ([(header::CONTENT_TYPE, TEXT)], edge.app.kernel.metrics.text()).into_response()
}

/// Serves nothing but metrics, until the edge closes. Whoever reaches the address may read.
pub async fn serve_apart(listener: TcpListener, edge: Edge) -> io::Result<()> {
    let closing = edge.closing.clone();
    let routes = Router::new().route("/metrics", get(metrics)).with_state(edge);
    axum::serve(listener, routes)
        .with_graceful_shutdown(async move { closing.cancelled().await })
        .await
}
