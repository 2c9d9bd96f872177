//! How many requests may be in flight, and who needs no place.
//!
//! Invariant: probes are always answered, streams that only listen take no place for as long as they listen, and a full
//! server still takes the answers that it waits for. Who waits for which pool is decided behind this, by the pipeline.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    http::{Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use tokio::sync::Semaphore;

use super::{connections::Origin, health, held::Held, refusal::Refusal, router::Edge, session_message::Answer};
use crate::{
    mcp::sessions,
    telemetry::metrics::{Metrics, RefusedBy},
};

/// The places.
#[derive(Clone, Debug)]
pub struct InFlight {
    places: Arc<Semaphore>,
    metrics: Arc<Metrics>,
}

impl InFlight {
    /// As many as are configured.
    #[must_use]
    pub fn new(edge: &Edge) -> Self {
        let places = edge.app.config.limits.requests.min(Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(places)),
            metrics: Arc::clone(&edge.app.kernel.metrics),
        }
    }
}

/// The layer.
pub async fn take_place(State(in_flight): State<InFlight>, request: Request, next: Next) -> Response {
    if health::is_probe(request.uri().path()) {
        return next.run(request).await;
    }
    let is_spare = request
        .extensions()
        .get::<Origin>()
        .is_some_and(|origin| origin.is_spare);
    let place = if is_spare {
        None
    } else {
        Arc::clone(&in_flight.places).try_acquire_owned().ok()
    };
    // Whoever answers begins nothing.
    if place.is_none() && !is_answer(&request) {
        in_flight.metrics.refused(RefusedBy::Busy);
        return Refusal::busy().into_response();
    }
    let listens = only_listens(&request);
    let response = next.run(request).await;
    match place {
        Some(place) if !listens && is_event_stream(&response) => response.map(|body| Body::new(Held::new(body, place))),
        // What is not a stream is ready, and takes no work any more.
        _ => response,
    }
}

/// Whether a request brings an answer to a question of the server's.
#[must_use]
pub fn is_answer(request: &Request) -> bool {
    request.extensions().get::<Answer>().is_some()
}

/// A stream on which only the server speaks. The library has compared the header with the body where it believes it.
fn only_listens(request: &Request) -> bool {
    let is_listen = || {
        let method = request.headers().get("mcp-method");
        method.is_some_and(|method| method == "subscriptions/listen") && sessions::is_stateless(request.headers())
    };
    request.method() == Method::GET || is_listen()
}

fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}
