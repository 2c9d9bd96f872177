//! What outlives a call: [`Store`], small values under keys, and leases that say who may write.
//!
//! Every kind behaves the same; `contract.rs` asks each of them the same questions. A value that is not there, has expired or
//! cannot be read is absent. A store holds no secrets: whoever writes decides what is in a value.
//!
//! Deliberately not here: what the values mean (each owner has its own form), transactions over several keys, and a kind for
//! several machines. The trait leaves room for one: everything is asynchronous, versions are compared and never ordered, and
//! no operation reads more than the keys it is asked for.

#[cfg(test)]
mod contract;
pub mod fs;
pub mod memory;
mod names;
mod record;

use std::{
    fmt, io,
    sync::Arc,
    time::{Duration, SystemTime},
};

use async_trait::async_trait;

use crate::{
    errors::{Book, Teach},
    project::BOOK,
};

/// Longest key, in bytes. 1,000 characters of any script fit.
pub const MAX_KEY_BYTES: usize = 4_096;
/// Largest value, in bytes.
pub const MAX_VALUE_BYTES: usize = 16 << 20;

/// Marks one state of one entry. Two are equal only if they mark the same state; there is no order, and none ever comes
/// back, also not for an entry that was deleted and made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version(u64);

/// A value as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The bytes that were put.
    pub value: Vec<u8>,
    /// Which state of the entry this is.
    pub version: Version,
    /// When it ends by itself.
    pub expires: Option<SystemTime>,
}

/// In which state an entry must be for a change to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// In any.
    Anything,
    /// Not there.
    Absent,
    /// In this one.
    Version(Version),
}

impl Expect {
    /// Whether an entry in this state may be changed.
    fn check(self, current: Option<Version>) -> Result<(), StoreError> {
        let fits = match self {
            Self::Anything => true,
            Self::Absent => current.is_none(),
            Self::Version(version) => current == Some(version),
        };
        if fits { Ok(()) } else { Err(StoreError::Conflict) }
    }
}

/// The keys below a prefix, in the order of their bytes, and what was passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Keys of what is there.
    pub keys: Vec<String>,
    /// What lies among the entries and is none.
    pub skipped: Vec<Skipped>,
}

/// Something that lies among the entries and cannot be read as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its name.
    pub name: String,
    /// Why it is passed over.
    pub reason: &'static str,
}

/// What [`Store::sweep`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Expired entries that were removed.
    pub expired: usize,
    /// Unfinished writes of processes that are gone, removed.
    pub leftovers: usize,
    /// What was left where it is.
    pub skipped: Vec<Skipped>,
}

/// The right to do something alone until it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// What it is for.
    pub name: String,
    /// Who has it, for those who must wait.
    pub holder: String,
    /// Grows with every lease of this name, over restarts too. Whoever writes under a lease leaves the number behind and
    /// refuses a lower one: then a holder that slept through its end does no harm.
    pub fence: u64,
    /// When it ends unless it is renewed.
    pub expires: SystemTime,
}

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nothing can be stored under this key.
    #[error("a key {0}")]
    Key(&'static str),
    /// Nothing this large can be stored.
    #[error("a value of {size} bytes, over {limit}")]
    TooLarge {
        /// Bytes that were to be stored.
        size: usize,
        /// Bytes that may be.
        limit: usize,
    },
    /// The entry is not in the expected state.
    #[error("the entry is in another state than expected")]
    Conflict,
    /// Somebody else has the lease.
    #[error("the lease is held by {holder} for {left:?} more")]
    Held {
        /// Who.
        holder: String,
        /// For how long, unless it is renewed.
        left: Duration,
    },
    /// The lease ended, or somebody else has it now.
    #[error("the lease is lost")]
    Lost,
    /// There is no room.
    #[error("the store is full: {limit} bytes")]
    Full {
        /// Bytes that it may hold.
        limit: usize,
    },
    /// Another process holds its lock and does not let go.
    #[error("another process keeps the store locked")]
    Locked,
    /// The disk refused.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl Teach for StoreError {
    fn entry(&self) -> &'static str {
        match self {
            Self::Held { .. } => "LEASE_HELD",
            _ => "STATE_UNAVAILABLE",
        }
    }
    fn book(&self) -> &'static Book {
        &BOOK
    }
    fn facts(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Held { holder, left } => vec![
                ("holder", crate::project::quoted(holder)),
                ("retry_after_ms", left.as_millis().max(1).to_string()),
            ],
            // What the disk said is the operator's, in the log.
            _ => Vec::new(),
        }
    }
}

