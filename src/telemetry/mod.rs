//! Telemetry: the log on standard error, traces and metrics for a collector, and every name used in them.
//!
//! Standard output is reserved for the command line's contract (the ready line, results). Libraries that log clients'
//! data or file names are limited to level `error` unless a filter names them, and their messages never reach a
//! collector. Spans never contain an argument's value.

pub mod export;
pub mod metrics;
pub mod spans;

use std::io;

use anstream::{AutoStream, ColorChoice};
use fumi_config::{LogConfig, LogFormat};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_appender_tracing::layer::OpenTelemetryTracingBridge;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{LevelFilter, Targets, filter_fn},
    fmt,
    layer::SubscriberExt as _,
    registry::LookupSpan,
    reload,
    util::SubscriberInitExt as _,
};

/// Libraries that log too much: rmcp logs whole requests, arguments included, and a client's own words in warnings; the
/// walker logs every name that it visits; the exporters log their own start and end.
const NOISY_LIBRARIES: [&str; 4] = [PROTOCOL_LIBRARY, "ignore", "globset", "opentelemetry"];
const PROTOCOL_LIBRARY: &str = "rmcp";

/// The prefix of the targets that are sent to a collector: only fumi's own.
const OURS: &str = "fumi";

/// A function that replaces the filter of the log while the process runs.
type Refilter = Box<dyn Fn(EnvFilter) + Send + Sync>;
static REFILTER: std::sync::OnceLock<Refilter> = std::sync::OnceLock::new();

/// Returns the effective filter of the log for a configured one.
pub fn filter(configured: &str) -> EnvFilter {
    let mut filter = configured.to_owned();
    for library in NOISY_LIBRARIES.iter().filter(|library| !configured.contains(**library)) {
        filter.push_str(&format!(",{library}=error"));
    }
    // Its service reports each reply whose client has hung up as an error.
    if !configured.contains(PROTOCOL_LIBRARY) {
        filter.push_str(&format!(",{PROTOCOL_LIBRARY}::service=off"));
    }
    EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"))
}

/// Replaces the filter of the log. Does nothing if logging was not started.
pub fn set_filter(configured: &str) {
    if let Some(refilter) = REFILTER.get() {
        refilter(filter(configured));
    }
}

/// Starts logging to `output`, and the export to a collector if one is configured. Lines have colours if standard error is a
/// terminal that shows them and `NO_COLOR` is not set. Later calls in one process are ignored, so that
/// tests may start several servers.
pub fn start<W: io::Write + 'static>(
    log: &LogConfig,
    exporters: Option<&export::Exporters>,
    output: impl Fn() -> W + Send + Sync + 'static,
) {
    let (filter, handle) = reload::Layer::new(filter(&log.filter));
    let lines = fmt::layer()
        .with_writer(output)
        .with_ansi(AutoStream::choice(&io::stderr()) != ColorChoice::Never)
        .with_target(false);
    let lines = match log.format {
        LogFormat::Pretty => lines.compact().with_filter(filter).boxed(),
        LogFormat::Json => lines.json().with_filter(filter).boxed(),
    };
    let traces =
        exporters.and_then(|exporters| exporters.traces.as_ref()).map(|provider| traces(provider.tracer("fumi")));
    let logs = exporters.and_then(|exporters| exporters.logs.as_ref()).map(|provider| {
        OpenTelemetryTracingBridge::new(provider).with_filter(Targets::new().with_target(OURS, Level::INFO))
    });
    // An error means that a subscriber is already installed.
    let started = tracing_subscriber::registry().with(lines).with(traces).with(logs).try_init();
    if started.is_ok() {
        let _ = REFILTER.set(Box::new(move |filter| {
            let _ = handle.reload(filter);
        }));
    }
}

/// True if a trace includes this span or message: fumi's own spans, and messages of the log's default level.
fn in_traces(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with(OURS)
        && if metadata.is_span() { metadata.name() != spans::LOG_SPAN } else { *metadata.level() <= Level::INFO }
}

fn traces<S>(tracer: opentelemetry_sdk::trace::SdkTracer) -> impl Layer<S>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    tracing_opentelemetry::layer()
        .with_tracer(tracer)
        // The source location and thread of a span are useless to an operator.
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false)
        .with_filter(filter_fn(in_traces).with_max_level_hint(LevelFilter::DEBUG))
}
