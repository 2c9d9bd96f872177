//! The store in the memory of one process: bounded, and lost when the process ends.
//!
//! Invariant: it never exceeds its limit of bytes; values that do not fit are refused, and older entries are not
//! evicted for them, because an entry must not vanish before its time.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{BuildHasher as _, Hasher as _, RandomState},
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};

use super::{
    Clock, ExpectedState, Expiry, KeyListing, Lease, Store, StoreError, StoredEntry, SweepReport, Version, check_key,
    check_value,
};

/// The number of bytes counted for an entry in addition to its key and value.
const OVERHEAD: usize = 128;

/// The default maximum size of a store, in bytes: 10,000 sessions take some 20 MB.
pub const DEFAULT_BYTES: usize = 64 << 20;

/// A store in memory, which ends with the process.
#[derive(Debug)]
pub struct MemoryStore {
    /// Random bytes that identify this store.
    life: [u8; 8],
    limit: usize,
    clock: Clock,
    /// No operation awaits while it holds the lock.
    state: Mutex<MemoryContents>,
}

#[derive(Debug, Default)]
struct MemoryContents {
    entries: BTreeMap<String, MemoryEntry>,
    leases: HashMap<String, LeaseSlot>,
    bytes: usize,
    versions: u64,
}

#[derive(Debug)]
struct MemoryEntry {
    value: Vec<u8>,
    version: Version,
    expires: Expiry,
}

#[derive(Debug, Default)]
struct LeaseSlot {
    fence: u64,
    /// The current holder, and the time in milliseconds since 1970 at which its lease expires.
    current: Option<(String, u64)>,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(DEFAULT_BYTES, Clock::system())
    }
}

