//! The spans of one call, and their nesting: HTTP, MCP, then cache, pool and tool.
//!
//! Names and attributes are those of OpenTelemetry's semantic conventions for HTTP and MCP. rmcp runs handlers in tasks
//! of its own, so that the parent must be passed explicitly: the HTTP span in the request's extensions, a client's
//! context in `traceparent`.
//!
//! The log shows one span of a request, with its id and nothing else ([`logged`]). All others are meant for a collector
//! and have the level `debug`: without a collector they cost nothing.

use std::collections::HashMap;

use http::HeaderMap;
use opentelemetry::{Context, propagation::TextMapPropagator as _, trace::TraceContextExt as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::{Span, debug_span, field::Empty, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The name of the span that only the log shows.
pub const LOG_SPAN: &str = "request";

/// The spans of an HTTP request, stored in the request's extensions.
#[derive(Clone, Debug)]
pub struct RequestSpan {
    /// The span shown in the log.
    pub logged: Span,
    /// The span sent to a collector.
    pub traced: Span,
}

/// Creates the span of a request for the log: every message within it shows the request's id.
pub fn log_span(request_id: Option<&str>) -> Span {
    info_span!(target: "fumi", LOG_SPAN, request_id)
}

/// Creates the span of an HTTP request. `route` is a template, never the client's path.
pub fn http(method: &str, route: &str, headers: &HeaderMap) -> Span {
    let span = debug_span!(
        target: "fumi",
        "http",
        otel.name = format!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        request_id = Empty,
    );
    if span.is_disabled() {
        return span;
    }
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    span.record("request_id", text("x-request-id"));
    if let Some(parent) = context(text("traceparent"), text("tracestate")) {
        // Fails only for a span that is not exported.
        let _ = span.set_parent(parent);
    }
    span
}

/// Creates the span of one MCP request: a child of the client's own context if the message has one, else of the HTTP
/// request.
pub fn mcp(
    method: &str,
    tool: Option<&str>,
    http: Option<&RequestSpan>,
    (traceparent, tracestate): (Option<&str>, Option<&str>),
) -> Span {
    let parent = http.map_or_else(Span::none, |http| http.traced.clone());
    let span = debug_span!(
        target: "fumi",
        parent: &parent,
        "mcp",
        otel.name = tool.map_or_else(|| method.to_owned(), |tool| format!("{method} {tool}")),
        otel.kind = "server",
        otel.status_code = Empty,
        mcp.method.name = method,
        gen_ai.operation.name = tool.map(|_| "execute_tool"),
        gen_ai.tool.name = tool,
        mcp.protocol.version = Empty,
        network.transport = http.map(|_| "tcp"),
        error.type = Empty,
    );
    // Only a different context: the HTTP span already has the one of the request's headers.
    if let Some(context) = context(traceparent, tracestate) {
        let same = parent.context().span().span_context().trace_id() == context.span().span_context().trace_id();
        if !same {
            let _ = span.set_parent(context);
        }
    }
    span
}

/// Parses a client's trace context; returns `None` if it is not valid.
fn context(traceparent: Option<&str>, tracestate: Option<&str>) -> Option<Context> {
    let mut carrier = HashMap::from([("traceparent".to_owned(), traceparent?.to_owned())]);
    if let Some(tracestate) = tracestate {
        carrier.insert("tracestate".to_owned(), tracestate.to_owned());
    }
    let context = TraceContextPropagator::new().extract(&carrier);
    context.span().span_context().is_valid().then_some(context)
}

#[cfg(test)]
mod tests {
    use super::context;

    #[test]
    fn only_a_well_formed_context_is_one() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert!(context(Some(good), None).is_some());
        assert!(context(Some(good), Some("vendor=1")).is_some());
        for bad in ["", "00", "00-0-0-01", "00-00000000000000000000000000000000-00f067aa0ba902b7-01"] {
            assert!(context(Some(bad), None).is_none(), "{bad}");
        }
        assert!(context(None, Some("vendor=1")).is_none());
    }
}
