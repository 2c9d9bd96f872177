//! Tests of stores: a store whose time the tests control, and what several of the files below it need.

mod contract;
mod folder;
mod kinds_agree;
mod memory;
mod processes;
mod redis_faults;
mod redis_server;

use std::{
    path::Path,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use tempfile::TempDir;

use self::redis_server::RedisServer;
use super::{
    Clock, ExpectedState, Lease, Store, StoreError, Version,
    fs::FolderStore,
    memory::MemoryStore,
    redis::{KeySpace, RedisAddress, RedisStore, Timeouts},
};

const SECOND: Duration = Duration::from_secs(1);

/// A store whose clock moves only when a test moves it.
struct TestStore {
    store: Arc<dyn Store>,
    now: Arc<AtomicU64>,
    dir: TempDir,
}

impl TestStore {
    fn new(make: impl FnOnce(&Path, Clock) -> Arc<dyn Store>) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let now = Arc::new(AtomicU64::new(1_800_000_000_000));
        let store = make(dir.path(), clock(&now));
        Self { store, now, dir }
    }

    fn fs() -> Self {
        Self::new(|dir, clock| Arc::new(FolderStore::open(dir, clock).expect("opens")))
    }

    fn memory() -> Self {
        Self::new(|_, clock| Arc::new(MemoryStore::new(64 << 20, clock)))
    }

    /// A store of its own on the server of this process.
    fn redis() -> Self {
        static SERVER: LazyLock<RedisServer> = LazyLock::new(|| RedisServer::start(&[]));
        static STORES: AtomicU64 = AtomicU64::new(0);
        let prefix = format!("test{}", STORES.fetch_add(1, Ordering::SeqCst));
        let address = RedisAddress::parse(&format!("redis://127.0.0.1:{}", SERVER.port)).expect("valid");
        let keys = KeySpace::parse(&prefix).expect("valid");
        Self::new(|_, clock| {
            Arc::new(RedisStore::with(address, keys, Timeouts::default(), Some(clock)).expect("opens"))
        })
    }

    fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).expect("a test's time");
        self.now.fetch_add(by, Ordering::SeqCst);
    }

    async fn put(&self, key: &str, value: &str) -> Version {
        self.put_for(key, value, None).await
    }

    async fn put_for(&self, key: &str, value: &str, ttl: Option<Duration>) -> Version {
        let put = self.store.put(key, value.as_bytes().to_vec(), ExpectedState::Anything, ttl).await;
        put.expect("it is put")
    }

    async fn value(&self, key: &str) -> Option<String> {
        let entry = self.store.get(key).await.expect("readable")?;
        Some(String::from_utf8(entry.value).expect("text"))
    }

    async fn keys(&self, prefix: &str) -> Vec<String> {
        let listing = self.store.list(prefix).await.expect("listed");
        assert_eq!(listing.skipped, [], "something foreign");
        listing.keys
    }
}

fn clock(now: &Arc<AtomicU64>) -> Clock {
    let now = Arc::clone(now);
    Clock::from_fn(move || SystemTime::UNIX_EPOCH + Duration::from_millis(now.load(Ordering::SeqCst)))
}

/// Runs tasks concurrently and returns their results in order.
async fn all<T, F>(tasks: u8, task: impl Fn(u8) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let running: Vec<_> = (0..tasks).map(|at| tokio::spawn(task(at))).collect();
    let mut done = Vec::new();
    for task in running {
        done.push(task.await.expect("no panic"));
    }
    done
}

/// Increments a counter by reading and putting, and retries if another writer was faster.
async fn increment(store: &dyn Store, times: u32) {
    for _ in 0..times {
        loop {
            let before = store.get("count").await.expect("readable");
            let (count, expect) = match &before {
                Some(entry) => {
                    let text = std::str::from_utf8(&entry.value).expect("text");
                    (text.parse().expect("a number"), ExpectedState::Version(entry.version))
                }
                None => (0_u32, ExpectedState::Absent),
            };
            match store.put("count", (count + 1).to_string().into_bytes(), expect, None).await {
                Ok(_) => break,
                Err(StoreError::Conflict) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

async fn wait_for_lease(store: &dyn Store, holder: &str) -> Lease {
    loop {
        match store.lease("novel", holder, SECOND * 60).await {
            Ok(lease) => return lease,
            Err(StoreError::Held { .. }) => tokio::time::sleep(Duration::from_millis(1)).await,
            Err(error) => panic!("{error}"),
        }
    }
}
