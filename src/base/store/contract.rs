//! The contract of all kinds of stores: the same tests for each. A new kind adds one line to `contract!`.
//!
//! The tests control the time. Tests that apply to one kind only (other processes, foreign files, its limit) are at the
//! end.

#![allow(clippy::disallowed_methods, reason = "the tests start other processes")]

use std::{
    collections::{BTreeSet, HashMap},
    fs::{self, OpenOptions},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use proptest::prelude::*;
use tempfile::TempDir;

use super::{
    Clock, ExpectedState, ForeignFile, MAX_KEY_BYTES, MAX_VALUE_BYTES, Store, StoreError, Version, fs::FolderStore,
    memory::MemoryStore,
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

    fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).expect("a test's time");
        self.now.fetch_add(by, Ordering::SeqCst);
    }

    async fn put(&self, key: &str, value: &str) -> Version {
        self.put_for(key, value, None).await
    }

    async fn put_for(&self, key: &str, value: &str, ttl: Option<Duration>) -> Version {
        let put = self
            .store
            .put(key, value.as_bytes().to_vec(), ExpectedState::Anything, ttl)
            .await;
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

/// Generates a module of tests for each kind.
macro_rules! contract {
    ($behaviours:tt) => {
        mod of_each {
            contract!(fs $behaviours);
            contract!(memory $behaviours);
        }
    };
    ($kind:ident [$($behaviour:ident)*]) => {
        mod $kind {
            use super::super::TestStore;
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $behaviour() {
                    super::super::$behaviour(TestStore::$kind()).await;
                }
            )*
        }
    };
}

contract! {[
    an_entry_is_what_was_put
    a_put_happens_in_the_expected_state_only
    only_one_concurrent_create_succeeds
    no_increment_of_many_is_lost
    an_entry_ends_at_its_time
    an_end_can_be_moved
    a_version_never_comes_back
    keys_are_listed_in_order_by_prefix
    any_text_is_a_key
    what_cannot_be_stored_is_refused
    what_is_deleted_is_gone
    a_lease_excludes_until_it_ends
    a_lease_that_ended_is_lost
    only_one_holder_gets_lease
    a_holder_who_is_gone_is_evicted
    sweeping_changes_nothing_that_lives
]}

async fn an_entry_is_what_was_put(rig: TestStore) {
    assert_eq!(rig.value("a").await, None);
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let version = rig
        .store
        .put("a", bytes.clone(), ExpectedState::Anything, None)
        .await
        .expect("it is put");
    let entry = rig.store.get("a").await.expect("readable").expect("there");
    assert_eq!((entry.value, entry.version, entry.expires), (bytes, version, None));
    assert_ne!(rig.put("a", "").await, version);
    assert_eq!(rig.value("a").await.as_deref(), Some(""));
}

async fn a_put_happens_in_the_expected_state_only(rig: TestStore) {
    let put = |expect| rig.store.put("a", b"new".to_vec(), expect, None);
    let conflict = |result| matches!(result, Err(StoreError::Conflict));
    let other = rig.put("other", "").await;
    assert!(
        conflict(put(ExpectedState::Version(other)).await),
        "the entry does not exist"
    );
    let first = put(ExpectedState::Absent).await.expect("absent");
    assert!(conflict(put(ExpectedState::Absent).await));
    let second = put(ExpectedState::Version(first)).await.expect("as expected");
    assert!(
        conflict(put(ExpectedState::Version(first)).await),
        "a version from before"
    );
    let third = put(ExpectedState::Anything).await.expect("any");
    assert!(conflict(put(ExpectedState::Version(second)).await));
    assert!(put(ExpectedState::Version(third)).await.is_ok());
}

async fn only_one_concurrent_create_succeeds(rig: TestStore) {
    let created = all(16, |task| {
        let store = Arc::clone(&rig.store);
        async move { store.put("a", vec![task], ExpectedState::Absent, None).await.is_ok() }
    })
    .await;
    assert_eq!(created.iter().filter(|created| **created).count(), 1);
    let winner = created.iter().position(|created| *created).expect("one");
    let entry = rig.store.get("a").await.expect("readable").expect("there");
    assert_eq!(usize::from(entry.value[0]), winner);
}

async fn no_increment_of_many_is_lost(rig: TestStore) {
    all(16, |_| {
        let store = Arc::clone(&rig.store);
        async move { increment(store.as_ref(), 8).await }
    })
    .await;
    assert_eq!(rig.value("count").await.as_deref(), Some("128"));
}

