//! The store on a Redis server, shared by all processes that name the same server and prefix.
//!
//! Invariants: every operation is one script, which the server runs alone. Expiries are measured on the server's clock,
//! so a process whose clock is wrong does no harm. The server frees the memory of what expired by itself, a minute
//! later. A version is random, and a lease's number is at least the time in microseconds: both differ from all before,
//! also after the server lost its data or a replica took over that lacks the last writes. A released lease keeps its
//! number for a day; only a server whose clock also went back could repeat one after that.
//!
//! Deliberately not here: following the redirections of a cluster (all keys are in one slot, so the URL may name the
//! node that has it), and keeping entries that the server evicts, of which a warning is logged.

mod address;
mod connection;
mod scripts;

use std::{
    fmt,
    time::{Duration, Instant, SystemTime},
};

use async_trait::async_trait;
use redis::{Script, ScriptInvocation, Value, from_redis_value};
use tokio::sync::Mutex;

pub use self::address::{KeySpace, RedisAddress};
pub(super) use self::connection::Timeouts;
use self::connection::{Effect, RedisConnection};
use super::{
    Clock, ExpectedState, KeyListing, Lease, Store, StoreError, StoredEntry, SweepReport, Version, check_key,
    check_value, random,
};

/// The maximum lifetime, in milliseconds: 35,000 years. Together with the time it is below 2^53, as the scripts need.
const MAX_TTL_MS: u64 = 1 << 50;
/// The time after an entry's expiry at which the server frees its memory, in milliseconds.
const MEMORY_AFTER_EXPIRY_MS: u64 = 60_000;
/// The time after a lease's expiry for which its number is kept, in milliseconds: a day.
const FENCE_AFTER_EXPIRY_MS: u64 = 24 * 60 * 60 * 1_000;
/// The maximum number of keys that one script visits. The server does nothing else meanwhile.
const PAGE: usize = 1_000;
/// The time for which a successful [`Store::check`] is not repeated: probes add no load.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A store on a Redis server.
pub struct RedisStore {
    connection: RedisConnection,
    keys: KeySpace,
    /// The clock of a test; `None`: that of the server.
    clock: Option<Clock>,
    /// The time of the last successful check. Locked across `.await` while a check runs, whose result serves all callers
    /// that wait for the lock.
    checked: Mutex<Option<Instant>>,
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedisStore({}, {:?})", self.connection.address(), self.keys)
    }
}

impl RedisStore {
    /// Creates a store. Connects at the first operation, and again whenever the connection broke.
    pub fn new(address: RedisAddress, keys: KeySpace) -> Result<Self, StoreError> {
        Self::with(address, keys, Timeouts::default(), None)
    }

    /// Creates a store with other time-outs, or with the clock of a test.
    pub(super) fn with(
        address: RedisAddress,
        keys: KeySpace,
        timeouts: Timeouts,
        clock: Option<Clock>,
    ) -> Result<Self, StoreError> {
        let connection = RedisConnection::new(address, timeouts)?;
        Ok(Self { connection, keys, clock, checked: Mutex::default() })
    }

