//! One span and one measurement for each MCP request.
//!
//! rmcp runs handlers in tasks of its own: the span's parent is the trace context that the client sent with the
//! message, else the span of the HTTP request. Errors are recorded by their code, never by their texts.

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{Arc, OnceLock},
    task::Poll,
    time::Instant,
};

use rmcp::{ErrorData, RoleServer, service::RequestContext};
use serde_json::Value;
use tracing::Instrument as _;

use crate::{
    app::App,
    telemetry::spans::{self, RequestSpan},
};

/// The name of a request in telemetry.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The protocol's method, such as `tools/call`.
    pub method: &'static str,
    /// The tool, by its name in the catalogue.
    pub tool: Option<&'static str>,
}

/// The slot through which the access log of an HTTP request learns the operation; in the request's extensions.
#[derive(Clone, Debug, Default)]
pub struct OperationSlot(Arc<OnceLock<Operation>>);

impl OperationSlot {
    /// Sets the operation of a request that is not an MCP message.
    pub fn set(&self, operation: Operation) {
        let _ = self.0.set(operation);
    }

    /// Returns the operation, once it has begun.
    pub fn get(&self) -> Option<&Operation> {
        self.0.get()
    }
}

impl Operation {
    /// Creates an operation that is not a tool call.
    pub const fn new(method: &'static str) -> Self {
        Self { method, tool: None }
    }

    /// Runs the work of the request inside its span, and measures it. `fault` returns the error code of a result that
    /// is not a protocol error.
    pub async fn run<T>(
        self,
        app: &App,
        context: &RequestContext<RoleServer>,
        fault: impl Fn(&T) -> Option<String>,
        work: impl Future<Output = Result<T, ErrorData>>,
    ) -> Result<T, ErrorData> {
        let Self { method, tool } = self;
        let started = Instant::now();
        let parts = context.extensions.get::<http::request::Parts>();
        if let Some(told) = parts.and_then(|parts| parts.extensions.get::<OperationSlot>()) {
            // A request is one message, so the slot is empty.
            let _ = told.0.set(self);
        }
        let http = parts.and_then(|parts| parts.extensions.get::<RequestSpan>());
        let text = |name: &str| context.meta.0.0.get(name).and_then(Value::as_str);
        let span = spans::mcp(method, tool, http, (text("traceparent"), text("tracestate")));
        if let Some(version) = context.protocol_version() {
            span.record("mcp.protocol.version", version.as_str());
        }
        // If traces are not collected, log lines of the work belong to the HTTP request.
        let around = match http {
            Some(http) if span.is_disabled() => http.logged.clone(),
            _ => span.clone(),
        };
        let result = catch_panic(work.instrument(around)).await;
        let error = match &result {
            Ok(done) => fault(done),
            Err(error) => Some(error.code.0.to_string()),
        };
        if let Some(error) = &error {
            span.record("error.type", error);
            span.record("otel.status_code", "ERROR");
        }
        app.kernel.metrics.operation(method, tool, error.as_deref(), started.elapsed());
        result
    }
}

/// Awaits work, and converts its panic to an error. The library does not join the task of a handler, and would wait for
/// the reply of one that panicked until the client hangs up.
async fn catch_panic<T>(work: impl Future<Output = Result<T, ErrorData>>) -> Result<T, ErrorData> {
    let mut work = pin!(work);
    poll_fn(|context| {
        // The work is dropped after a panic, so that nothing reads what it left inconsistent.
        match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(polled) => polled,
            // The panic hook has written the message to the log.
            Err(_) => {
                Poll::Ready(Err(ErrorData::internal_error("internal error; the log of the server has the cause", None)))
            }
        }
    })
    .await
}

/// Returns `None`: the result type cannot express an error.
pub fn no_error<T>(_: &T) -> Option<String> {
    None
}
