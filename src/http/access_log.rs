//! One line in the log for every request, and the id by which it is found again.
//!
//! Invariant: a line holds what the server decided (route, MCP method, tool, status, size, time, principal), by names of its own,
//! and never what the client wrote: no path, no query, no header but an id that can only be letters and digits. A stream
//! has its line when it ends.

use std::{
    pin::Pin,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
    time::Instant,
};

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::{MatchedPath, Request},
    http::{HeaderName, HeaderValue, Method, StatusCode},
    middleware::Next,
    response::Response,
};
use hyper::body::{Frame, SizeHint};

use crate::{mcp::observe::Told, tool::Access};

/// Where a request's id stands, in both directions.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id that is taken from a client.
const LONGEST_ID: usize = 64;

/// The first half of the ids of this process.
static PROCESS: LazyLock<u64> = LazyLock::new(|| getrandom::u64().unwrap_or_default());
static REQUESTS: AtomicU64 = AtomicU64::new(1);

/// The layer. Whoever knows the principal leaves its [`Access`] in the response's extensions.
pub async fn record(mut request: Request, next: Next) -> Response {
    let id = id_of(&request);
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let told = Told::default();
    request.extensions_mut().insert(told.clone());
    let line = tracing::enabled!(tracing::Level::INFO).then(|| Line {
        started: Instant::now(),
        method: known(request.method()),
        route: request.extensions().get::<MatchedPath>().cloned(),
        told,
        id: id.clone(),
        status: StatusCode::OK,
        principal: None,
        bytes: 0,
    });
    let mut response = next.run(request).await;
    response.headers_mut().insert(REQUEST_ID, id);
    let Some(mut line) = line else { return response };
    line.status = response.status();
    line.principal = response
        .extensions()
        .get::<Arc<Access>>()
        .map(|access| Arc::clone(&access.principal))
        .filter(|name| !name.is_empty());
    // What is ready needs no watching.
    if let Some(bytes) = response.body().size_hint().exact() {
        line.bytes = bytes;
        return response;
    }
    response.map(|body| Body::new(Watched { body, line }))
}

/// The client's id where it is one that can stand in a log, else a new one.
fn id_of(request: &Request) -> HeaderValue {
    let own = request.headers().get(REQUEST_ID).filter(|id| {
        let id = id.as_bytes();
        (1..=LONGEST_ID).contains(&id.len())
            && id
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    });
    own.cloned().unwrap_or_else(|| {
        let number = REQUESTS.fetch_add(1, Ordering::Relaxed);
        let id = format!("{:016x}{number:08x}", *PROCESS);
        HeaderValue::from_str(&id).expect("digits are a header's value")
    })
}

/// A method's name, which may be any word of the client's.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// A line that is written when it drops.
struct Line {
    started: Instant,
    method: &'static str,
    route: Option<MatchedPath>,
    told: Told,
    id: HeaderValue,
    status: StatusCode,
    principal: Option<Arc<str>>,
    bytes: u64,
}

impl Drop for Line {
    fn drop(&mut self) {
        // To a tenth of a millisecond, which is what a reader of the log can use.
        let tenths = u32::try_from(self.started.elapsed().as_micros() / 100).unwrap_or(u32::MAX);
        tracing::info!(
            target: "fumi::access",
            method = self.method,
            route = self.route.as_ref().map_or("none", MatchedPath::as_str),
            mcp = self.told.get().map(|operation| operation.method),
            tool = self.told.get().and_then(|operation| operation.tool),
            status = self.status.as_u16(),
            ms = f64::from(tenths) / 10.0,
            bytes = self.bytes,
            principal = self.principal.as_deref(),
            request_id = self.id.to_str().unwrap_or_default(),
            "request"
        );
    }
}

/// A body whose bytes are counted for the line.
struct Watched {
    body: Body,
    line: Line,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &frame {
            self.line.bytes += frame.data_ref().map_or(0, |bytes| bytes.len() as u64);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
