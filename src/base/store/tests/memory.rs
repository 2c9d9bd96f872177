//! Tests of the store in memory only: its limit.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use super::{SECOND, TestStore};
use crate::store::{Clock, ExpectedState, Store as _, StoreError, memory::MemoryStore};

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
    assert!(rig.store.delete("kept", ExpectedState::Anything).await.expect("answered"));
    for round in 0..50 {
        rig.put("more", &"x".repeat(round)).await;
        rig.store.put("other", vec![0; 500], ExpectedState::Anything, None).await.expect("room");
        rig.store.delete("other", ExpectedState::Anything).await.expect("answered");
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