async fn an_entry_ends_at_its_time(rig: TestStore) {
    let version = rig.put_for("a", "short", Some(SECOND)).await;
    rig.put_for("b", "long", Some(SECOND * 2)).await;
    let ends = rig.store.get("a").await.expect("readable").expect("there").expires;
    assert_eq!(
        ends,
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(1_800_000_001))
    );
    rig.advance(Duration::from_millis(999));
    assert_eq!(rig.value("a").await.as_deref(), Some("short"));
    rig.advance(Duration::from_millis(1));
    assert_eq!(rig.value("a").await, None);
    assert_eq!(rig.keys("").await, ["b"]);
    assert!(
        !rig.store.touch("a", None).await.expect("answered"),
        "the entry came back"
    );
    assert!(!rig.store.delete("a", ExpectedState::Anything).await.expect("answered"));
    let expected = ExpectedState::Version(version);
    assert!(matches!(
        rig.store.put("a", Vec::new(), expected, None).await,
        Err(StoreError::Conflict)
    ));
    assert!(
        rig.store
            .put("a", Vec::new(), ExpectedState::Absent, None)
            .await
            .is_ok()
    );
    rig.advance(SECOND * 1_000);
    assert_eq!(rig.keys("").await, ["a"], "without a time it stays");
}

async fn an_end_can_be_moved(rig: TestStore) {
    let version = rig.put_for("a", "value", Some(SECOND)).await;
    assert!(rig.store.touch("a", Some(SECOND * 3)).await.expect("answered"));
    rig.advance(SECOND * 2);
    let entry = rig.store.get("a").await.expect("readable").expect("there");
    assert_eq!((entry.version, entry.value), (version, b"value".to_vec()));
    assert!(rig.store.touch("a", None).await.expect("answered"));
    rig.advance(SECOND * 1_000_000);
    assert!(rig.store.touch("a", Some(SECOND)).await.expect("answered"));
    rig.advance(SECOND);
    assert_eq!(rig.value("a").await, None);
    assert!(!rig.store.touch("nowhere", None).await.expect("answered"));
}

async fn a_version_never_comes_back(rig: TestStore) {
    let mut seen = BTreeSet::new();
    for round in 0..20 {
        let version = rig.put("a", "same").await;
        assert!(seen.insert(version.0), "round {round}");
        if round % 2 == 0 {
            assert!(
                rig.store
                    .delete("a", ExpectedState::Version(version))
                    .await
                    .expect("answered")
            );
        }
    }
}

async fn keys_are_listed_in_order_by_prefix(rig: TestStore) {
    let long = "s/".repeat(400);
    let keys = ["s/b", "s/a", "s", "S/a", "s/a/b", "s/é", "t/a", "s.a", &long];
    for key in keys {
        rig.put(key, key).await;
    }
    let mut expected: Vec<&str> = keys.to_vec();
    expected.sort_unstable();
    assert_eq!(rig.keys("").await, expected);
    assert_eq!(rig.keys("s/").await, ["s/a", "s/a/b", "s/b", long.as_str(), "s/é"]);
    assert_eq!(rig.keys("s/a/b").await, ["s/a/b"]);
    assert_eq!(rig.keys(&long).await, [long.as_str()]);
    assert_eq!(rig.keys("nothing").await, [""; 0]);
}

async fn any_text_is_a_key(rig: TestStore) {
    let long = "鍵".repeat(1_000);
    let longer = format!("{long}x");
    let keys = [
        "a/b",
        "a%2fb",
        "../../etc/passwd",
        ".",
        "..",
        "/",
        "A",
        "a",
        "a ",
        " a",
        "\0",
        "\n",
        "~",
        "a~b",
        "con",
        "NUL.txt",
        "文",
        "か\u{3099}",
        "が",
        "👩‍👩‍👧",
        &long,
        &longer,
        ".new-0-0123456789abcdef",
    ];
    for key in keys {
        rig.put(key, key).await;
    }
    for key in keys {
        assert_eq!(rig.value(key).await.as_deref(), Some(key));
    }
    assert_eq!(rig.keys("").await.len(), keys.len());
    for key in keys {
        assert!(
            rig.store.delete(key, ExpectedState::Anything).await.expect("answered"),
            "{key}"
        );
    }
    assert_eq!(rig.keys("").await, [""; 0]);
    let above: Vec<_> = fs::read_dir(rig.dir.path().parent().expect("a parent"))
        .expect("readable")
        .collect();
    assert!(above.iter().flatten().all(|entry| entry.file_name() != "etc"));
}

