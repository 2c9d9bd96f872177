//! What fumi says of itself: the log on standard error, and the names used in it.
//!
//! Standard output belongs to the command line's contract (the ready line, results). rmcp logs whole requests at DEBUG,
//! arguments included, and a client's own words at WARN, so its level is held at `error` unless a filter names it.

use std::io::IsTerminal as _;

use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _};

use crate::config::{Log, LogFormat};

/// Starts logging. Later calls in one process are ignored, so that tests may start several servers.
pub fn start(log: &Log) {
    let filter = if log.filter.contains("rmcp") {
        log.filter.clone()
    } else {
        format!("{},rmcp=error", log.filter)
    };
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let registry = tracing_subscriber::registry().with(filter);
    let lines = fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false);
    // An error means that a subscriber is already installed.
    let _ = match log.format {
        LogFormat::Pretty => registry.with(lines.compact()).try_init(),
        LogFormat::Json => registry.with(lines.json()).try_init(),
    };
}
