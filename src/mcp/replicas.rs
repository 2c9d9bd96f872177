//! The replicas of one service: processes that share a store.
//!
//! Each replica has an entry in the store that expires unless it is renewed. A session lives in one replica, its home,
//! which its record names; the others forward its requests there (`src/http/forward.rs`). Once the entry of the home has
//! expired and the home does not answer either, the replica that gets the session's next request takes it over.
//!
//! Invariant: a session is served by its home only. A home keeps its sessions, even while it cannot reach the store, as long
//! as it answers the replicas that would take them over. A home whose process was paused may have failed to answer: it checks
//! each of its sessions in the store before it serves them again.

use std::{
    error::Error as _,
    io,
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use fumi_base::{
    store::{ExpectedState, Store, StoreError},
    system::is_out_of_descriptors,
};
use http::{HeaderMap, HeaderName, HeaderValue};
use moka::sync::Cache;
use parking_lot::Mutex;
use tokio::time::{sleep, timeout};

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
/// The interval between two attempts to reach a replica.
const ATTEMPTS: Duration = Duration::from_millis(500);
/// The time for which the answer of a replica is remembered: one question serves all requests that are forwarded meanwhile.
const REMEMBERED: Duration = Duration::from_secs(1);
/// The time for which a replica that has just reached itself at its URL keeps its sessions. It is less than [`ANSWER`], so that
/// a replica whose process is paused while another one asks it notices the pause before the other gives it up. It is less than
/// the rest of [`TTL`] at the next renewal, so that a replica asks itself only after a renewal has failed.
const AWAKE: Duration = Duration::from_secs(7);

/// This replica, and the known URLs of the others.
#[derive(Debug)]
pub struct Replicas {
    /// Random letters. A restarted process is another replica, because it does not have the sessions of the former one.
    id: String,
    store: Arc<dyn Store>,
    /// The URL at which the others reach this replica, known once it listens.
    url: OnceLock<String>,
    /// The time until which no other replica takes over a session of this one.
    current_until: Mutex<Option<Instant>>,
    has_left: AtomicBool,
    /// True if the last renewal succeeded, and the sessions were checked after it if that was necessary.
    is_renewed: AtomicBool,
    /// The last known URLs of other replicas, for the time when the store is away.
    others: Cache<String, String>,
    /// The last answers of other replicas whose entries have expired.
    answers: Cache<String, Arc<LastAnswer>>,
    /// Asks other replicas whether they live, each time on a new connection: an open one can be to a machine that is gone.
    http: reqwest::Client,
}

/// The time of an answer, and true if it was that the replica lives. Locked while the replica is asked.
type LastAnswer = tokio::sync::Mutex<Option<(Instant, bool)>>;

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
            is_renewed: AtomicBool::new(false),
            others: Cache::new(MOST_OTHERS),
            answers: Cache::new(MOST_OTHERS),
            http: reqwest::Client::builder()
                .connect_timeout(CONNECT)
                .pool_max_idle_per_host(0)
                .redirect(reqwest::redirect::Policy::none())
                .no_proxy()
                .build()?,
        })
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the URL at which the others reach this replica; `None` before it listens.
    pub fn url(&self) -> Option<&str> {
        self.url.get().map(String::as_str)
    }

    /// Enters this replica under its URL, such as `http://10.0.0.7:8640`. If the store cannot be reached, a renewal
    /// enters it later.
    pub async fn enter(self: &Arc<Self>, url: String) {
        let _ = self.url.set(url);
        // It has no sessions yet that another replica could have taken over.
        self.mark_current(Instant::now());
        tokio::spawn(stay_current(Arc::downgrade(self)));
        if let Err(error) = self.renew().await {
            self.mark_unrenewed();
            tracing::warn!(%error, "this replica is not entered in the store yet");
        }
    }

    /// Renews the entry of this replica, so that no session is taken over from then on. Returns false if the entry was missing:
    /// then sessions may have been taken over before, or the store may have lost them.
    pub(super) async fn renew(&self) -> Result<bool, StoreError> {
        let Some(url) = self.url.get().filter(|_| !self.has_left()) else { return Ok(true) };
        let key = key(&self.id);
        let was_known = self.store.touch(&key, Some(TTL)).await?;
        if !was_known {
            self.store.put(&key, url.as_bytes().to_vec(), ExpectedState::Anything, Some(TTL)).await?;
        }
        Ok(was_known)
    }

    /// True if the last renewal succeeded, and the sessions were checked after it if that was necessary.
    pub(super) fn is_renewed(&self) -> bool {
        self.is_renewed.load(Relaxed)
    }

    /// Records a renewal that began at `began`. Called when this replica has no session any more that another has taken over.
    pub(super) fn mark_current(&self, began: Instant) {
        self.is_renewed.store(true, Relaxed);
        let mut current = self.current_until.lock();
        *current = (*current).max(Some(began + TTL));
    }

    /// Records that a renewal failed, or the check of the sessions after it.
    pub(super) fn mark_unrenewed(&self) {
        self.is_renewed.store(false, Relaxed);
    }

    /// Keeps this replica current for another [`AWAKE`], although its entry cannot be renewed, if it is current and answers at
    /// its own URL: then it also answers the other replicas, so that none of them takes over a session.
    async fn confirm_current(&self) {
        let began = Instant::now();
        let is_ending = self.current_until.lock().is_some_and(|end| began < end && end < began + AWAKE);
        let Some(url) = self.url().filter(|_| is_ending) else { return };
        if matches!(timeout(AWAKE, self.ask(&self.id, url)).await, Ok(Ok(true))) {
            let mut current = self.current_until.lock();
            // If the time ran out meanwhile, another replica may have asked then and given this one up.
            *current = current.map(|end| if Instant::now() < end { end.max(began + AWAKE) } else { end });
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

    /// Removes the entry of another replica that has ended, since another process has its URL. Returns true if there was one.
    pub async fn remove(&self, id: &str) -> Result<bool, StoreError> {
        self.store.delete(&key(id), ExpectedState::Anything).await
    }

    /// Returns the URL of a replica if it lives: if it has an entry or, since it may be unable to renew that, if it answers at
    /// its last URL. `last` is that URL if the caller knows it. Waits for the answer for [`ANSWER`] at most. While the store is
    /// away, returns the last known URL.
    ///
    /// # Errors
    /// If the store is away and no URL is known, or this process cannot ask.
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
        if self.lives(id, &url).await? {
            return Ok(Some(url));
        }
        self.others.invalidate(id);
        Ok(None)
    }

    /// Asks a replica whose entry has expired whether it lives, unless its last answer is still remembered. One request asks at
    /// a time. If a replica goes on although it was found to have ended, it has an entry again, and is not asked here.
    async fn lives(&self, id: &str, url: &str) -> Result<bool, StoreError> {
        let answer = self.answers.get_with(id.to_owned(), Arc::default);
        let mut answer = answer.lock().await;
        if let Some((at, lives)) = *answer
            && at.elapsed() < REMEMBERED
        {
            return Ok(lives);
        }
        let asked = self.ask(id, url).await;
        let lives =
            asked.map_err(|source| StoreError::Io { what: "a replica cannot be asked whether it lives", source })?;
        *answer = Some((Instant::now(), lives));
        Ok(lives)
    }

    /// Returns true if a replica answers at a URL. Returns false, since it has ended, if the answer does not name the replica
    /// (another process may have the URL by now), if connections are refused, or without an answer within [`ANSWER`].
    ///
    /// # Errors
    /// If this process cannot ask: it has no file descriptor, port or memory left.
    async fn ask(&self, id: &str, url: &str) -> io::Result<bool> {
        let Ok(asked) = HeaderValue::from_str(id) else { return Ok(false) };
        let (url, end) = (format!("{url}/livez"), Instant::now() + ANSWER);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.http.get(&url).header(&REPLICA, &asked).timeout(left).send().await {
                // A proxy in between does not reach the replica, which is asked again.
                Ok(answer) if answer.status().is_server_error() => {}
                Ok(answer) => return Ok(answer.headers().get(&REPLICA) == Some(&asked)),
                Err(error) => match cause(&error) {
                    Some(cause) if cause.kind() == io::ErrorKind::ConnectionRefused => return Ok(false),
                    Some(cause) if is_own(cause) => return Err(io::Error::new(cause.kind(), error)),
                    _ => {}
                },
            }
            if Instant::now() + ATTEMPTS > end {
                return Ok(false);
            }
            sleep(ATTEMPTS).await;
        }
    }

    /// Returns the header of the answer to another replica that asks whether this one lives; `None` if it asks for another id,
    /// or if this replica cannot be sure any more that its sessions are still its own.
    pub fn answer(&self, headers: &HeaderMap) -> Option<(HeaderName, HeaderValue)> {
        let asked = headers.get(&REPLICA).filter(|asked| asked.as_bytes() == self.id.as_bytes() && self.is_current());
        asked.map(|id| (REPLICA.clone(), id.clone()))
    }

    /// Logs a warning if this replica does not reach itself at its URL, since the others do not reach it there either. To be
    /// called once it serves.
    pub async fn check_url(&self) {
        if let Some(url) = self.url()
            && !matches!(self.ask(&self.id, url).await, Ok(true))
        {
            tracing::warn!(
                url,
                "this replica does not answer at its URL, so the others cannot forward requests to it; set FUMI__SERVER__REPLICA_URL to a URL that leads to this replica alone"
            );
        }
    }
}

