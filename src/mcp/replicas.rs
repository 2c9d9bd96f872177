//! The replicas of one service: processes that share a store.
//!
//! Each replica has an entry in the store that expires unless it is renewed. A session lives in one replica, its home,
//! which its record names; the others forward its requests there (`src/http/forward.rs`). Once the entry of the home has
//! expired, the replica that gets the session's next request takes it over.
//!
//! Invariant: a session is served by its home only. A replica that could not renew its entry in time, because it was
//! stopped or the store was away, asks the store about each of its sessions before it serves them again.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use fumi_base::store::{ExpectedState, Store, StoreError};
use moka::sync::Cache;
use parking_lot::Mutex;

/// The lifetime of an entry: the sessions of a replica that gives no sign of life for so long are taken over.
pub const TTL: Duration = Duration::from_secs(10);

/// The number of letters of a replica's id, each of 4 bits. Handles of browser sessions and ids of tasks begin with it, so it
/// is short.
pub const ID_LENGTH: usize = 10;

/// The number of other replicas whose URLs are remembered.
const MOST_OTHERS: u64 = 1_000;

/// The interval of renewals: three of them may fail.
pub(super) const RENEWAL: Duration = Duration::from_millis(2_500);

/// This replica, and where the others are.
#[derive(Debug)]
pub struct Replicas {
    /// Random letters: a process that starts again is another replica, because it has no session of the former.
    id: String,
    store: Arc<dyn Store>,
    /// The URL at which the others reach this replica, known once it listens.
    url: OnceLock<String>,
    /// The time until which no other replica takes over a session of this one.
    current_until: Mutex<Option<Instant>>,
    has_left: AtomicBool,
    /// True if the store did not answer the last renewal.
    is_store_away: AtomicBool,
    /// The last known URLs of other replicas, for the time when the store is away.
    others: Cache<String, String>,
}

impl Replicas {
    /// Creates a replica without an entry.
    ///
    /// # Errors
    /// If the system provides no random numbers.
    pub fn new(store: Arc<dyn Store>) -> Result<Self, getrandom::Error> {
        let mut bytes = [0; ID_LENGTH];
        getrandom::fill(&mut bytes)?;
        let id = bytes.iter().map(|byte| char::from(b'a' + byte % 16)).collect();
        Ok(Self {
            id,
            store,
            url: OnceLock::new(),
            current_until: Mutex::default(),
            has_left: AtomicBool::new(false),
            is_store_away: AtomicBool::new(false),
            others: Cache::new(MOST_OTHERS),
        })
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Enters this replica under its URL, such as `http://10.0.0.7:8640`. If the store cannot be reached, a renewal
    /// enters it later.
    pub async fn enter(&self, url: String) {
        let _ = self.url.set(url);
        let began = Instant::now();
        match self.renew().await {
            Ok(_) => self.mark_current(began),
            Err(error) => tracing::warn!(%error, "this replica is not entered in the store yet"),
        }
    }

    /// Renews the entry of this replica. From then on no session is taken over. Returns false if there was no entry: then some
    /// may have been taken over before, or the store has lost them.
    pub(super) async fn renew(&self) -> Result<bool, StoreError> {
        let Some(url) = self.url.get().filter(|_| !self.has_left.load(Relaxed)) else { return Ok(true) };
        let key = key(&self.id);
        let renewed = async {
            let was_known = self.store.touch(&key, Some(TTL)).await?;
            if !was_known {
                self.store.put(&key, url.as_bytes().to_vec(), ExpectedState::Anything, Some(TTL)).await?;
            }
            Ok(was_known)
        };
        let renewed = renewed.await;
        self.is_store_away.store(renewed.is_err(), Relaxed);
        renewed
    }

    /// Records a renewal that began at a time, once this replica has no session that was taken over.
    pub(super) fn mark_current(&self, began: Instant) {
        *self.current_until.lock() = Some(began + TTL);
    }

    /// True if no other replica can have taken over a session of this one.
    pub fn is_current(&self) -> bool {
        !self.has_left.load(Relaxed) && self.current_until.lock().is_some_and(|end| Instant::now() < end)
    }

    /// True if the store did not answer the last renewal. Then no replica takes over sessions.
    pub fn is_store_away(&self) -> bool {
        self.is_store_away.load(Relaxed)
    }

    /// Removes the entry of this replica, so that its sessions are taken over at once.
    pub async fn leave(&self) {
        self.has_left.store(true, Relaxed);
        if let Err(error) = self.store.delete(&key(&self.id), ExpectedState::Anything).await {
            tracing::warn!(%error, "the entry of this replica remains until it expires");
        }
    }

    /// Removes the entry of another replica that has ended: another process has its URL.
    pub async fn remove(&self, id: &str) -> Result<(), StoreError> {
        self.store.delete(&key(id), ExpectedState::Anything).await.map(drop)
    }

    /// Returns the URL of a living replica; `None` if its entry has expired. While the store is away this is the last known
    /// one.
    pub async fn url_of(&self, id: &str) -> Result<Option<String>, StoreError> {
        let entry = match self.store.get(&key(id)).await {
            Ok(entry) => entry,
            Err(error) => return self.others.get(id).map(Some).ok_or(error),
        };
        let url = entry.and_then(|entry| String::from_utf8(entry.value).ok());
        if let Some(url) = &url {
            self.others.insert(id.to_owned(), url.clone());
        }
        Ok(url)
    }
}

fn key(id: &str) -> String {
    format!("replica/{id}")
}
