//! Seals without a server: a seal opens only unchanged, and every unchanged seal opens.

use std::{path::Path, sync::Arc, time::Duration};

use fumi::mcp::request_state::{RequestStateCodec, StateBinding};
use fumi_base::store::memory::MemoryStore;
use fumi_config::{Secret, StateKey};
use proptest::{
    prelude::*,
    sample::Index,
    test_runner::{Config as RunnerConfig, RngSeed, TestRunner},
};
use serde_json::{Map, json};

/// A change that an attacker may make to a seal.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Replace(Index, char),
    Insert(Index, char),
    Remove(Index),
    Cut(Index),
    Swap(Index, Index),
    /// The end of another seal in the place of its own.
    Splice(Index),
}

pub(super) fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    let sign = prop_oneof![
        6 => proptest::char::range('a', 'z'),
        6 => proptest::char::range('A', 'Z'),
        6 => proptest::char::range('0', '9'),
        1 => proptest::sample::select(vec!['.', '-', '_', '=', '+', '/', ' ', '\n', '\0', '日']),
    ];
    prop_oneof![
        4 => (index(), sign.clone()).prop_map(|(at, sign)| Change::Replace(at, sign)),
        2 => (index(), sign).prop_map(|(at, sign)| Change::Insert(at, sign)),
        1 => index().prop_map(Change::Remove),
        1 => index().prop_map(Change::Cut),
        1 => (index(), index()).prop_map(|(one, other)| Change::Swap(one, other)),
        1 => index().prop_map(Change::Splice),
    ]
}

/// Returns the seal after the change. An empty seal stays empty.
pub(super) fn changed(seal: &str, other: &str, change: &Change) -> String {
    let mut signs: Vec<char> = seal.chars().collect();
    if signs.is_empty() {
        return String::new();
    }
    let length = signs.len();
    match change {
        Change::Replace(at, sign) => signs[at.index(length)] = *sign,
        Change::Insert(at, sign) => signs.insert(at.index(length + 1), *sign),
        Change::Remove(at) => drop(signs.remove(at.index(length))),
        Change::Cut(at) => signs.truncate(at.index(length)),
        Change::Swap(one, other) => signs.swap(one.index(length), other.index(length)),
        Change::Splice(at) => {
            let at = at.index(length);
            signs.truncate(at);
            signs.extend(other.chars().skip(at));
        }
    }
    signs.into_iter().collect()
}

fn seals(ttl: Duration) -> RequestStateCodec {
    let store = Arc::new(MemoryStore::default());
    RequestStateCodec::new(&StateKey::from_config(&Secret::default()).unwrap(), ttl, store)
}

#[test]
fn no_change_of_a_seal_opens() {
    let seals = seals(Duration::from_mins(10));
    let arguments = json!({"topic": "rain"});
    let bound = StateBinding {
        principal: "alice",
        project: Path::new("/srv/novel"),
        method: "tools/call",
        name: "compose",
        arguments: arguments.as_object().unwrap(),
    };
    let changes = proptest::collection::vec(change(), 1..4);
    let seed = std::env::var("FUMI_PROPERTY_SEED").ok().and_then(|seed| seed.parse().ok());
    let config = RunnerConfig { cases: 2_000, rng_seed: RngSeed::Fixed(seed.unwrap_or(5)), ..RunnerConfig::default() };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    TestRunner::new(config)
        .run(&(changes, "[a-z]{0,40}"), |(changes, content)| {
            let seal = seals.seal(&content, &bound);
            let other = seals.seal("another", &bound);
            let forged = changes.iter().fold(seal.clone(), |seal, change| changed(&seal, &other, change));
            let is_same = forged == seal || forged == other;
            let opens = runtime.block_on(seals.open::<String>(&forged, &bound)).is_ok();
            prop_assert_eq!(opens, is_same, "{}", forged);
            Ok(())
        })
        .unwrap();
    // The unchanged seals do open.
    for content in ["", "rain", "日本語"] {
        let seal = seals.seal(content, &bound);
        let opened = runtime.block_on(seals.open::<String>(&seal, &bound));
        assert_eq!(opened.unwrap().0, content);
    }
}

/// The bindings of two different calls never have the same bytes, however their parts are cut.
#[tokio::test]
async fn parts_of_a_call_do_not_run_together() {
    let seals = seals(Duration::from_mins(10));
    let nothing = Map::new();
    let bound = |principal, project| StateBinding {
        principal,
        project: Path::new(project),
        method: "tools/call",
        name: "compose",
        arguments: &nothing,
    };
    let seal = seals.seal(1, &bound("alice", "/srv/novel"));
    assert!(seals.open::<i32>(&seal, &bound("alice/srv", "/novel")).await.is_err());
    let (opened, _) = seals.open::<i32>(&seal, &bound("alice", "/srv/novel")).await.unwrap();
    assert_eq!(opened, 1);
    assert!(seals.open::<i32>(&seal, &bound("alice", "/srv/novel")).await.is_err(), "a second time");
}

/// A state of another kind than the expected one is refused too, and is not used up.
#[tokio::test]
async fn a_state_of_another_form_does_not_open() {
    let seals = seals(Duration::from_mins(10));
    let nothing = Map::new();
    let bound = StateBinding {
        principal: "",
        project: Path::new("/"),
        method: "tools/call",
        name: "compose",
        arguments: &nothing,
    };
    let seal = seals.seal("text", &bound);
    assert!(seals.open::<i32>(&seal, &bound).await.is_err());
    // Sealing the same content twice gives different seals.
    assert_ne!(seals.seal("text", &bound), seals.seal("text", &bound));
}
