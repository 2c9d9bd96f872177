//! The store of state that outlives a call ([`Store`]): small values under keys, and leases that grant exclusive
//! rights.
//!
//! Every kind of store behaves the same; `tests/contract.rs` runs the same tests on each. A value that is missing,
//! expired or unreadable is absent. A store keeps no secrets by itself: its callers decide what a value contains.
//!
//! A folder serves the processes of one machine, a Redis server those of several: hence everything is asynchronous,
//! versions are compared and never ordered, and no operation reads more than the keys it is asked for.
//!
//! Deliberately not here: the meaning of the values (each owner has its own format), and transactions over several keys.

pub mod fs;
pub mod memory;
mod names;
mod record;
pub mod redis;

use std::{
    fmt, io,
    sync::Arc,
    time::{Duration, SystemTime},
};

use async_trait::async_trait;

use crate::{errors::UserError, project::BOOK};

/// The maximum length of a key, in bytes. 1,000 characters of any script fit.
pub const MAX_KEY_BYTES: usize = 4_096;
/// The maximum size of a value, in bytes.
pub const MAX_VALUE_BYTES: usize = 16 << 20;

/// An identifier of one state of one entry. Two versions are equal only for the same state; they are not ordered, and a
/// version is never reused, not even for an entry that was deleted and created again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version(u64);

/// A stored value with its version and expiry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEntry {
    /// The bytes that were put.
    pub value: Vec<u8>,
    /// The version of this state of the entry.
    pub version: Version,
    /// The time at which the entry expires; `None`: never.
    pub expires: Option<SystemTime>,
}

/// The state that an entry must have for a change to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedState {
    /// Any state.
    Anything,
    /// The entry does not exist.
    Absent,
    /// The entry has this version.
    Version(Version),
}

impl ExpectedState {
    /// Returns an error unless an entry in this state may be changed.
    fn check(self, current: Option<Version>) -> Result<(), StoreError> {
        let fits = match self {
            Self::Anything => true,
            Self::Absent => current.is_none(),
            Self::Version(version) => current == Some(version),
        };
        if fits { Ok(()) } else { Err(StoreError::Conflict) }
    }
}

/// The keys with a prefix, in the order of their bytes, and the files that were skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyListing {
    /// The keys of existing entries.
    pub keys: Vec<String>,
    /// The foreign files among the entries.
    pub skipped: Vec<ForeignFile>,
}

/// A file among the entries that cannot be read as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignFile {
    /// The name of the file.
    pub name: String,
    /// The reason for skipping it.
    pub reason: &'static str,
}

/// The results of [`Store::sweep`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// The number of expired entries that were removed.
    pub expired: usize,
    /// The number of unfinished writes of dead processes that were removed.
    pub leftovers: usize,
    /// The files that were left in place.
    pub skipped: Vec<ForeignFile>,
}

/// An exclusive right with an expiry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The name of the lease.
    pub name: String,
    /// The holder, shown to those who must wait.
    pub holder: String,
    /// A number that grows with every lease of this name, over restarts too. Code that writes under a lease stores the
    /// number and refuses a lower one: then a holder that slept past the expiry does no harm.
    pub fence: u64,
    /// The time at which the lease expires unless it is renewed.
    pub expires: SystemTime,
}