async fn what_cannot_be_stored_is_refused(rig: TestStore) {
    let longest = "k".repeat(MAX_KEY_BYTES);
    rig.put(&longest, "").await;
    for key in ["", &format!("{longest}k")] {
        assert!(matches!(rig.store.get(key).await, Err(StoreError::Key(_))));
        let put = rig.store.put(key, Vec::new(), ExpectedState::Anything, None).await;
        assert!(matches!(put, Err(StoreError::Key(_))));
        assert!(matches!(
            rig.store.lease(key, "me", SECOND).await,
            Err(StoreError::Key(_))
        ));
    }
    let large = vec![0; MAX_VALUE_BYTES + 1];
    let put = rig.store.put("a", large, ExpectedState::Anything, None).await;
    assert!(matches!(put, Err(StoreError::TooLarge { .. })));
    assert_eq!(rig.value("a").await, None);
    assert!(
        rig.store
            .put("a", vec![0; MAX_VALUE_BYTES], ExpectedState::Anything, None)
            .await
            .is_ok()
    );
}

async fn what_is_deleted_is_gone(rig: TestStore) {
    let first = rig.put("a", "1").await;
    let second = rig.put("a", "2").await;
    let stale = rig.store.delete("a", ExpectedState::Version(first)).await;
    assert!(matches!(stale, Err(StoreError::Conflict)));
    assert_eq!(rig.value("a").await.as_deref(), Some("2"));
    assert!(
        rig.store
            .delete("a", ExpectedState::Version(second))
            .await
            .expect("answered")
    );
    assert!(!rig.store.delete("a", ExpectedState::Anything).await.expect("answered"));
    assert_eq!(rig.value("a").await, None);
}

async fn a_lease_excludes_until_it_ends(rig: TestStore) {
    let lease = rig.store.lease("novel", "ann", SECOND * 30).await.expect("free");
    for holder in ["bob", "ann"] {
        match rig.store.lease("novel", holder, SECOND).await {
            Err(StoreError::Held { holder, left }) => assert_eq!((holder.as_str(), left), ("ann", SECOND * 30)),
            other => panic!("{other:?}"),
        }
    }
    let apart = rig.store.lease("another", "bob", SECOND).await;
    assert!(apart.is_ok(), "leases of other names are independent");
    assert_eq!(rig.keys("").await, [""; 0], "a lease is not an entry");
    rig.advance(SECOND * 20);
    let renewed = rig.store.renew(&lease, SECOND * 30).await.expect("still held");
    assert_eq!(renewed.fence, lease.fence);
    assert!(renewed.expires > lease.expires);
    rig.advance(SECOND * 20);
    assert!(matches!(
        rig.store.lease("novel", "bob", SECOND).await,
        Err(StoreError::Held { .. })
    ));
    rig.store.release(&renewed).await.expect("answered");
    let next = rig.store.lease("novel", "bob", SECOND).await.expect("given back");
    assert!(next.fence > lease.fence);
    rig.store.release(&lease).await.expect("nothing");
    assert!(
        matches!(
            rig.store.lease("novel", "cat", SECOND).await,
            Err(StoreError::Held { .. })
        ),
        "a lost one is nothing"
    );
}

async fn a_lease_that_ended_is_lost(rig: TestStore) {
    let lost = rig.store.lease("novel", "ann", SECOND).await.expect("free");
    rig.advance(SECOND);
    assert!(
        matches!(rig.store.renew(&lost, SECOND).await, Err(StoreError::Lost)),
        "the lease is free"
    );
    let taken = rig.store.lease("novel", "bob", SECOND).await.expect("it ended");
    assert!(taken.fence > lost.fence, "taken over with a higher number");
    assert!(matches!(rig.store.renew(&lost, SECOND).await, Err(StoreError::Lost)));
    rig.store.release(&taken).await.expect("answered");
    assert!(
        matches!(rig.store.renew(&taken, SECOND).await, Err(StoreError::Lost)),
        "given back"
    );
    rig.advance(SECOND * 1_000);
    rig.store.sweep().await.expect("swept");
    let after = rig.store.lease("novel", "ann", SECOND).await.expect("free");
    assert!(after.fence > taken.fence, "the number survives sweeping");
    let never = super::Lease {
        name: "never".to_owned(),
        ..after
    };
    assert!(matches!(rig.store.renew(&never, SECOND).await, Err(StoreError::Lost)));
    rig.store.release(&never).await.expect("nothing");
}

