//! What fumi says of itself: the log on standard error, and the names used in it.
//!
//! Standard output belongs to the command line's contract (the ready line, results). Libraries that log what
//! clients send or what files are called are held at `error` unless a filter names them.

use std::io::IsTerminal as _;

use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _};

use crate::config::{Log, LogFormat};

/// rmcp logs whole requests, arguments included, and a client's own words in warnings; the walker logs every name that it
/// passes.
const TALKATIVE: [&str; 3] = ["rmcp", "ignore", "globset"];

/// What is logged for a configured filter.
#[must_use]
pub fn filter(configured: &str) -> EnvFilter {
    let mut filter = configured.to_owned();
    for library in TALKATIVE.iter().filter(|library| !configured.contains(**library)) {
        filter.push_str(&format!(",{library}=error"));
    }
    EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"))
}

/// Starts logging. Later calls in one process are ignored, so that tests may start several servers.
pub fn start(log: &Log) {
    let registry = tracing_subscriber::registry().with(filter(&log.filter));
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
