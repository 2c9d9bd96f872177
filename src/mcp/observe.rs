//! One span and one measurement for each MCP request.
//!
//! rmcp runs handlers in tasks of its own: the span's parent is the context that the client sent with the message, else the
//! span of the HTTP request. What failed is named by its code, never by its sentences.

use std::time::Instant;

use rmcp::{ErrorData, RoleServer, service::RequestContext};
use tracing::Instrument as _;

use crate::{
    app::App,
    telemetry::spans::{self, RequestSpan},
};

/// A request as telemetry names it.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The protocol's method.
    pub method: &'static str,
    /// The tool, by its name in the catalogue.
    pub tool: Option<&'static str>,
}

impl Operation {
    /// A request that is no tool call.
    #[must_use]
    pub const fn of(method: &'static str) -> Self {
        Self { method, tool: None }
    }

    /// Runs the work of the request inside its span, and measures it. `fault` says what a result that is no protocol error
    /// failed with.
    pub async fn run<T>(
        self,
        app: &App,
        context: &RequestContext<RoleServer>,
        fault: impl Fn(&T) -> Option<String>,
        work: impl Future<Output = Result<T, ErrorData>>,
    ) -> Result<T, ErrorData> {
        let Self { method, tool } = self;
        let started = Instant::now();
        let http = context.extensions.get::<http::request::Parts>();
        let http = http.and_then(|parts| parts.extensions.get::<RequestSpan>());
        let sent = |name: &str| context.meta.0.0.get(name).and_then(serde_json::Value::as_str);
        let span = spans::mcp(method, tool, http, (sent("traceparent"), sent("tracestate")));
        if let Some(version) = context.protocol_version() {
            span.record("mcp.protocol.version", version.as_str());
        }
        let result = work.instrument(span.clone()).await;
        let error = match &result {
            Ok(done) => fault(done),
            Err(error) => Some(error.code.0.to_string()),
        };
        if let Some(error) = &error {
            span.record("error.type", error);
            span.record("otel.status_code", "ERROR");
        }
        app.kernel
            .metrics
            .operation(method, tool, error.as_deref(), started.elapsed());
        result
    }
}

/// For results that cannot say that they failed.
pub fn never<T>(_: &T) -> Option<String> {
    None
}
