//! What the browser tools cost beside Playwright MCP, in one run on one machine: `./bench browser` runs this and rewrites
//! docs/browser-benchmarks.md and the figures in docs/saving-tokens.md.
//!
//! Invariant: both programs drive the same Chromium over the same pages by the same calls over HTTP, in turns, and what a page
//! says at the end is looked at; a flow that did not arrive ends the run. Nothing here asserts a speed: bars are printed beside
//! the figures. The program of this build is measured as it is; without browser tools its columns stay empty.

#![allow(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    missing_docs,
    reason = "a program for developers: it starts its peers, and a failure is a message that ends it"
)]

mod client;
mod eight;
mod flow;
#[path = "../shared/inputs.rs"]
mod inputs;
mod killed;
mod login;
mod measure;
mod memory;
mod peers;
mod processes;
mod report;
mod savings;
#[expect(dead_code, reason = "tests ask more of the site than a benchmark does")]
#[path = "../../tests/it/browser/site.rs"]
mod site;
mod snapshots;

use std::{path::Path, time::Duration};

use peers::{Fumi, Peer, Playwright, Running, WHOLE};
use site::Site;

/// A program with a server of it that runs.
struct Started {
    peer: Box<dyn Peer>,
    running: Running,
    /// What the server writes goes here; kept as long as it runs.
    _folder: tempfile::TempDir,
}

/// What all parts need.
struct Bench {
    started: Vec<Started>,
    site: Site,
    /// How often everything is repeated; fewer for a quick look.
    rounds: usize,
}

impl Started {
    fn new(peer: Box<dyn Peer>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self {
            running: peer.start(folder.path()),
            peer,
            _folder: folder,
        }
    }
}

#[tokio::main]
async fn main() {
    // `cargo bench` and `cargo test --benches` pass flags of the usual harness; the first word is a filter.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_whole = words.is_empty();
    let wanted = |part: &str| is_whole || words.iter().any(|word| part.contains(word.as_str()));
    let rounds = std::env::var("FUMI_BENCH_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = vec![root.join("benches/browser/pages"), root.join("tests/fixtures/browser")];

    let mut bench = Bench {
        started: vec![Started::new(Box::new(Playwright::find()))],
        site: Site::start_with(folders).await,
        rounds: rounds.unwrap_or(7),
    };
    let ours = Started::new(Box::new(Fumi { chromium: None }));
    let tools = ours.running.session(Duration::ZERO).await.tools().await;
    assert!(
        tools.iter().any(|tool| tool == "browser_navigate"),
        "fumi lists no browser tools: {tools:?}"
    );
    bench.started.push(ours);

    let mut report = report::Report::default();
    if wanted("login") {
        login::run(&bench, &mut report).await;
    }
    if wanted("snapshots") {
        snapshots::run(&bench, &mut report).await;
    }
    if wanted("savings") {
        savings::run(&bench, &mut report).await;
    }
    if wanted("eight") {
        eight::run(&bench, &mut report).await;
    }
    if wanted("killed") {
        killed::run(&bench, &mut report).await;
    }
    if wanted("memory") {
        memory::run(&bench, &mut report).await;
    }
    if wanted("whole") {
        bench.started = vec![Started::new(Box::new(Fumi { chromium: Some(WHOLE) }))];
        login::in_whole_chromium(&bench, &mut report).await;
    }
    if is_whole {
        let hash = inputs::hash_of(root, &inputs::BROWSER);
        std::fs::write(root.join("docs/browser-benchmarks.md"), report.page(&bench, &hash))
            .expect("docs can be written");
        for (page, is_japanese) in [("docs/saving-tokens.md", false), ("docs/saving-tokens.ja.md", true)] {
            report.fill(&root.join(page), is_japanese);
        }
    }
}
