//! The spans of one call, and how they hang together: HTTP, MCP, then cache, pool and tool.
//!
//! Names and attributes are those of OpenTelemetry's semantic conventions for HTTP and MCP. rmcp runs handlers in tasks of its
//! own, so that the parent must be passed: the HTTP span travels in the request, a client's context in `traceparent`.
//!
//! The log shows one span of a request, with its id and nothing else ([`logged`]). All others are for a collector, and of the
//! level `debug`: where there is none they cost nothing.

use std::collections::HashMap;

use http::HeaderMap;
use opentelemetry::{Context, propagation::TextMapPropagator as _, trace::TraceContextExt as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::{Span, debug_span, field::Empty, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The name of the span that only the log shows.
pub const LOGGED: &str = "request";

/// The spans of an HTTP request, in the request's extensions.
#[derive(Clone, Debug)]
pub struct RequestSpan {
    /// What the log shows.
    pub logged: Span,
    /// What a collector receives.
    pub traced: Span,
}

/// What the log shows of a request: whatever is said meanwhile carries its id.
#[must_use]
pub fn logged(request_id: Option<&str>) -> Span {
    info_span!(target: "fumi", LOGGED, request_id)
}

/// The span of an HTTP request. `route` is a template, never what the client wrote.
#[must_use]
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

/// The span of one MCP request: below the client's own context if it sent one with the message, else below the HTTP request.
#[must_use]
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
    // Only a context from elsewhere: the HTTP span already carries the one that came with the request.
    if let Some(context) = context(traceparent, tracestate) {
        let same = parent.context().span().span_context().trace_id() == context.span().span_context().trace_id();
        if !same {
            let _ = span.set_parent(context);
        }
    }
    span
}

/// A client's context, if it is one.
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
        for bad in [
            "",
            "00",
            "00-0-0-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        ] {
            assert!(context(Some(bad), None).is_none(), "{bad}");
        }
        assert!(context(None, Some("vendor=1")).is_none());
    }
}
