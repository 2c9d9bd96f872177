//! How much this process searched and parsed, for whoever measures it.
//!
//! Two numbers that only grow, of all calls together. No answer depends on them.

use std::sync::atomic::{AtomicU64, Ordering};

static SEARCHED: AtomicU64 = AtomicU64::new(0);
static PARSED: AtomicU64 = AtomicU64::new(0);
static STOPPED: AtomicU64 = AtomicU64::new(0);

/// Bytes of files that were searched.
#[must_use]
pub fn searched_bytes() -> u64 {
    SEARCHED.load(Ordering::Relaxed)
}

/// Texts that were parsed, those in other texts included.
#[must_use]
pub fn parsed_texts() -> u64 {
    PARSED.load(Ordering::Relaxed)
}

/// Parser processes that ended at a limit; see [`crate::parser_process`].
#[must_use]
pub fn stopped_parsers() -> u64 {
    STOPPED.load(Ordering::Relaxed)
}

pub(crate) fn parser_stopped() {
    STOPPED.fetch_add(1, Ordering::Relaxed);
}

/// Counts texts that a parser process parsed.
pub(crate) fn parsed_elsewhere(texts: u64) {
    PARSED.fetch_add(texts, Ordering::Relaxed);
}

pub(crate) fn searched(bytes: usize) {
    SEARCHED.fetch_add(bytes as u64, Ordering::Relaxed);
}

pub(crate) fn parsed() {
    PARSED.fetch_add(1, Ordering::Relaxed);
}