/// The errors of a store. Sizes are in bytes, and `detail` is a reason without credentials.
#[derive(Debug, thiserror::Error, UserError)]
#[entry("STATE_UNAVAILABLE")]
#[fact(skip(limit, detail, reason, size, left, what, source))]
pub enum StoreError {
    /// The key is not valid.
    #[error("a key {reason}")]
    Key { reason: &'static str },
    /// The value is too large for an entry.
    #[error("a value of {size} bytes, over {limit}")]
    TooLarge { size: usize, limit: usize },
    /// The entry is not in the expected state.
    #[error("the entry is in another state than expected")]
    Conflict,
    /// Another holder has the lease.
    #[error("the lease is held by {holder} for {left:?} more")]
    #[entry("LEASE_HELD")]
    #[fact(retry_after_ms = (*left).max(Duration::from_millis(1)))]
    Held { holder: String, left: Duration },
    /// The lease expired, or another holder has it now.
    #[error("the lease is lost")]
    Lost,
    /// The store has no room for the value.
    #[error("the store is full: {limit} bytes")]
    Full { limit: usize },
    /// The server of the store has no memory left. Nothing was changed.
    #[error("the Redis server has no memory left; raise its maxmemory")]
    OutOfMemory,
    /// The server of the store cannot be used at the moment. Nothing was changed.
    #[error("the Redis server cannot be used: {detail}")]
    Unavailable { detail: String },
    /// The server of the store does not accept the credentials, or they do not allow a command.
    #[error("the Redis server denies access: {detail}")]
    Denied { detail: String },
    /// The answer of the store's server was lost: the change may have been made.
    #[error("the answer of the Redis server was lost: {detail}")]
    #[entry("STATE_UNKNOWN")]
    ReplyLost { detail: String },
    /// Another process keeps the store locked.
    #[error("another process keeps the store locked")]
    Locked,
    /// The disk reported an error.
    #[error("{what}: {source}")]
    Io { what: &'static str, source: io::Error },
}

/// Small values under keys, with leases.
///
/// A key is any text from 1 to [`MAX_KEY_BYTES`] bytes; `/` in it has no meaning to the store. Times to live are
/// measured on the wall clock, since they continue while no process runs.
#[async_trait]
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// True if entries outlive the process.
    fn is_persistent(&self) -> bool;

    /// Returns bytes that are unique to this store for the lifetime of the process; empty if entries outlive the
    /// process. Data that depends on the store's entries, such as sealed state, is bound to these bytes.
    fn instance_id(&self) -> &[u8] {
        &[]
    }

    /// Checks that the store can be used at the moment. Cheap: readiness probes call it.
    async fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn get(&self, key: &str) -> Result<Option<StoredEntry>, StoreError>;

    /// Writes an entry atomically if it is in the expected state. Without `ttl` it stays until it is deleted.
    async fn put(
        &self,
        key: &str,
        value: Vec<u8>,
        expect: ExpectedState,
        ttl: Option<Duration>,
    ) -> Result<Version, StoreError>;

    /// Changes the expiry of an entry. Its version stays. Returns true if the entry exists.
    async fn touch(&self, key: &str, ttl: Option<Duration>) -> Result<bool, StoreError>;

    /// Removes an entry if it is in the expected state. Returns true if it existed.
    async fn delete(&self, key: &str, expect: ExpectedState) -> Result<bool, StoreError>;

    /// Returns the keys that begin with a prefix.
    async fn list(&self, prefix: &str) -> Result<KeyListing, StoreError>;

    /// Takes a free lease, with a higher number than any before. Not reentrant: the current holder gets
    /// [`StoreError::Held`] too.
    async fn lease(&self, name: &str, holder: &str, ttl: Duration) -> Result<Lease, StoreError>;

    /// Extends a lease that has not expired. An expired lease is [`StoreError::Lost`], even if no other holder took it
    /// since.
    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease, StoreError>;

    /// Releases a lease. Does nothing if the lease is lost.
    async fn release(&self, lease: &Lease) -> Result<(), StoreError>;

    /// Ends the lease of a holder that is known to be dead, unless another holder has it by now. Returns true if the
    /// lease was ended.
    async fn evict(&self, name: &str, holder: &str) -> Result<bool, StoreError>;

    /// Removes expired entries and the leftovers of crashed processes. Correctness does not depend on it.
    async fn sweep(&self) -> Result<SweepReport, StoreError>;
}

/// The wall clock, which tests replace.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// Returns the clock of the system.
    pub fn system() -> Self {
        Self::from_fn(SystemTime::now)
    }

    /// Creates a clock from a function that returns the current time.
    pub fn from_fn(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Returns milliseconds since 1970; 0 for a clock before that.
    fn now(&self) -> u64 {
        let since = (self.0)().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the expiry of something that lives for `ttl` from now on.
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

/// The expiry of something, in milliseconds since 1970; `None`: never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Expiry(Option<u64>);

impl Expiry {
    fn after(clock: &Clock, ttl: Option<Duration>) -> Self {
        ttl.map_or(Self(None), |ttl| clock.end(ttl))
    }

    fn is_expired(self, clock: &Clock) -> bool {
        self.0.is_some_and(|end| end <= clock.now())
    }

    fn remaining(self, clock: &Clock) -> Duration {
        Duration::from_millis(self.0.map_or(0, |end| end.saturating_sub(clock.now())))
    }

    fn time(self) -> Option<SystemTime> {
        self.0.and_then(|end| SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(end)))
    }
}

fn random() -> Result<u64, StoreError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| StoreError::Io { what: "the system provides no random numbers", source: error.into() })?;
    Ok(u64::from_be_bytes(bytes))
}

fn check_key(key: &str) -> Result<(), StoreError> {
    match key.len() {
        0 => Err(StoreError::Key { reason: "is empty" }),
        length if length > MAX_KEY_BYTES => Err(StoreError::Key { reason: "is longer than 4,096 bytes" }),
        _ => Ok(()),
    }
}

fn check_value(value: &[u8]) -> Result<(), StoreError> {
    if value.len() > MAX_VALUE_BYTES {
        return Err(StoreError::TooLarge { size: value.len(), limit: MAX_VALUE_BYTES });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
