//! The budget of disk space for downloads: of one session, and of all sessions together.
//!
//! Bytes are charged as they arrive and released when the file is removed, at the latest when the last reference to the
//! download is dropped.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// The budget of all sessions, as a multiple of one session's budget.
const SESSIONS: u64 = 4;

/// The download budget of one session.
#[derive(Debug, Default)]
pub(crate) struct DownloadBudget {
    /// The budget of the session, in bytes, which is also the limit of one download; 0 means no limit.
    pub(crate) largest: u64,
    used: AtomicU64,
    whole: Arc<AtomicU64>,
}

/// The bytes of the budget that one download uses.
#[derive(Debug)]
pub(crate) struct DownloadShare {
    room: Arc<DownloadBudget>,
    bytes: AtomicU64,
}

impl DownloadBudget {
    /// Returns the budget of a session, which shares `whole` with other sessions; `largest` is in bytes.
    pub(crate) fn new(largest: u64, whole: Arc<AtomicU64>) -> Self {
        Self { largest, used: AtomicU64::new(0), whole }
    }

    /// True if the downloads of this session exceed its budget.
    pub(crate) fn is_full(&self) -> bool {
        self.largest > 0 && self.used.load(Ordering::Relaxed) > self.largest
    }

    /// Returns the budget of all sessions together, in bytes; 0 means no limit.
    pub(crate) fn total_limit(&self) -> u64 {
        self.largest.saturating_mul(SESSIONS)
    }

    /// True if the downloads of all sessions together exceed the common budget.
    pub(crate) fn is_total_full(&self) -> bool {
        self.total_limit() > 0 && self.whole.load(Ordering::Relaxed) > self.total_limit()
    }
}

impl DownloadShare {
    pub(crate) fn new(room: Arc<DownloadBudget>) -> Self {
        Self { room, bytes: AtomicU64::new(0) }
    }

    /// Sets the bytes that the download uses now.
    pub(crate) fn set_bytes(&self, bytes: u64) {
        let before = self.bytes.swap(bytes, Ordering::Relaxed);
        for used in [&self.room.used, &*self.room.whole] {
            if bytes >= before {
                used.fetch_add(bytes - before, Ordering::Relaxed);
            } else {
                used.fetch_sub(before - bytes, Ordering::Relaxed);
            }
        }
    }
}

impl PartialEq for DownloadShare {
    fn eq(&self, other: &Self) -> bool {
        self.bytes.load(Ordering::Relaxed) == other.bytes.load(Ordering::Relaxed)
    }
}

impl Eq for DownloadShare {}

impl Drop for DownloadShare {
    fn drop(&mut self) {
        self.set_bytes(0);
    }
}
