//! The official conformance suite as a program: its folder, its pinned counts, and its results.
//!
//! Its verdicts are read from the files that it writes, one for each scenario, not from its output.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde::Deserialize;
use serde_json::Value;

/// The pinned versions and expected counts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pinned {
    pub(super) suite: String,
    pub(super) node: String,
    pub(super) fixture: BTreeMap<String, Counts>,
    pub(super) fumi: BTreeMap<String, Own>,
}

/// For the fixture: everything that the suite runs for a revision.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Counts {
    pub(super) scenarios: usize,
    pub(super) passed: usize,
    pub(super) skipped: Vec<String>,
}

/// For fumi itself: the scenarios that work without the fixture.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Own {
    pub(super) scenarios: Vec<String>,
    pub(super) passed: usize,
}

impl Pinned {
    pub(super) fn read() -> Self {
        toml::from_str(include_str!("pinned.toml")).unwrap()
    }
}

/// The results of one scenario.
#[derive(Debug, Default)]
pub(super) struct Scenario {
    pub(super) passed: usize,
    /// Checks that failed, with the reasons.
    pub(super) failed: Vec<String>,
    /// Checks that the suite only warns of.
    pub(super) warned: Vec<String>,
    /// Checks that the suite itself skips.
    pub(super) skipped: Vec<String>,
}

/// The results of a run of the suite.
#[derive(Debug)]
pub(super) struct Found {
    /// The suite's own verdict on the revision's requirements.
    pub(super) conforms: bool,
    pub(super) scenarios: BTreeMap<String, Scenario>,
}

/// Returns the folder in which `./test` installs programs that only the tests need.
fn cache() -> PathBuf {
    let home = || PathBuf::from(env::var_os("HOME").unwrap()).join(".cache");
    env::var_os("FUMI_CACHE")
        .map_or_else(|| env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("fumi"), PathBuf::from)
}

/// Returns the folder of a package that `./test` installs, in the pinned version.
fn package(name: &str, version: &str) -> PathBuf {
    let folder = cache().join("node/node_modules").join(name);
    let manifest = fs::read_to_string(folder.join("package.json")).unwrap_or_default();
    let found = serde_json::from_str::<Value>(&manifest).unwrap_or_default();
    assert_eq!(
        found["version"].as_str(),
        Some(version),
        "{name} {version} is not in {}; ./test installs it",
        folder.display()
    );
    folder
}

/// Runs every scenario of a revision against a server.
pub(super) fn run(url: &str, revision: &str) -> Found {
    let pinned = Pinned::read();
    let node = package("node", &pinned.node).join("bin/node");
    let suite = package("@modelcontextprotocol/conformance", &pinned.suite).join("dist/index.js");
    let found = tempfile::tempdir().unwrap();
    let ran = Command::new(node)
        .arg(suite)
        .args(["server", "--url", url, "--requirements", revision, "--output-dir"])
        .arg(found.path())
        .output()
        .unwrap();
    let scenarios = read(found.path());
    assert!(
        !scenarios.is_empty(),
        "the suite wrote nothing: {}{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
    Found { conforms: ran.status.success(), scenarios }
}

/// The folders are named `server-SCENARIO-TIME`; the time is in ISO 8601 with dashes.
fn read(folder: &Path) -> BTreeMap<String, Scenario> {
    let time = regex::Regex::new(r"-\d{4}-\d{2}-\d{2}T[\dZ-]+$").unwrap();
    let mut scenarios = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        // Names of scenarios may begin with the same word again.
        let name = name.strip_prefix("server-").unwrap_or(&name);
        let name = time.replace(name, "").into_owned();
        // A scenario that was aborted has a folder but no verdict: it is not counted.
        let Ok(checks) = fs::read_to_string(entry.path().join("checks.json")) else {
            continue;
        };
        let checks: Vec<Value> = serde_json::from_str(&checks).unwrap();
        let mut scenario = Scenario::default();
        for check in checks {
            let says = format!("{name}: {}: {}", check["id"], check["errorMessage"]);
            match check["status"].as_str() {
                Some("SUCCESS") => scenario.passed += 1,
                Some("FAILURE") => scenario.failed.push(says),
                Some("WARNING") => scenario.warned.push(says),
                Some("SKIPPED") => scenario.skipped.push(check["id"].as_str().unwrap().to_owned()),
                Some("INFO") => {}
                _ => panic!("a check without a verdict: {check}"),
            }
        }
        assert!(scenarios.insert(name.clone(), scenario).is_none(), "{name} ran twice");
    }
    scenarios
}
