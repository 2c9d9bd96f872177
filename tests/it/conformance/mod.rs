//! The official conformance suite, in both eras: a fixture behind fumi's router, layers and sessions, and fumi itself.
//!
//! `./test` installs the suite and runs these; `./test fast` does not. The expected counts are in `pinned.toml`.

#![expect(deprecated, reason = "the suite asks for what the stateless era deprecates")]

mod everything;
mod plain;
mod prompts;
mod questions;
mod suite;
mod tasks;

use std::sync::Arc;

use fumi::{app::App, state::State};
use fumi_base::store::redis::{KeySpace, RedisAddress, RedisStore};
use fumi_config::StoreKind;
use suite::{Found, Pinned, Scenario};
use tokio::sync::broadcast;

use crate::{harness::Server, redis_server::RedisServer, replicas::balancer::Balancer, sample::Sample};

/// Runs the suite while the servers run.
async fn found(servers: &[Server], url: String, revision: &'static str) -> Found {
    let found = tokio::task::spawn_blocking(move || suite::run(&url, revision)).await.unwrap();
    let running: usize = servers.iter().map(|server| server.edge.sessions.running_calls()).sum();
    assert_eq!(running, 0, "calls are running without a client");
    found
}

/// Runs the suite against replicas, of which each gets the next request; with one, against that server itself.
async fn fixture_conforms(replicas: usize, revision: &'static str) {
    let sample = Sample::new();
    let changed = broadcast::Sender::new(16);
    let redis = (replicas > 1).then(|| RedisServer::start(&[]));
    let mut servers = Vec::new();
    for _ in 0..replicas {
        let state = redis.as_ref().map_or_else(State::in_memory, |redis| {
            let address = RedisAddress::parse(&format!("redis://127.0.0.1:{}", redis.port)).unwrap();
            let store = RedisStore::new(address, KeySpace::parse("fumi").unwrap()).unwrap();
            State { store: Arc::new(store), ..State::in_memory() }
        });
        let app = sample.app_by(state, crate::program::parsers(), &[], |config| {
            if replicas > 1 {
                config.store.kind = StoreKind::Redis;
                config.server.state_key = "0123456789abcdef0123456789abcdef".to_owned().into();
            }
        });
        let everything = everything::Everything::new(Arc::clone(&app), changed.clone());
        servers.push(Server::start_with(app, move || everything.clone()).await);
    }
    let balancer = Balancer::start(servers.iter().map(|server| server.base.clone()).collect()).await;
    let url = if replicas > 1 { balancer.url() } else { servers[0].url() };
    let Found { conforms, scenarios } = found(&servers, url, revision).await;
    let all = |of: fn(&Scenario) -> &Vec<String>| -> Vec<String> { scenarios.values().flat_map(of).cloned().collect() };
    let (failed, warned) = (all(|scenario| &scenario.failed), all(|scenario| &scenario.warned));
    let skipped = all(|scenario| &scenario.skipped);
    let passed: usize = scenarios.values().map(|scenario| scenario.passed).sum();
    println!(
        "{revision}: {} scenarios, {passed} checks passed, {} failed, {} warnings, {} left out by the suite",
        scenarios.len(),
        failed.len(),
        warned.len(),
        skipped.len()
    );
    let pinned = &Pinned::read().fixture[revision];
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(warned.is_empty(), "{warned:#?}");
    assert_eq!(scenarios.len(), pinned.scenarios, "other scenarios ran than are pinned: {:?}", scenarios.keys());
    assert_eq!(passed, pinned.passed, "other checks passed than are pinned");
    assert_eq!(skipped, pinned.skipped);
    assert!(conforms, "the suite itself reports a failure");
}

async fn fumi_conforms(app: Arc<App>, revision: &'static str) {
    let server = Server::start(app).await;
    let url = server.url();
    let mut scenarios = found(&[server], url, revision).await.scenarios;
    let pinned = Pinned::read().fumi[revision].clone();
    let is_good = |scenario: &Scenario| scenario.failed.is_empty() && scenario.warned.is_empty() && scenario.passed > 0;
    let mut passed = 0;
    for name in &pinned.scenarios {
        let scenario = scenarios.remove(name).unwrap_or_else(|| panic!("{name} did not run"));
        assert!(is_good(&scenario), "{name}: {scenario:?}");
        passed += scenario.passed;
    }
    println!("{revision}, fumi itself: {} scenarios, {passed} checks passed", pinned.scenarios.len());
    assert_eq!(passed, pinned.passed);
    // A scenario that passes without being pinned could fail later without notice.
    let more: Vec<_> = scenarios
        .iter()
        .filter(|(_, scenario)| is_good(scenario))
        .map(|(name, scenario)| (name, scenario.passed))
        .collect();
    assert!(more.is_empty(), "these pass too, and belong into pinned.toml: {more:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Node.js"]
async fn the_edge_conforms_to_2025_11_25() {
    fixture_conforms(1, "2025-11-25").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Node.js"]
async fn two_replicas_conform_to_2025_11_25() {
    fixture_conforms(2, "2025-11-25").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Node.js"]
async fn four_replicas_conform_to_2025_11_25() {
    fixture_conforms(4, "2025-11-25").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Node.js"]
async fn the_edge_conforms_to_2026_07_28() {
    fixture_conforms(1, "2026-07-28").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Node.js"]
async fn two_replicas_conform_to_2026_07_28() {
    fixture_conforms(2, "2026-07-28").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Node.js"]
async fn four_replicas_conform_to_2026_07_28() {
    fixture_conforms(4, "2026-07-28").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Node.js"]
async fn fumi_conforms_to_2025_11_25() {
    fumi_conforms(Sample::new().app(), "2025-11-25").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Node.js"]
async fn fumi_conforms_to_2026_07_28() {
    fumi_conforms(Sample::new().app(), "2026-07-28").await;
}