    /// Begins the call of a script; its first argument is the time.
    fn call(&self, script: &'static Script) -> ScriptInvocation<'static> {
        let mut call = script.prepare_invoke();
        call.arg(self.clock.as_ref().map_or_else(String::new, |clock| clock.now().to_string()));
        call
    }

    /// Begins the call of a script for a lease.
    fn call_for(&self, script: &'static Script, lease: &str) -> Result<ScriptInvocation<'static>, StoreError> {
        check_key(lease)?;
        let mut call = self.call(script);
        call.key(self.keys.lease(lease));
        Ok(call)
    }
}

/// Adds two arguments: the lifetime of an entry, and the time after which the server frees its memory, which is longer by
/// `after` milliseconds. Both are empty for an entry that never expires.
fn add_ttl(call: &mut ScriptInvocation<'_>, ttl: Option<Duration>, after: u64) {
    let ttl = ttl.map(|ttl| u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX).min(MAX_TTL_MS));
    for ms in [ttl, ttl.map(|ttl| ttl + after)] {
        call.arg(ms.map_or_else(String::new, |ms| ms.to_string()));
    }
}

fn version_text(version: Version) -> String {
    format!("{:016x}", version.0)
}

fn expected_text(expect: ExpectedState) -> String {
    match expect {
        ExpectedState::Anything => "any".to_owned(),
        ExpectedState::Absent => "absent".to_owned(),
        ExpectedState::Version(version) => version_text(version),
    }
}

/// Returns the time that a script returned in milliseconds since 1970.
fn time_of(ms: &str) -> Option<SystemTime> {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(ms.parse().ok()?))
}

/// The error for a reply that no script gives: the key belongs to something else.
fn foreign_reply() -> StoreError {
    StoreError::Unavailable { detail: "a key of this prefix was not written by fumi".to_owned() }
}

fn entry_of(reply: Vec<Value>) -> Option<StoredEntry> {
    let [value, version, expires] = <[Value; 3]>::try_from(reply).ok()?;
    let text = |value| from_redis_value::<String>(value).ok();
    let expires = text(expires)?;
    Some(StoredEntry {
        value: from_redis_value(value).ok()?,
        version: Version(u64::from_str_radix(&text(version)?, 16).ok()?),
        expires: if expires.is_empty() { None } else { Some(time_of(&expires)?) },
    })
}

#[async_trait]
impl Store for RedisStore {
    fn is_persistent(&self) -> bool {
        true
    }

    async fn check(&self) -> Result<(), StoreError> {
        let mut checked = self.checked.lock().await;
        if checked.is_some_and(|at| at.elapsed() < CHECK_INTERVAL) {
            return Ok(());
        }
        let mut call = self.call(&scripts::CHECK);
        call.key(self.keys.check());
        // `Reads`, although the script writes: the written value is never used, so the script may be sent again if its
        // answer is lost.
        self.connection.run::<u8>(&call, Effect::Reads).await?;
        *checked = Some(Instant::now());
        Ok(())
    }

    async fn get(&self, key: &str) -> Result<Option<StoredEntry>, StoreError> {
        check_key(key)?;
        let mut call = self.call(&scripts::GET);
        call.key(self.keys.entry(key));
        let reply: Vec<Value> = self.connection.run(&call, Effect::Reads).await?;
        if reply.is_empty() {
            return Ok(None);
        }
        entry_of(reply).map(Some).ok_or_else(foreign_reply)
    }

    async fn put(
        &self,
        key: &str,
        value: Vec<u8>,
        expect: ExpectedState,
        ttl: Option<Duration>,
    ) -> Result<Version, StoreError> {
        check_key(key)?;
        check_value(&value)?;
        let version = Version(random()?);
        let mut call = self.call(&scripts::PUT);
        call.key(self.keys.entry(key)).key(self.keys.keys()).key(self.keys.expiries());
        call.arg(key).arg(value).arg(version_text(version)).arg(expected_text(expect));
        add_ttl(&mut call, ttl, MEMORY_AFTER_EXPIRY_MS);
        match self.connection.run(&call, Effect::Writes).await? {
            1 => Ok(version),
            _ => Err(StoreError::Conflict),
        }
    }

    async fn touch(&self, key: &str, ttl: Option<Duration>) -> Result<bool, StoreError> {
        check_key(key)?;
        let mut call = self.call(&scripts::TOUCH);
        call.key(self.keys.entry(key)).key(self.keys.expiries()).arg(key);
        add_ttl(&mut call, ttl, MEMORY_AFTER_EXPIRY_MS);
        self.connection.run(&call, Effect::Writes).await
    }