async fn a_holder_who_is_gone_is_evicted(rig: TestStore) {
    assert!(
        !rig.store.evict("novel", "ann").await.expect("answered"),
        "the lease is free"
    );
    let gone = rig.store.lease("novel", "ann", SECOND * 30).await.expect("free");
    assert!(!rig.store.evict("novel", "bob").await.expect("answered"), "it is ann's");
    assert!(rig.store.evict("novel", "ann").await.expect("answered"));
    let next = rig.store.lease("novel", "bob", SECOND * 30).await.expect("free again");
    assert!(next.fence > gone.fence);
    assert!(
        !rig.store.evict("novel", "ann").await.expect("answered"),
        "it is bob's now"
    );
    assert!(matches!(rig.store.renew(&gone, SECOND).await, Err(StoreError::Lost)));
    rig.store.renew(&next, SECOND).await.expect("untouched");
}

async fn only_one_holder_gets_lease(rig: TestStore) {
    let inside = Arc::new(AtomicU64::new(0));
    let fences = all(16, |task| {
        let (store, inside) = (Arc::clone(&rig.store), Arc::clone(&inside));
        async move {
            let lease = wait_for_lease(store.as_ref(), &format!("task {task}")).await;
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two at once");
            tokio::task::yield_now().await;
            inside.fetch_sub(1, Ordering::SeqCst);
            store.release(&lease).await.expect("answered");
            lease.fence
        }
    })
    .await;
    assert_eq!(
        fences.iter().collect::<BTreeSet<_>>().len(),
        16,
        "two leases have the same number"
    );
}

