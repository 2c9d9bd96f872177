//! Counters of searched bytes, unopened files, parsed texts and stopped parsers in this process, for measurements.
//!
//! The counters only grow, over all calls together. No reply depends on them.

use std::sync::atomic::{AtomicU64, Ordering};

static SEARCHED: AtomicU64 = AtomicU64::new(0);
static PARSED: AtomicU64 = AtomicU64::new(0);
static STOPPED: AtomicU64 = AtomicU64::new(0);
static UNOPENED: AtomicU64 = AtomicU64::new(0);

/// Returns the number of bytes searched in files.
pub fn searched_bytes() -> u64 {
    SEARCHED.load(Ordering::Relaxed)
}

/// Returns the number of texts parsed, including embedded ones.
pub fn parsed_texts() -> u64 {
    PARSED.load(Ordering::Relaxed)
}

/// Returns the number of parser processes that ended at a limit; see [`crate::parser_process`].
pub fn stopped_parsers() -> u64 {
    STOPPED.load(Ordering::Relaxed)
}

/// Returns the number of files that searches did not open, because the index knew that they cannot match.
pub fn unopened_files() -> u64 {
    UNOPENED.load(Ordering::Relaxed)
}

pub(crate) fn count_unopened(files: u64) {
    UNOPENED.fetch_add(files, Ordering::Relaxed);
}

pub(crate) fn count_stopped_parser() {
    STOPPED.fetch_add(1, Ordering::Relaxed);
}

/// Counts texts that a parser process parsed.
pub(crate) fn count_parsed_remotely(texts: u64) {
    PARSED.fetch_add(texts, Ordering::Relaxed);
}

pub(crate) fn count_searched(bytes: usize) {
    SEARCHED.fetch_add(bytes as u64, Ordering::Relaxed);
}

pub(crate) fn count_parsed() {
    PARSED.fetch_add(1, Ordering::Relaxed);
}
