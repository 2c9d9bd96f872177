//! The contract of all kinds of stores: the same tests for each. A new kind adds one line to `contract!`.

use std::{
    collections::BTreeSet,
    fs,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use super::{SECOND, TestStore, all, increment, wait_for_lease};
use crate::store::{ExpectedState, Lease, MAX_KEY_BYTES, MAX_VALUE_BYTES, StoreError};

/// Generates a module of tests for each kind.
macro_rules! contract {
    ($behaviours:tt) => {
        mod of_each {
            contract!(fs $behaviours);
            contract!(memory $behaviours);
            contract!(redis $behaviours #[ignore = "needs redis-server"]);
        }
    };
    ($kind:ident $behaviours:tt) => {
        contract!($kind $behaviours #[doc = "Needs no other program."]);
    };
    ($kind:ident [$($behaviour:ident)*] #$needs:tt) => {
        mod $kind {
            use super::super::TestStore;
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                #$needs
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
    let version = rig.store.put("a", bytes.clone(), ExpectedState::Anything, None).await.expect("it is put");
    let entry = rig.store.get("a").await.expect("readable").expect("there");
    assert_eq!((entry.value, entry.version, entry.expires), (bytes, version, None));
    assert_ne!(rig.put("a", "").await, version);
    assert_eq!(rig.value("a").await.as_deref(), Some(""));
}

async fn a_put_happens_in_the_expected_state_only(rig: TestStore) {
    let put = |expect| rig.store.put("a", b"new".to_vec(), expect, None);
    let conflict = |result| matches!(result, Err(StoreError::Conflict));
    let other = rig.put("other", "").await;
    assert!(conflict(put(ExpectedState::Version(other)).await), "the entry does not exist");
    let first = put(ExpectedState::Absent).await.expect("absent");
    assert!(conflict(put(ExpectedState::Absent).await));
    let second = put(ExpectedState::Version(first)).await.expect("as expected");
    assert!(conflict(put(ExpectedState::Version(first)).await), "a version from before");
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
    assert_eq!(ends, SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(1_800_000_001)));
    rig.advance(Duration::from_millis(999));
    assert_eq!(rig.value("a").await.as_deref(), Some("short"));
    rig.advance(Duration::from_millis(1));
    assert_eq!(rig.value("a").await, None);
    assert_eq!(rig.keys("").await, ["b"]);
    assert!(!rig.store.touch("a", None).await.expect("answered"), "the entry came back");
    assert!(!rig.store.delete("a", ExpectedState::Anything).await.expect("answered"));
    let expected = ExpectedState::Version(version);
    assert!(matches!(rig.store.put("a", Vec::new(), expected, None).await, Err(StoreError::Conflict)));
    assert!(rig.store.put("a", Vec::new(), ExpectedState::Absent, None).await.is_ok());
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
            assert!(rig.store.delete("a", ExpectedState::Version(version)).await.expect("answered"));
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
        assert!(rig.store.delete(key, ExpectedState::Anything).await.expect("answered"), "{key}");
    }
    assert_eq!(rig.keys("").await, [""; 0]);
    let above: Vec<_> = fs::read_dir(rig.dir.path().parent().expect("a parent")).expect("readable").collect();
    assert!(above.iter().flatten().all(|entry| entry.file_name() != "etc"));
}

async fn what_cannot_be_stored_is_refused(rig: TestStore) {
    let longest = "k".repeat(MAX_KEY_BYTES);
    rig.put(&longest, "").await;
    for key in ["", &format!("{longest}k")] {
        assert!(matches!(rig.store.get(key).await, Err(StoreError::Key { .. })));
        let put = rig.store.put(key, Vec::new(), ExpectedState::Anything, None).await;
        assert!(matches!(put, Err(StoreError::Key { .. })));
        assert!(matches!(rig.store.lease(key, "me", SECOND).await, Err(StoreError::Key { .. })));
    }
    let large = vec![0; MAX_VALUE_BYTES + 1];
    let put = rig.store.put("a", large, ExpectedState::Anything, None).await;
    assert!(matches!(put, Err(StoreError::TooLarge { .. })));
    assert_eq!(rig.value("a").await, None);
    assert!(rig.store.put("a", vec![0; MAX_VALUE_BYTES], ExpectedState::Anything, None).await.is_ok());
}

async fn what_is_deleted_is_gone(rig: TestStore) {
    let first = rig.put("a", "1").await;
    let second = rig.put("a", "2").await;
    let stale = rig.store.delete("a", ExpectedState::Version(first)).await;
    assert!(matches!(stale, Err(StoreError::Conflict)));
    assert_eq!(rig.value("a").await.as_deref(), Some("2"));
    assert!(rig.store.delete("a", ExpectedState::Version(second)).await.expect("answered"));
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
    assert!(matches!(rig.store.lease("novel", "bob", SECOND).await, Err(StoreError::Held { .. })));
    rig.store.release(&renewed).await.expect("answered");
    let next = rig.store.lease("novel", "bob", SECOND).await.expect("given back");
    assert!(next.fence > lease.fence);
    rig.store.release(&lease).await.expect("nothing");
    assert!(
        matches!(rig.store.lease("novel", "cat", SECOND).await, Err(StoreError::Held { .. })),
        "a lost one is nothing"
    );
}

async fn a_lease_that_ended_is_lost(rig: TestStore) {
    let lost = rig.store.lease("novel", "ann", SECOND).await.expect("free");
    rig.advance(SECOND);
    assert!(matches!(rig.store.renew(&lost, SECOND).await, Err(StoreError::Lost)), "the lease is free");
    let taken = rig.store.lease("novel", "bob", SECOND).await.expect("it ended");
    assert!(taken.fence > lost.fence, "taken over with a higher number");
    assert!(matches!(rig.store.renew(&lost, SECOND).await, Err(StoreError::Lost)));
    rig.store.release(&taken).await.expect("answered");
    assert!(matches!(rig.store.renew(&taken, SECOND).await, Err(StoreError::Lost)), "given back");
    rig.advance(SECOND * 1_000);
    rig.store.sweep().await.expect("swept");
    let after = rig.store.lease("novel", "ann", SECOND).await.expect("free");
    assert!(after.fence > taken.fence, "the number survives sweeping");
    let never = Lease { name: "never".to_owned(), ..after };
    assert!(matches!(rig.store.renew(&never, SECOND).await, Err(StoreError::Lost)));
    rig.store.release(&never).await.expect("nothing");
}

async fn a_holder_who_is_gone_is_evicted(rig: TestStore) {
    assert!(!rig.store.evict("novel", "ann").await.expect("answered"), "the lease is free");
    let gone = rig.store.lease("novel", "ann", SECOND * 30).await.expect("free");
    assert!(!rig.store.evict("novel", "bob").await.expect("answered"), "it is ann's");
    assert!(rig.store.evict("novel", "ann").await.expect("answered"));
    let next = rig.store.lease("novel", "bob", SECOND * 30).await.expect("free again");
    assert!(next.fence > gone.fence);
    assert!(!rig.store.evict("novel", "ann").await.expect("answered"), "it is bob's now");
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
    assert_eq!(fences.iter().collect::<BTreeSet<_>>().len(), 16, "two leases have the same number");
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