impl MemoryStore {
    /// Creates a store of at most `limit` bytes.
    pub fn new(limit: usize, clock: Clock) -> Self {
        Self { life: RandomState::new().build_hasher().finish().to_be_bytes(), limit, clock, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, MemoryContents> {
        self.state.lock()
    }
}

fn weight(key: &str, value: &[u8]) -> usize {
    OVERHEAD + key.len() + value.len()
}

impl MemoryContents {
    /// Returns the entry unless it has expired, in which case it is removed.
    fn alive(&mut self, key: &str, clock: &Clock) -> Option<&mut MemoryEntry> {
        if self.entries.get(key)?.expires.is_expired(clock) {
            self.remove(key);
        }
        self.entries.get_mut(key)
    }

    fn remove(&mut self, key: &str) {
        if let Some(kept) = self.entries.remove(key) {
            self.bytes -= weight(key, &kept.value);
        }
    }

    fn remove_expired(&mut self, clock: &Clock) -> usize {
        let expired: Vec<String> = self
            .entries
            .iter()
            .filter(|(_, kept)| kept.expires.is_expired(clock))
            .map(|(key, _)| key.clone())
            .collect();
        for key in &expired {
            self.remove(key);
        }
        expired.len()
    }
}

impl LeaseSlot {
    /// Returns the current holder and the expiry of its lease.
    fn holder(&self, clock: &Clock) -> Option<(&str, Expiry)> {
        let (holder, end) = self.current.as_ref()?;
        let end = Expiry(Some(*end));
        (!end.is_expired(clock)).then_some((holder.as_str(), end))
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn is_persistent(&self) -> bool {
        false
    }

    fn instance_id(&self) -> &[u8] {
        &self.life
    }

    async fn get(&self, key: &str) -> Result<Option<StoredEntry>, StoreError> {
        check_key(key)?;
        Ok(self.state().alive(key, &self.clock).map(|kept| StoredEntry {
            value: kept.value.clone(),
            version: kept.version,
            expires: kept.expires.time(),
        }))
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
        let mut state = self.state();
        let current = state.alive(key, &self.clock).map(|kept| kept.version);
        expect.check(current)?;
        let needed = weight(key, &value);
        let fits = |state: &MemoryContents| {
            // Looked up each time: the entry may expire meanwhile, and is then removed with the others.
            let freed = state.entries.get(key).map_or(0, |kept| weight(key, &kept.value));
            state.bytes - freed + needed <= self.limit
        };
        if !fits(&state) {
            state.remove_expired(&self.clock);
            if !fits(&state) {
                return Err(StoreError::Full { limit: self.limit });
            }
        }
        state.remove(key);
        state.bytes += needed;
        state.versions += 1;
        let version = Version(state.versions);
        let expires = Expiry::after(&self.clock, ttl);
        let kept = MemoryEntry { value, version, expires };
        state.entries.insert(key.to_owned(), kept);
        Ok(version)
    }

    async fn touch(&self, key: &str, ttl: Option<Duration>) -> Result<bool, StoreError> {
        check_key(key)?;
        let expires = Expiry::after(&self.clock, ttl);
        let mut state = self.state();
        Ok(state.alive(key, &self.clock).map(|kept| kept.expires = expires).is_some())
    }

    async fn delete(&self, key: &str, expect: ExpectedState) -> Result<bool, StoreError> {
        check_key(key)?;
        let mut state = self.state();
        let current = state.alive(key, &self.clock).map(|kept| kept.version);
        expect.check(current)?;
        state.remove(key);
        Ok(current.is_some())
    }

    async fn list(&self, prefix: &str) -> Result<KeyListing, StoreError> {
        let state = self.state();
        let keys = state
            .entries
            .range(prefix.to_owned()..)
            .take_while(|(key, _)| key.starts_with(prefix))
            .filter(|(_, kept)| !kept.expires.is_expired(&self.clock))
            .map(|(key, _)| key.clone())
            .collect();
        Ok(KeyListing { keys, skipped: Vec::new() })
    }

    async fn lease(&self, name: &str, holder: &str, ttl: Duration) -> Result<Lease, StoreError> {
        check_key(name)?;
        check_key(holder)?;
        let mut state = self.state();
        let granted = state.leases.entry(name.to_owned()).or_default();
        if let Some((holder, end)) = granted.holder(&self.clock) {
            return Err(StoreError::Held { holder: holder.to_owned(), left: end.remaining(&self.clock) });
        }
        granted.fence += 1;
        let end = self.clock.end(ttl);
        granted.current = end.0.map(|end| (holder.to_owned(), end));
        Ok(Lease {
            name: name.to_owned(),
            holder: holder.to_owned(),
            fence: granted.fence,
            expires: end.time().unwrap_or(SystemTime::UNIX_EPOCH),
        })
    }

    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease, StoreError> {
        let mut state = self.state();
        let granted = state.leases.get_mut(&lease.name).ok_or(StoreError::Lost)?;
        if granted.fence != lease.fence || granted.holder(&self.clock).is_none() {
            return Err(StoreError::Lost);
        }
        let end = self.clock.end(ttl);
        granted.current = end.0.map(|end| (lease.holder.clone(), end));
        Ok(Lease { expires: end.time().unwrap_or(SystemTime::UNIX_EPOCH), ..lease.clone() })
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        let mut state = self.state();
        if let Some(granted) = state.leases.get_mut(&lease.name)
            && granted.fence == lease.fence
        {
            granted.current = None;
        }
        Ok(())
    }

    async fn evict(&self, name: &str, holder: &str) -> Result<bool, StoreError> {
        check_key(name)?;
        let mut state = self.state();
        let Some(granted) = state.leases.get_mut(name) else {
            return Ok(false);
        };
        let is_theirs = granted.holder(&self.clock).is_some_and(|(current, _)| current == holder);
        if is_theirs {
            granted.current = None;
        }
        Ok(is_theirs)
    }

    async fn sweep(&self) -> Result<SweepReport, StoreError> {
        Ok(SweepReport { expired: self.state().remove_expired(&self.clock), ..SweepReport::default() })
    }
}