/// Keeps a replica current while its entry cannot be renewed. Ends when the replica is dropped or has left.
async fn stay_current(replica: Weak<Replicas>) {
    while let Some(replica) = replica.upgrade().filter(|replica| !replica.has_left()) {
        replica.confirm_current().await;
        drop(replica);
        sleep(ATTEMPTS).await;
    }
}

/// Returns the system's error that made a request fail.
fn cause(error: &reqwest::Error) -> Option<&io::Error> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error);
        }
        cause = error.source();
    }
    None
}

/// True if an error concerns this process alone, and says nothing about the other.
fn is_own(error: &io::Error) -> bool {
    is_out_of_descriptors(error) || matches!(error.kind(), io::ErrorKind::AddrNotAvailable | io::ErrorKind::OutOfMemory)
}

fn key(id: &str) -> String {
    format!("replica/{id}")
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    };

    use fumi_base::store::{Store, memory::MemoryStore};
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
    };

    use super::{Duration, Instant, Replicas, sleep};

    fn replicas() -> Arc<Replicas> {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        Arc::new(Replicas::new(store).expect("a replica"))
    }

    /// Serves one answer to every connection. Returns the URL, and the number of connections so far.
    async fn server(answer: &'static str) -> (String, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let number = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&number);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Relaxed);
                tokio::spawn(async move {
                    let _ = stream.read(&mut [0; 4096]).await;
                    sleep(Duration::from_millis(50)).await;
                    let _ = stream.write_all(answer.as_bytes()).await;
                });
            }
        });
        (url, number)
    }

    #[tokio::test]
    async fn requests_at_once_ask_a_replica_without_an_entry_once() {
        let (url, asked) =
            server("HTTP/1.1 200 OK\r\nFumi-Forwarded: another\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .await;
        let (replicas, began) = (replicas(), Instant::now());
        let requests: Vec<_> = (0..50)
            .map(|_| {
                let (replicas, url) = (Arc::clone(&replicas), url.clone());
                tokio::spawn(async move { replicas.url_of("another", Some(&url)).await })
            })
            .collect();
        for request in requests {
            assert_eq!(request.await.expect("it runs").expect("answered").as_ref(), Some(&url));
        }
        let most = 1 + usize::try_from(began.elapsed().as_secs()).expect("a few");
        assert!((1..=most).contains(&asked.load(Relaxed)), "{asked:?}");
    }

    #[tokio::test]
    async fn replica_that_another_process_or_none_replaces_has_ended() {
        let (other, _) = server("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").await;
        let free = TcpListener::bind("127.0.0.1:0").await.expect("a free port").local_addr().expect("an address");
        for url in [other, format!("http://{free}")] {
            assert_eq!(replicas().url_of("another", Some(&url)).await.expect("answered"), None, "{url}");
        }
    }

    #[tokio::test]
    async fn replica_behind_a_proxy_that_does_not_reach_it_is_asked_again() {
        let (url, asked) = server("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").await;
        let began = Instant::now();
        assert_eq!(replicas().url_of("another", Some(&url)).await.expect("answered"), None);
        assert!(began.elapsed() > super::AWAKE && asked.load(Relaxed) > 5, "{asked:?} in {:?}", began.elapsed());
    }
}
