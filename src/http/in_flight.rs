//! The limit of requests in flight, and the requests that need no slot.
//!
//! Invariant: probes are always answered, one principal leaves slots to others, streams that only listen release their
//! slot while they listen, and a full server still accepts the answers that its calls wait for. Waiting for a pool is
//! decided later, by the pipeline.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{Extensions, Method, header, request::Parts},
    response::Response,
};
use fumi_base::shares::Shares;
use fumi_kernel::metrics::{RefusalReason, ServerMetrics};
use tokio_util::task::{TaskTracker, task_tracker::TaskTrackerToken};

use super::{
    auth::Principal, connections::ConnectionOrigin, guarded_body::GuardedBody, health, http_error::HttpError,
    router::Edge, session_message::ClientAnswer,
};
use crate::mcp::{era, request_slot::ReleasableSlot};

/// The slots of all requests.
#[derive(Clone, Debug)]
pub struct InFlight {
    /// All requests in flight except probes; each counts until its work is done. Closed when the drain time is over.
    open: TaskTracker,
    slots: Shares,
    /// Calls that wait for their client's model and have released their slot.
    waiting: Shares,
    metrics: Arc<ServerMetrics>,
}

impl InFlight {
    /// Creates as many slots as are configured.
    pub fn new(edge: &Edge) -> Self {
        let slots = edge.app.config.limits.requests;
        Self {
            open: edge.requests.clone(),
            slots: Shares::new(slots, 1),
            waiting: Shares::new(slots, 1),
            metrics: Arc::clone(&edge.app.kernel.metrics),
        }
    }
}

/// A request in flight, with its slot if it needs one.
#[derive(Debug)]
pub struct RequestSlot {
    open: Option<TaskTrackerToken>,
    slot: Option<Arc<ReleasableSlot>>,
    listens: bool,
}

impl InFlight {
    /// Takes a slot for a request, or refuses the request.
    pub fn take(&self, parts: &mut Parts) -> Result<RequestSlot, HttpError> {
        if health::is_probe(parts.uri.path()) {
            return Ok(RequestSlot { open: None, slot: None, listens: false });
        }
        // Counted before the check: the shutdown closes the tracker first and then waits for the counted requests.
        let open = self.open.token();
        if self.open.is_closed() {
            self.metrics.refused(RefusalReason::Busy);
            return Err(HttpError::going_down());
        }
        let is_spare = parts.extensions.get::<ConnectionOrigin>().is_some_and(|origin| origin.is_spare);
        let who = parts.extensions.get::<Arc<Principal>>();
        let who = who.map_or_else(Arc::default, |principal| Arc::clone(&principal.name));
        let slot = (!is_spare).then(|| ReleasableSlot::take(&who, &self.slots, &self.waiting)).flatten();
        // An answer begins no new work.
        if slot.is_none() && !is_answer(&parts.extensions) {
            self.metrics.refused(RefusalReason::Busy);
            return Err(HttpError::busy());
        }
        if let Some(slot) = &slot {
            parts.extensions.insert(slot.handle());
        }
        Ok(RequestSlot { open: Some(open), slot, listens: only_listens(parts) })
    }
}

impl RequestSlot {
    /// Keeps the slot until the response's body ends, if that is a stream with work behind it.
    pub fn keep(self, response: Response) -> Response {
        if self.listens || !is_event_stream(&response) {
            // No more work is behind the response: it is complete, or a stream that only listens.
            return response;
        }
        response.map(|body| Body::new(GuardedBody::new(body, (self.open, self.slot))))
    }
}

/// True if a request answers a question of the server.
pub fn is_answer(extensions: &Extensions) -> bool {
    extensions.get::<ClientAnswer>().is_some()
}

/// True if the response is a stream that only listens. The header is not compared with the body here; the library does
/// that where it relies on the header.
pub(super) fn only_listens(parts: &Parts) -> bool {
    let is_listen = || {
        let method = parts.headers.get("mcp-method");
        method.is_some_and(|method| method == "subscriptions/listen") && era::is_stateless(&parts.headers)
    };
    parts.method == Method::GET || is_listen()
}

pub(super) fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}
