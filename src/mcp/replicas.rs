//! The replicas of one service: processes that share a store.
//!
//! Each replica has an entry in the store that expires unless it is renewed. A session lives in one replica, its home,
//! which its record names; the others forward its requests there (`src/http/forward.rs`). Once the entry of the home has
//! expired and the home does not answer either, the replica that gets the session's next request takes it over.
//!
//! Invariant: a session is served by its home only. A home that runs keeps its sessions, whether or not it reaches the
//! store, because it answers those that would take them over. A home that was stopped may not have answered: it asks the
//! store about each of its sessions before it serves them again.

use std::{
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use fumi_base::store::{ExpectedState, Store, StoreError};
use http::{HeaderMap, HeaderName, HeaderValue};
use moka::sync::Cache;
use parking_lot::Mutex;
use tokio::time::sleep;

/// The lifetime of an entry: the sessions of a replica that gives no sign of life for so long are taken over.
pub const TTL: Duration = Duration::from_secs(10);

/// The number of letters of a replica's id, each of 4 bits. Handles of browser sessions and ids of tasks begin with it, so it
/// is short.
pub const ID_LENGTH: usize = 10;

/// The header of a request that one replica sends to another: the id of the replica that it is for.
pub static REPLICA: HeaderName = HeaderName::from_static("fumi-forwarded");

/// The number of other replicas whose URLs are remembered.
const MOST_OTHERS: u64 = 1_000;

/// The interval of renewals: three of them may fail.
pub(super) const RENEWAL: Duration = Duration::from_millis(2_500);
/// The time to connect to another replica.
pub const CONNECT: Duration = Duration::from_secs(2);
/// The time in which a replica whose entry has expired may answer that it lives.
const ANSWER: Duration = TTL;
/// The interval at which a replica makes sure that it runs.
const AWAKE_INTERVAL: Duration = Duration::from_millis(500);
/// The time for which a replica that ran a moment ago would have answered. Half of [`ANSWER`]: a replica that stops while it is
/// asked notices that before it has been given up.
const AWAKE: Duration = Duration::from_secs(5);

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
    /// True if the last renewal succeeded.
    has_entry: AtomicBool,
    /// The last known URLs of other replicas, for the time when the store is away.
    others: Cache<String, String>,
    /// Asks other replicas whether they live, each time on a new connection: an open one can be to a machine that is gone.
    http: reqwest::Client,
}