async fn sweeping_changes_nothing_that_lives(rig: TestStore) {
    rig.put_for("short", "", Some(SECOND)).await;
    rig.put_for("long", "", Some(SECOND * 2)).await;
    rig.put("always", "").await;
    let lease = rig.store.lease("novel", "ann", SECOND * 10).await.expect("free");
    rig.advance(SECOND);
    let swept = rig.store.sweep().await.expect("swept");
    assert_eq!((swept.expired, swept.leftovers, swept.skipped.len()), (1, 0, 0));
    assert_eq!(rig.keys("").await, ["always", "long"]);
    assert!(rig.store.renew(&lease, SECOND).await.is_ok());
    assert_eq!(rig.store.sweep().await.expect("swept").expired, 0);
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
            match store
                .put("count", (count + 1).to_string().into_bytes(), expect, None)
                .await
            {
                Ok(_) => break,
                Err(StoreError::Conflict) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

async fn wait_for_lease(store: &dyn Store, holder: &str) -> super::Lease {
    loop {
        match store.lease("novel", holder, SECOND * 60).await {
            Ok(lease) => return lease,
            Err(StoreError::Held { .. }) => tokio::time::sleep(Duration::from_millis(1)).await,
            Err(error) => panic!("{error}"),
        }
    }
}

// Both kinds at once: the same steps in any order must give the same results.

#[derive(Clone, Debug)]
enum StoreStep {
    Put(usize, Vec<u8>, StepExpectation, Option<u64>),
    Touch(usize, Option<u64>),
    Delete(usize, StepExpectation),
    Get(usize),
    List(usize),
    Later(u64),
    Sweep,
    Lease(usize, u64),
    Renew(usize, u64),
    Release(usize),
}

/// The state that a step expects; a version is the n-th that this store returned.
#[derive(Clone, Copy, Debug)]
enum StepExpectation {
    Anything,
    Absent,
    Version(usize),
}

const KEYS: [&str; 5] = ["a", "a/b", "A", "文/章", ".x"];

fn steps() -> impl Strategy<Value = Vec<StoreStep>> {
    let key = 0..KEYS.len();
    let ttl = || proptest::option::of(0..5_u64);
    let wish = || {
        prop_oneof![
            Just(StepExpectation::Anything),
            Just(StepExpectation::Absent),
            (0..8_usize).prop_map(StepExpectation::Version)
        ]
    };
    let step = prop_oneof![
        4 => (key.clone(), proptest::collection::vec(any::<u8>(), 0..6), wish(), ttl())
            .prop_map(|(key, value, wish, ttl)| StoreStep::Put(key, value, wish, ttl)),
        1 => (key.clone(), ttl()).prop_map(|(key, ttl)| StoreStep::Touch(key, ttl)),
        1 => (key.clone(), wish()).prop_map(|(key, wish)| StoreStep::Delete(key, wish)),
        2 => key.clone().prop_map(StoreStep::Get),
        1 => key.clone().prop_map(StoreStep::List),
        2 => (0..4_u64).prop_map(StoreStep::Later),
        1 => Just(StoreStep::Sweep),
        2 => (key.clone(), 1..4_u64).prop_map(|(key, ttl)| StoreStep::Lease(key, ttl)),
        1 => (0..4_usize, 1..4_u64).prop_map(|(at, ttl)| StoreStep::Renew(at, ttl)),
        1 => (0..4_usize).prop_map(StoreStep::Release),
    ];
    proptest::collection::vec(step, 1..40)
}

/// Returns the store's answer to each step. Versions are named by the order in which they were returned.
async fn answers(rig: &TestStore, steps: &[StoreStep]) -> Vec<String> {
    let mut versions: Vec<Version> = Vec::new();
    let mut leases = Vec::new();
    let mut told = Vec::new();
    for step in steps {
        let nth: HashMap<Version, usize> = versions.iter().copied().zip(0..).collect();
        let expect = |wish: StepExpectation| match wish {
            StepExpectation::Anything => ExpectedState::Anything,
            StepExpectation::Absent => ExpectedState::Absent,
            StepExpectation::Version(at) => versions
                .get(at)
                .map_or(ExpectedState::Absent, |version| ExpectedState::Version(*version)),
        };
        let seconds = |ttl: Option<u64>| ttl.map(Duration::from_secs);
        let store = &rig.store;
        told.push(match step {
            StoreStep::Put(key, value, wish, ttl) => {
                let put = store.put(KEYS[*key], value.clone(), expect(*wish), seconds(*ttl)).await;
                let said = format!("{:?}", put.as_ref().map(|_| ()));
                versions.extend(put.ok());
                said
            }
            StoreStep::Touch(key, ttl) => format!("{:?}", store.touch(KEYS[*key], seconds(*ttl)).await),
            StoreStep::Delete(key, wish) => format!("{:?}", store.delete(KEYS[*key], expect(*wish)).await),
            StoreStep::Get(key) => {
                let entry = store.get(KEYS[*key]).await.expect("readable");
                format!(
                    "{:?}",
                    entry.map(|entry| (entry.value, nth[&entry.version], entry.expires))
                )
            }
            StoreStep::List(key) => format!("{:?}", store.list(KEYS[*key].split('/').next().unwrap_or("")).await),
            StoreStep::Later(by) => {
                rig.advance(Duration::from_secs(*by));
                String::new()
            }
            // The counts differ: memory removes an expired entry as soon as it is accessed.
            StoreStep::Sweep => format!("{:?}", store.sweep().await.map(|_| ())),
            StoreStep::Lease(key, ttl) => {
                let lease = store.lease(KEYS[*key], "me", Duration::from_secs(*ttl)).await;
                let said = format!("{lease:?}");
                leases.extend(lease.ok());
                said
            }
            StoreStep::Renew(at, ttl) => match leases.get(*at) {
                Some(lease) => format!("{:?}", store.renew(lease, Duration::from_secs(*ttl)).await),
                None => String::new(),
            },
            StoreStep::Release(at) => match leases.get(*at) {
                Some(lease) => format!("{:?}", store.release(lease).await),
                None => String::new(),
            },
        });
    }
    told.push(format!("{:?}", rig.keys("").await));
    told
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn both_kinds_answer_the_same(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (fs, memory) = runtime.block_on(async {
            (answers(&TestStore::fs(), &steps).await, answers(&TestStore::memory(), &steps).await)
        });
        prop_assert_eq!(fs, memory);
    }
}

// Tests of the store in memory only.

#[tokio::test]
async fn memory_refuses_what_does_not_fit_and_gives_up_nothing_that_lives() {
    let rig = TestStore::new(|_, clock| Arc::new(MemoryStore::new(1_000, clock)));
    rig.put("kept", &"x".repeat(300)).await;
    rig.put_for("short", &"x".repeat(300), Some(SECOND)).await;
    let put = || rig.store.put("more", vec![0; 300], ExpectedState::Anything, None);
    assert!(matches!(put().await, Err(StoreError::Full { limit: 1_000 })));
    assert_eq!(rig.keys("").await, ["kept", "short"]);
    // Replacing counts the difference.
    rig.put("kept", &"x".repeat(400)).await;
    rig.advance(SECOND);
    assert!(put().await.is_ok(), "expired entries make room");
    assert!(
        rig.store
            .delete("kept", ExpectedState::Anything)
            .await
            .expect("answered")
    );
    for round in 0..50 {
        rig.put("more", &"x".repeat(round)).await;
        rig.store
            .put("other", vec![0; 500], ExpectedState::Anything, None)
            .await
            .expect("room");
        rig.store
            .delete("other", ExpectedState::Anything)
            .await
            .expect("answered");
    }
}

#[tokio::test]
async fn memory_counts_an_entry_that_ends_while_it_is_replaced_once() {
    // Each reading of the clock advances it by a millisecond.
    let now = AtomicU64::new(1_800_000_000_000);
    let clock =
        Clock::from_fn(move || SystemTime::UNIX_EPOCH + Duration::from_millis(now.fetch_add(1, Ordering::SeqCst)));
    let store = MemoryStore::new(1_000, clock);
    let put = |size, ttl| store.put("key", vec![0; size], ExpectedState::Anything, ttl);
    put(600, Some(Duration::from_millis(2))).await.expect("room");
    assert!(matches!(put(900, None).await, Err(StoreError::Full { limit: 1_000 })));
    assert!(put(800, None).await.is_ok(), "expired entries make room");
}

// Tests of the store in a folder only.

fn entry_file(rig: &TestStore, key: &str) -> PathBuf {
    rig.dir.path().join("entries").join(super::names::name_of(key))
}

fn reopened(rig: &TestStore) -> TestStore {
    TestStore {
        store: Arc::new(FolderStore::open(rig.dir.path(), clock(&rig.now)).expect("opens")),
        now: Arc::clone(&rig.now),
        dir: tempfile::tempdir().expect("a folder"),
    }
}

#[tokio::test]
async fn the_folder_outlives_the_process() {
    let rig = TestStore::fs();
    let version = rig.put_for("a/b", "value", Some(SECOND * 5)).await;
    let lease = rig.store.lease("novel", "ann", SECOND * 5).await.expect("free");
    let again = reopened(&rig);
    let entry = again.store.get("a/b").await.expect("readable").expect("there");
    assert_eq!((entry.value, entry.version), (b"value".to_vec(), version));
    assert!(matches!(
        again.store.lease("novel", "bob", SECOND).await,
        Err(StoreError::Held { .. })
    ));
    // A write through one handle is visible through the other at once.
    again.put("a/b", "newer").await;
    assert_eq!(rig.value("a/b").await.as_deref(), Some("newer"));
    assert!(again.store.renew(&lease, SECOND).await.is_ok());
}

#[tokio::test]
async fn the_folder_is_its_owners_alone() {
    let rig = TestStore::fs();
    rig.put("a", "value").await;
    rig.store.lease("novel", "ann", SECOND).await.expect("free");
    let mut looked = 0;
    let mut folders = vec![rig.dir.path().to_path_buf()];
    while let Some(folder) = folders.pop() {
        let mode = |path: &Path| fs::symlink_metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in fs::read_dir(&folder).expect("readable").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                assert_eq!(mode(&entry.path()), 0o600, "{}", entry.path().display());
                looked += 1;
            }
        }
    }
    assert!(looked >= 4, "two files and their locks, not {looked}");
}

