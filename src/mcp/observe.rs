//! One span and one measurement for each MCP request.
//!
//! rmcp runs handlers in tasks of its own: the span's parent is the context that the client sent with the message, else the
//! span of the HTTP request. What failed is named by its code, never by its sentences.

use std::{
    sync::{Arc, OnceLock},
    time::Instant,
};

use rmcp::{ErrorData, RoleServer, model::ProtocolVersion, service::RequestContext};
use serde_json::{Map, Value};
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

/// Where an HTTP request's access log line learns what the request was; in the request's extensions.
#[derive(Clone, Debug, Default)]
pub struct Told(Arc<OnceLock<Operation>>);

impl Told {
    /// Tells of a request that is no message of MCP.
    pub fn tell(&self, operation: Operation) {
        let _ = self.0.set(operation);
    }

    /// The operation, once it has begun.
    #[must_use]
    pub fn get(&self) -> Option<&Operation> {
        self.0.get()
    }
}

/// What came with a request.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'r> {
    /// The HTTP request, if there is one.
    pub parts: Option<&'r http::request::Parts>,
    /// The message's `_meta`.
    pub meta: &'r Map<String, Value>,
    /// The protocol's version.
    pub version: Option<&'r str>,
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
        let version = context.protocol_version();
        let sent = Sent {
            parts: context.extensions.get::<http::request::Parts>(),
            meta: &context.meta.0.0,
            version: version.as_ref().map(ProtocolVersion::as_str),
        };
        self.run_for(app, sent, fault, work).await
    }

    /// The same for a request that did not come through the library.
    pub async fn run_for<T>(
        self,
        app: &App,
        sent: Sent<'_>,
        fault: impl Fn(&T) -> Option<String>,
        work: impl Future<Output = Result<T, ErrorData>>,
    ) -> Result<T, ErrorData> {
        let Self { method, tool } = self;
        let started = Instant::now();
        if let Some(told) = sent.parts.and_then(|parts| parts.extensions.get::<Told>()) {
            // A request is one message, so that nothing is there yet.
            let _ = told.0.set(self);
        }
        let http = sent.parts.and_then(|parts| parts.extensions.get::<RequestSpan>());
        let text = |name: &str| sent.meta.get(name).and_then(Value::as_str);
        let span = spans::mcp(method, tool, http, (text("traceparent"), text("tracestate")));
        if let Some(version) = sent.version {
            span.record("mcp.protocol.version", version);
        }
        // Where nobody collects, what is logged meanwhile belongs to the HTTP request.
        let around = match http {
            Some(http) if span.is_disabled() => http.logged.clone(),
            _ => span.clone(),
        };
        let result = work.instrument(around).await;
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
#[must_use]
pub fn never<T>(_: &T) -> Option<String> {
    None
}
