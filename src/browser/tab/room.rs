//! How much downloads may take on this machine: of one session, and of all together.
//!
//! Bytes are taken as they come and given back when their file goes, at the latest with the last that knows of it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// Sessions whose downloads have room at once, each as much as the largest may take.
const SESSIONS: u64 = 4;

/// The room of one session.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// Bytes; 0 is no limit.
    pub(crate) largest: u64,
    used: AtomicU64,
    whole: Arc<AtomicU64>,
}

/// The bytes that one download takes of the room.
#[derive(Debug)]
pub(crate) struct Share {
    room: Arc<Room>,
    bytes: AtomicU64,
}

impl Room {
    /// Returns the room of a session, beside others that share `whole`; `largest` in bytes.
    pub(crate) fn new(largest: u64, whole: Arc<AtomicU64>) -> Self {
        Self {
            largest,
            used: AtomicU64::new(0),
            whole,
        }
    }

    /// True if the downloads of this session take more bytes than they may.
    pub(crate) fn is_full(&self) -> bool {
        self.largest > 0 && self.used.load(Ordering::Relaxed) > self.largest
    }

    /// Bytes that those of all sessions may take; 0 is no limit.
    pub(crate) fn most(&self) -> u64 {
        self.largest.saturating_mul(SESSIONS)
    }

    /// True if the downloads of all sessions take more bytes than they may.
    pub(crate) fn is_whole_full(&self) -> bool {
        self.most() > 0 && self.whole.load(Ordering::Relaxed) > self.most()
    }
}

impl Share {
    pub(crate) fn new(room: Arc<Room>) -> Self {
        Self {
            room,
            bytes: AtomicU64::new(0),
        }
    }

    /// Takes as much as the download has by now.
    pub(crate) fn is(&self, bytes: u64) {
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

impl PartialEq for Share {
    fn eq(&self, other: &Self) -> bool {
        self.bytes.load(Ordering::Relaxed) == other.bytes.load(Ordering::Relaxed)
    }
}

impl Eq for Share {}

impl Drop for Share {
    fn drop(&mut self) {
        self.is(0);
    }
}