    async fn delete(&self, key: &str, expect: ExpectedState) -> Result<bool, StoreError> {
        check_key(key)?;
        let mut call = self.call(&scripts::DELETE);
        call.key(self.keys.entry(key)).key(self.keys.keys()).key(self.keys.expiries());
        call.arg(key).arg(expected_text(expect));
        match self.connection.run(&call, Effect::Writes).await? {
            -1 => Err(StoreError::Conflict),
            removed => Ok(removed == 1),
        }
    }

    async fn list(&self, prefix: &str) -> Result<KeyListing, StoreError> {
        let mut listing = KeyListing::default();
        // Text never contains the byte 0xff, so this is above all keys with the prefix.
        let end = [b"(", prefix.as_bytes(), b"\xff"].concat();
        let mut from = format!("[{prefix}");
        loop {
            let mut call = self.call(&scripts::LIST);
            call.key(self.keys.keys()).key(self.keys.expiries()).arg(&from).arg(&end).arg(PAGE);
            let page: Vec<String> = self.connection.run(&call, Effect::Reads).await?;
            let mut page = page.into_iter();
            let last = page.next().unwrap_or_default();
            listing.keys.extend(page);
            if last.is_empty() {
                return Ok(listing);
            }
            from = format!("({last}");
        }
    }

    async fn lease(&self, name: &str, holder: &str, ttl: Duration) -> Result<Lease, StoreError> {
        check_key(holder)?;
        let mut call = self.call_for(&scripts::LEASE, name)?;
        call.arg(holder);
        add_ttl(&mut call, Some(ttl), FENCE_AFTER_EXPIRY_MS);
        let reply: (String, String, String) = self.connection.run(&call, Effect::Writes).await?;
        match (reply.0.as_str(), reply.1, reply.2) {
            ("held", holder, left) => {
                let left = Duration::from_millis(left.parse().map_err(|_| foreign_reply())?);
                Err(StoreError::Held { holder, left })
            }
            (_, fence, expires) => Ok(Lease {
                name: name.to_owned(),
                holder: holder.to_owned(),
                fence: fence.parse().map_err(|_| foreign_reply())?,
                expires: time_of(&expires).ok_or_else(foreign_reply)?,
            }),
        }
    }

    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease, StoreError> {
        let mut call = self.call_for(&scripts::RENEW, &lease.name)?;
        call.arg(lease.fence);
        add_ttl(&mut call, Some(ttl), FENCE_AFTER_EXPIRY_MS);
        let expires: String = self.connection.run(&call, Effect::Writes).await?;
        if expires.is_empty() {
            return Err(StoreError::Lost);
        }
        Ok(Lease { expires: time_of(&expires).ok_or_else(foreign_reply)?, ..lease.clone() })
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        let mut call = self.call_for(&scripts::RELEASE, &lease.name)?;
        call.arg(lease.fence);
        self.connection.run::<u8>(&call, Effect::Writes).await.map(drop)
    }

    async fn evict(&self, name: &str, holder: &str) -> Result<bool, StoreError> {
        let mut call = self.call_for(&scripts::EVICT, name)?;
        call.arg(holder);
        self.connection.run(&call, Effect::Writes).await
    }

    async fn sweep(&self) -> Result<SweepReport, StoreError> {
        let mut swept = SweepReport::default();
        loop {
            let mut call = self.call(&scripts::EXPIRED);
            call.key(self.keys.expiries()).arg(PAGE);
            let expired: Vec<String> = self.connection.run(&call, Effect::Reads).await?;
            let mut call = self.call(&scripts::SWEEP);
            call.key(self.keys.keys()).key(self.keys.expiries());
            for key in &expired {
                call.key(self.keys.entry(key)).arg(key);
            }
            let removed: usize = self.connection.run(&call, Effect::Writes).await?;
            swept.expired += removed;
            if expired.len() < PAGE || removed == 0 {
                return Ok(swept);
            }
        }
    }
}