/// The reason why a process cannot be one of several replicas.
#[derive(Debug, thiserror::Error)]
pub enum ReplicaError {
    #[error("the system provides no random numbers: {0}")]
    Random(#[from] getrandom::Error),
    #[error("no connections to other replicas are possible: {0}")]
    Client(#[from] reqwest::Error),
}

impl Replicas {
    /// Creates a replica without an entry.
    ///
    /// # Errors
    /// If the system provides no random numbers or no connections.
    pub fn new(store: Arc<dyn Store>) -> Result<Self, ReplicaError> {
        let mut bytes = [0; ID_LENGTH];
        getrandom::fill(&mut bytes)?;
        let id = bytes.iter().map(|byte| char::from(b'a' + byte % 16)).collect();
        Ok(Self {
            id,
            store,
            url: OnceLock::new(),
            current_until: Mutex::default(),
            has_left: AtomicBool::new(false),
            has_entry: AtomicBool::new(false),
            others: Cache::new(MOST_OTHERS),
            http: reqwest::Client::builder()
                .connect_timeout(CONNECT)
                .timeout(ANSWER)
                .pool_max_idle_per_host(0)
                .redirect(reqwest::redirect::Policy::none())
                .no_proxy()
                .build()?,
        })
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// The URL at which the others reach this replica; `None` before it listens.
    pub fn url(&self) -> Option<&str> {
        self.url.get().map(String::as_str)
    }

    /// Enters this replica under its URL, such as `http://10.0.0.7:8640`. If the store cannot be reached, a renewal
    /// enters it later.
    pub async fn enter(self: &Arc<Self>, url: String) {
        let _ = self.url.set(url);
        // It has no sessions yet that another replica could have taken over.
        self.mark_current(Instant::now());
        tokio::spawn(stay_awake(Arc::downgrade(self)));
        if let Err(error) = self.renew().await {
            tracing::warn!(%error, "this replica is not entered in the store yet");
        }
    }

    /// Renews the entry of this replica. From then on no session is taken over. Returns false if there was no entry: then some
    /// may have been taken over before, or the store has lost them.
    pub(super) async fn renew(&self) -> Result<bool, StoreError> {
        let Some(url) = self.url.get().filter(|_| !self.has_left()) else { return Ok(true) };
        let key = key(&self.id);
        let renewed = async {
            let was_known = self.store.touch(&key, Some(TTL)).await?;
            if !was_known {
                self.store.put(&key, url.as_bytes().to_vec(), ExpectedState::Anything, Some(TTL)).await?;
            }
            Ok(was_known)
        };
        let renewed = renewed.await;
        self.has_entry.store(renewed.is_ok(), Relaxed);
        renewed
    }

    /// True if the last renewal succeeded.
    pub(super) fn has_entry(&self) -> bool {
        self.has_entry.load(Relaxed)
    }

    /// Records a renewal that began at a time, once this replica has no session that was taken over.
    pub(super) fn mark_current(&self, began: Instant) {
        self.extend(began + TTL);
    }

    fn extend(&self, end: Instant) {
        let mut current = self.current_until.lock();
        *current = (*current).max(Some(end));
    }

    /// Records that this replica runs: it answers the others, so that none takes over a session, although its entry may
    /// have expired. Does nothing if it was stopped for so long that it may not have answered.
    fn mark_awake(&self) {
        if self.is_current() {
            self.extend(Instant::now() + AWAKE);
        }
    }

    /// True if no other replica can have taken over a session of this one.
    pub fn is_current(&self) -> bool {
        !self.has_left() && self.current_until.lock().is_some_and(|end| Instant::now() < end)
    }

    /// True if this replica shuts down and has left its sessions to the others.
    pub fn has_left(&self) -> bool {
        self.has_left.load(Relaxed)
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

    /// Returns the URL of a living replica: it has an entry or, since it may be unable to renew that, answers at its last URL.
    /// `last` is that URL if the caller knows it. Waits for the answer for [`ANSWER`] at most. While the store is away this is
    /// the last known URL.
    pub async fn url_of(&self, id: &str, last: Option<&str>) -> Result<Option<String>, StoreError> {
        let remembered = || self.others.get(id).or_else(|| last.map(str::to_owned));
        let entry = match self.store.get(&key(id)).await {
            Ok(entry) => entry,
            Err(error) => return remembered().map(Some).ok_or(error),
        };
        if let Some(url) = entry.and_then(|entry| String::from_utf8(entry.value).ok()) {
            self.others.insert(id.to_owned(), url.clone());
            return Ok(Some(url));
        }
        let Some(url) = remembered() else { return Ok(None) };
        if self.answers(id, &url).await {
            return Ok(Some(url));
        }
        self.others.invalidate(id);
        Ok(None)
    }

    /// True if a replica answers at a URL. Another process that has the URL by now does not know the id.
    async fn answers(&self, id: &str, url: &str) -> bool {
        let Ok(asked) = HeaderValue::from_str(id) else { return false };
        let answer = self.http.get(format!("{url}/livez")).header(&REPLICA, &asked).send().await;
        answer.is_ok_and(|answer| answer.headers().get(&REPLICA) == Some(&asked))
    }

    /// Returns the header of the answer to another replica that asks whether this one lives; `None` if it asks for another id, or
    /// this replica has left.
    pub fn answer(&self, headers: &HeaderMap) -> Option<(HeaderName, HeaderValue)> {
        let asked = headers.get(&REPLICA).filter(|asked| asked.as_bytes() == self.id.as_bytes() && !self.has_left());
        asked.map(|id| (REPLICA.clone(), id.clone()))
    }

    /// Logs a warning if this replica does not reach itself at its URL, once it serves: then others do not reach it either.
    pub async fn check_url(&self) {
        if let Some(url) = self.url()
            && !self.answers(&self.id, url).await
        {
            tracing::warn!(
                url,
                "this replica does not answer at its URL, so the others cannot forward requests to it; set FUMI__SERVER__REPLICA_URL to a URL that leads to this replica alone"
            );
        }
    }
}

/// Keeps a replica current without the store for as long as its process runs. Ends when the replica is dropped or has left.
async fn stay_awake(replica: Weak<Replicas>) {
    while let Some(replica) = replica.upgrade().filter(|replica| !replica.has_left()) {
        replica.mark_awake();
        drop(replica);
        sleep(AWAKE_INTERVAL).await;
    }
}

fn key(id: &str) -> String {
    format!("replica/{id}")
}
