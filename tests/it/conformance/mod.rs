//! The official conformance suite, in both eras: a fixture behind fumi's router, layers and sessions, and fumi itself.
//!
//! `./test` installs the suite and runs these; `./test fast` does not. What is counted stands in `pinned.toml`.

#![expect(deprecated, reason = "the suite asks for what the stateless era deprecates")]

mod everything;
mod plain;
mod prompts;
mod questions;
mod suite;
mod tasks;

use std::{collections::BTreeMap, sync::Arc};

use fumi::app::App;
use suite::{Pinned, Scenario};

use crate::{harness::Server, sample::Sample};

/// Runs the suite while the server goes on.
async fn scenarios(server: &Server, revision: &'static str) -> BTreeMap<String, Scenario> {
    let url = server.url();
    let scenarios = tokio::task::spawn_blocking(move || suite::run(&url, revision))
        .await
        .unwrap();
    let running = server.edge.streams.running_calls();
    assert_eq!(running, 0, "calls are running that nobody waits for");
    scenarios
}

async fn fixture_conforms(revision: &'static str) {
    let sample = Sample::new();
    let app = sample.app();
    let everything = everything::Everything::new(&app.state_key);
    let server = Server::start_with(Arc::clone(&app), move || everything.clone()).await;
    let scenarios = scenarios(&server, revision).await;
    let failed: Vec<_> = scenarios.values().flat_map(|scenario| &scenario.failed).collect();
    let warned: Vec<_> = scenarios.values().flat_map(|scenario| &scenario.warned).collect();
    let passed: usize = scenarios.values().map(|scenario| scenario.passed).sum();
    println!(
        "{revision}: {} scenarios, {passed} checks passed, {} failed, {} warnings",
        scenarios.len(),
        failed.len(),
        warned.len()
    );
    let pinned = Pinned::read().fixture[revision];
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(warned.is_empty(), "{warned:#?}");
    assert!(
        scenarios.len() >= pinned.scenarios,
        "only {} scenarios ran: {:?}",
        scenarios.len(),
        scenarios.keys()
    );
    assert!(passed >= pinned.passed, "only {passed} checks passed");
}

async fn fumi_conforms(app: Arc<App>, revision: &'static str) {
    let server = Server::start(app).await;
    let mut scenarios = scenarios(&server, revision).await;
    let pinned = Pinned::read().fumi[revision].clone();
    let mut passed = 0;
    for name in &pinned.scenarios {
        let scenario = scenarios.remove(name).unwrap_or_else(|| panic!("{name} did not run"));
        assert!(
            scenario.failed.is_empty() && scenario.warned.is_empty(),
            "{name}: {scenario:?}"
        );
        assert!(scenario.passed > 0, "{name} checked nothing");
        passed += scenario.passed;
    }
    println!(
        "{revision}, fumi itself: {} scenarios, {passed} checks passed",
        pinned.scenarios.len()
    );
    assert_eq!(passed, pinned.passed);
    // What passes without being pinned would be lost without a sound.
    let more: Vec<_> = scenarios
        .iter()
        .filter(|(_, scenario)| scenario.failed.is_empty() && scenario.warned.is_empty() && scenario.passed > 0)
        .map(|(name, scenario)| (name, scenario.passed))
        .collect();
    assert!(more.is_empty(), "these pass too, and belong into pinned.toml: {more:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_edge_conforms_to_2025_11_25() {
    fixture_conforms("2025-11-25").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_edge_conforms_to_2026_07_28() {
    fixture_conforms("2026-07-28").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fumi_conforms_to_2025_11_25() {
    fumi_conforms(Sample::new().app(), "2025-11-25").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fumi_conforms_to_2026_07_28() {
    fumi_conforms(Sample::new().app(), "2026-07-28").await;
}
