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

use fumi::app::App;
use suite::{Found, Pinned, Scenario};

use crate::{harness::Server, sample::Sample};

/// Runs the suite while the server runs.
async fn found(server: &Server, revision: &'static str) -> Found {
    let url = server.url();
    let found = tokio::task::spawn_blocking(move || suite::run(&url, revision)).await.unwrap();
    let running = server.edge.sessions.running_calls();
    assert_eq!(running, 0, "calls are running without a client");
    found
}

async fn fixture_conforms(revision: &'static str) {
    let sample = Sample::new();
    let app = sample.app();
    let everything = everything::Everything::new(Arc::clone(&app));
    let server = Server::start_with(Arc::clone(&app), move || everything.clone()).await;
    let Found { conforms, scenarios } = found(&server, revision).await;
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
    let mut scenarios = found(&server, revision).await.scenarios;
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
    fixture_conforms("2025-11-25").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Node.js"]
async fn the_edge_conforms_to_2026_07_28() {
    fixture_conforms("2026-07-28").await;
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