/// Small values under keys, with leases.
///
/// A key is any text from 1 to [`MAX_KEY_BYTES`] bytes; `/` in it means nothing but what its owner wants it to. Times to live
/// are measured on the wall clock, since they go on while no process runs.
#[async_trait]
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Whether what it holds is still there when the process is gone.
    fn is_lasting(&self) -> bool;

    /// Bytes that no store has that began with another process; empty where entries outlive the process. What must be known for as
    /// long as something else is good is bound to them.
    fn life(&self) -> &[u8] {
        &[]
    }

    /// The entry of a key.
    async fn get(&self, key: &str) -> Result<Option<Entry>, StoreError>;

    /// Writes an entry if it is in the expected state, whole or not at all. Without `ttl` it stays until it is deleted.
    async fn put(
        &self,
        key: &str,
        value: Vec<u8>,
        expect: Expect,
        ttl: Option<Duration>,
    ) -> Result<Version, StoreError>;

    /// Moves the end of an entry. Its version stays. Returns whether there is one.
    async fn touch(&self, key: &str, ttl: Option<Duration>) -> Result<bool, StoreError>;

    /// Removes an entry if it is in the expected state. Returns whether there was one.
    async fn delete(&self, key: &str, expect: Expect) -> Result<bool, StoreError>;

    /// The keys that begin with a prefix.
    async fn list(&self, prefix: &str) -> Result<Listing, StoreError>;

    /// Takes a lease that nobody has, with a higher number than any before. Not reentrant: whoever has it is told so, too.
    async fn lease(&self, name: &str, holder: &str, ttl: Duration) -> Result<Lease, StoreError>;

    /// Moves the end of a lease that has not ended. One that has is [`StoreError::Lost`], also when nobody took it since.
    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease, StoreError>;

    /// Gives a lease back. Giving back one that is lost is nothing.
    async fn release(&self, lease: &Lease) -> Result<(), StoreError>;

    /// Ends the lease of a holder who is known to be gone, unless somebody else has it by now. Returns whether it was theirs.
    async fn evict(&self, name: &str, holder: &str) -> Result<bool, StoreError>;

    /// Clears away what expired and what crashed processes left. Nothing else depends on it being called.
    async fn sweep(&self) -> Result<Swept, StoreError>;
}

/// The wall clock, which tests replace.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// The system's.
    #[must_use]
    pub fn system() -> Self {
        Self::of(SystemTime::now)
    }

    /// One that says what the function says.
    pub fn of(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Milliseconds since 1970. A clock before that is at 0.
    fn now(&self) -> u64 {
        let since = (self.0)().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    /// The end of something that lives this long from now.
    fn end(&self, ttl: Duration) -> Expiry {
        let ttl = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        // The largest number means never.
        Expiry(Some(self.now().saturating_add(ttl).min(u64::MAX - 1)))
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// When something ends, in milliseconds since 1970, or never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Expiry(Option<u64>);

impl Expiry {
    fn of(clock: &Clock, ttl: Option<Duration>) -> Self {
        ttl.map_or(Self(None), |ttl| clock.end(ttl))
    }

    fn is_over(self, clock: &Clock) -> bool {
        self.0.is_some_and(|end| end <= clock.now())
    }

    fn left(self, clock: &Clock) -> Duration {
        Duration::from_millis(self.0.map_or(0, |end| end.saturating_sub(clock.now())))
    }

    fn time(self) -> Option<SystemTime> {
        self.0
            .and_then(|end| SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(end)))
    }
}

fn check_key(key: &str) -> Result<(), StoreError> {
    match key.len() {
        0 => Err(StoreError::Key("is empty")),
        length if length > MAX_KEY_BYTES => Err(StoreError::Key("is longer than 4,096 bytes")),
        _ => Ok(()),
    }
}

fn check_value(value: &[u8]) -> Result<(), StoreError> {
    if value.len() > MAX_VALUE_BYTES {
        return Err(StoreError::TooLarge {
            size: value.len(),
            limit: MAX_VALUE_BYTES,
        });
    }
    Ok(())
}
