//! Random steps on a store of each kind: the same steps in any order must give the same results.

use std::{collections::HashMap, time::Duration};

use proptest::prelude::*;

use super::TestStore;
use crate::store::{ExpectedState, Lease, StoreError, Version};

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

/// Shows a lease without its number, which counts up from 1 in some kinds only.
fn shown(lease: &Result<Lease, StoreError>) -> String {
    match lease {
        Ok(lease) => format!("{:?}", Lease { fence: 0, ..lease.clone() }),
        Err(error) => format!("{error:?}"),
    }
}

/// Returns the store's answer to each step. Versions are named by the order in which they were returned.
async fn answers(rig: &TestStore, steps: &[StoreStep]) -> Vec<String> {
    let mut versions: Vec<Version> = Vec::new();
    let mut leases: Vec<Lease> = Vec::new();
    let mut told = Vec::new();
    for step in steps {
        let nth: HashMap<Version, usize> = versions.iter().copied().zip(0..).collect();
        let expect = |wish: StepExpectation| match wish {
            StepExpectation::Anything => ExpectedState::Anything,
            StepExpectation::Absent => ExpectedState::Absent,
            StepExpectation::Version(at) => {
                versions.get(at).map_or(ExpectedState::Absent, |version| ExpectedState::Version(*version))
            }
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
                format!("{:?}", entry.map(|entry| (entry.value, nth[&entry.version], entry.expires)))
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
                let said = shown(&lease);
                if let Ok(lease) = lease {
                    let before = leases.iter().filter(|last: &&Lease| last.name == lease.name);
                    assert!(before.map(|last| last.fence).max() < Some(lease.fence), "a number came back");
                    leases.push(lease);
                }
                said
            }
            StoreStep::Renew(at, ttl) => match leases.get(*at) {
                Some(lease) => shown(&store.renew(lease, Duration::from_secs(*ttl)).await),
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

fn compare(kinds: [fn() -> TestStore; 2], steps: &[StoreStep]) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let [one, other] = kinds.map(|kind| runtime.block_on(async { answers(&kind(), steps).await }));
    prop_assert_eq!(one, other);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn folder_and_memory_answer_the_same(steps in steps()) {
        compare([TestStore::fs, TestStore::memory], &steps)?;
    }

    #[test]
    #[ignore = "needs redis-server"]
    fn memory_and_redis_answer_the_same(steps in steps()) {
        compare([TestStore::memory, TestStore::redis], &steps)?;
    }
}