#[tokio::test]
async fn damaged_and_foreign_files_are_skipped_and_reported() {
    let rig = TestStore::fs();
    for key in ["torn", "changed", "moved", "good"] {
        rig.put(key, "a value of some length").await;
    }
    let whole = fs::read(entry_file(&rig, "torn")).expect("readable");
    fs::write(entry_file(&rig, "torn"), &whole[..whole.len() - 3]).expect("written");
    let mut changed = fs::read(entry_file(&rig, "changed")).expect("readable");
    *changed.last_mut().expect("not empty") ^= 1;
    fs::write(entry_file(&rig, "changed"), changed).expect("written");
    fs::rename(entry_file(&rig, "moved"), entry_file(&rig, "elsewhere")).expect("moved");
    let entries = rig.dir.path().join("entries");
    fs::write(entries.join("empty"), "").expect("written");
    fs::write(entries.join("README"), "hello").expect("written");
    fs::write(entries.join("文"), "hello").expect("written");
    fs::create_dir(entries.join("folder")).expect("made");
    symlink("/etc/passwd", entries.join("link")).expect("linked");
    symlink(entry_file(&rig, "good"), entries.join("inside")).expect("linked");
    let pipe = Command::new("mkfifo")
        .arg(entries.join("pipe"))
        .status()
        .expect("mkfifo of coreutils");
    assert!(pipe.success());
    let expected: Vec<(&str, &str)> = vec![
        ("README", "not a file of a store"),
        ("changed", "it was changed or is damaged"),
        ("elsewhere", "its name belongs to another key"),
        ("empty", "not a file of a store"),
        ("folder", "not a file"),
        ("inside", "not a file"),
        ("link", "not a file"),
        ("pipe", "not a file"),
        ("torn", "it is torn"),
        ("文", "its name is not that of an entry"),
    ];
    let named = |skipped: &[ForeignFile]| -> Vec<(String, &str)> {
        skipped
            .iter()
            .map(|skipped| (skipped.name.clone(), skipped.reason))
            .collect()
    };
    let expected: Vec<(String, &str)> = expected
        .iter()
        .map(|(name, reason)| ((*name).to_owned(), *reason))
        .collect();
    let listing = rig.store.list("").await.expect("listed");
    assert_eq!(listing.keys, ["good"]);
    assert_eq!(named(&listing.skipped), expected);
    let swept = rig.store.sweep().await.expect("swept");
    assert_eq!(named(&swept.skipped), expected, "nothing of it is removed");
    for key in [
        "torn",
        "changed",
        "moved",
        "elsewhere",
        "link",
        "inside",
        "folder",
        "pipe",
    ] {
        assert_eq!(rig.value(key).await, None, "{key}");
    }
    // A new value replaces a damaged one.
    rig.put("torn", "again").await;
    assert_eq!(rig.value("torn").await.as_deref(), Some("again"));
    assert!(Path::new("/etc/passwd").exists());
}

#[tokio::test]
async fn a_damaged_lease_goes_to_a_higher_number() {
    let rig = TestStore::fs();
    let lease = rig.store.lease("novel", "ann", SECOND * 30).await.expect("free");
    fs::write(rig.dir.path().join("leases/novel"), "nothing").expect("written");
    assert!(matches!(rig.store.renew(&lease, SECOND).await, Err(StoreError::Lost)));
    let next = rig.store.lease("novel", "bob", SECOND).await.expect("taken");
    assert!(next.fence > lease.fence);
}

#[tokio::test]
async fn a_folder_that_cannot_be_one_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("file");
    fs::write(&file, "").expect("written");
    for path in [file.join("store"), file] {
        let opened = FolderStore::open(&path, Clock::system());
        assert!(matches!(opened, Err(StoreError::Io { .. })), "{}", path.display());
    }
}

/// A process that only holds a lock must not block this one for ever.
#[tokio::test]
async fn permanently_held_lock_times_out() {
    let short = Duration::from_millis(20);
    let rig = TestStore::new(|dir, clock| Arc::new(FolderStore::open(dir, clock).expect("opens").with_patience(short)));
    rig.put("a", "value").await;
    let locks = fs::read_dir(rig.dir.path().join("locks")).expect("readable").flatten();
    let held: Vec<_> = locks
        .map(|lock| {
            let file = OpenOptions::new().write(true).open(lock.path()).expect("opens");
            file.lock().expect("no other process holds the lock");
            file
        })
        .collect();
    assert_eq!(held.len(), 1);
    assert!(matches!(rig.store.get("a").await, Err(StoreError::Locked)));
    drop(held);
    assert_eq!(rig.value("a").await.as_deref(), Some("value"));
}

// Other processes: this test binary again, with a role set in its environment.

const ROLE: &str = "FUMI_TEST_STORE_ROLE";
const FOLDER: &str = "FUMI_TEST_STORE_FOLDER";

/// Returns the command of another process with a role, over the same folder.
fn other_process(test: &str, role: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("known"));
    command
        .args(["--exact", &format!("store::contract::{test}"), "--nocapture"])
        .env(ROLE, role)
        .env(FOLDER, folder);
    command
}

/// Returns the store of a process that was given a role.
fn own_role() -> Option<(String, FolderStore)> {
    let role = std::env::var(ROLE).ok()?;
    let folder = std::env::var(FOLDER).expect("a role has a folder");
    Some((
        role,
        FolderStore::open(Path::new(&folder), Clock::system()).expect("opens"),
    ))
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_lose_no_increment_and_never_share_a_lease() {
    const TEST: &str = "two_processes_lose_no_increment_and_never_share_a_lease";
    const TIMES: u32 = 40;
    let work = |store: FolderStore, folder: PathBuf| async move {
        increment(&store, TIMES).await;
        // A plain file, read and written without any precaution: only the lease protects it.
        let plain = folder.join("plain");
        for _ in 0..TIMES {
            let lease = wait_for_lease(&store, "somebody").await;
            let text = fs::read_to_string(&plain).unwrap_or_default();
            let (count, fence) = text.split_once(' ').unwrap_or(("0", "0"));
            let (count, fence): (u32, u64) = (count.parse().expect("a number"), fence.parse().expect("a number"));
            assert!(lease.fence > fence, "{} after {fence}", lease.fence);
            fs::write(&plain, format!("{} {}", count + 1, lease.fence)).expect("written");
            store.release(&lease).await.expect("answered");
        }
    };
    if let Some((_, store)) = own_role() {
        let folder = PathBuf::from(std::env::var(FOLDER).expect("a role has a folder"));
        return work(store, folder).await;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let mut other = other_process(TEST, "count", dir.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("starts");
    let store = FolderStore::open(dir.path(), Clock::system()).expect("opens");
    work(store, dir.path().to_path_buf()).await;
    assert!(other.wait().expect("ends").success());
    let store = FolderStore::open(dir.path(), Clock::system()).expect("opens");
    let count = store.get("count").await.expect("readable").expect("there");
    assert_eq!(count.value, (2 * TIMES).to_string().into_bytes());
    let plain = fs::read_to_string(dir.path().join("plain")).expect("readable");
    assert!(plain.starts_with(&format!("{} ", 2 * TIMES)), "{plain}");
}

/// Tests that the store starts again, instead of failing, if its folder was removed by hand or its volume mounted
/// again.
#[tokio::test]
async fn a_folder_that_was_removed_is_made_anew() {
    let outer = tempfile::tempdir().expect("a folder");
    let folder = outer.path().join("state");
    let store = FolderStore::open(&folder, Clock::system()).expect("opens");
    let put = |value: &[u8]| store.put("a", value.to_vec(), ExpectedState::Anything, None);
    put(b"old").await.expect("put");
    fs::remove_dir_all(&folder).expect("removed");
    assert_eq!(store.get("a").await.expect("nothing is broken"), None);
    put(b"new").await.expect("put");
    let other = FolderStore::open(&folder, Clock::system()).expect("opens");
    assert_eq!(other.get("a").await.expect("readable").expect("there").value, b"new");
}

/// A writer is killed while it writes, round after round: a reader without any lock sees only values that were written
/// completely.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_writer_leaves_the_old_or_the_new_value() {
    const TEST: &str = "a_killed_writer_leaves_the_old_or_the_new_value";
    const SIZE: usize = 300_000;
    if let Some((_, store)) = own_role() {
        for round in (0..=u8::MAX).cycle() {
            let value = vec![round; SIZE];
            store
                .put("a", value, ExpectedState::Anything, None)
                .await
                .expect("it is put");
        }
    }
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("entries").join(super::names::name_of("a"));
    let is_whole = |value: &[u8]| value.len() == SIZE && value.iter().all(|byte| *byte == value[0]);
    let mut leftovers = 0;
    for round in 1..=12 {
        let store = FolderStore::open(dir.path(), Clock::system()).expect("opens");
        store
            .put("a", vec![0; SIZE], ExpectedState::Anything, None)
            .await
            .expect("the killed process left no lock");
        let mut writer = other_process(TEST, "write", dir.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("starts");
        let mut seen = BTreeSet::new();
        while seen.len() < round {
            assert!(
                writer.try_wait().expect("known").is_none(),
                "it ended before it was killed"
            );
            let bytes = fs::read(&file).expect("always there");
            let record = super::record::StoreRecord::parse(&bytes).expect("always whole");
            assert!(is_whole(&record.value), "a mixture");
            seen.insert(record.value[0]);
        }
        writer.kill().expect("killed");
        writer.wait().expect("ends");
        let listing = store.list("").await.expect("listed");
        assert_eq!((listing.keys, listing.skipped), (vec!["a".to_owned()], Vec::new()));
        assert!(is_whole(&store.get("a").await.expect("readable").expect("there").value));
        leftovers += store.sweep().await.expect("swept").leftovers;
        let files = fs::read_dir(dir.path().join("entries")).expect("readable").count();
        assert_eq!(files, 1, "unfinished files are left");
    }
    // Not only by chance: also a leftover of a crash in the middle of writing.
    let name = super::names::name_of("a");
    fs::write(dir.path().join("entries/.new-3-0123456789abcdef"), &name).expect("written");
    fs::write(dir.path().join("leases/.new-4-0123456789abcdef"), &name).expect("written");
    let store = FolderStore::open(dir.path(), Clock::system()).expect("opens");
    assert_eq!(store.list("").await.expect("listed").skipped, []);
    assert_eq!(store.sweep().await.expect("swept").leftovers, 2);
    println!("{leftovers} unfinished files in 12 rounds");
}
