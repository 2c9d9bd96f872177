//! The speed of fumi beside other programs, in one run on one machine: `./bench` runs this and rewrites
//! docs/benchmarks.md.
//!
//! Invariant: every ratio compares programs that did the same work on the same files, in turns, within one run; their
//! results are compared too, and a difference ends the run. Speeds are not asserted: bars are printed beside the
//! figures.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    missing_docs,
    reason = "a program for developers: it starts its peers, and a failure is a message that ends it"
)]

mod chart;
mod client;
mod index;
#[path = "../shared/inputs.rs"]
mod inputs;
mod kernel;
mod measure;
mod peers;
mod process;
mod report;
mod searching;
mod structure;
mod trivial;

use std::path::Path;

/// The allocator of the server, for the bare parse and the bare route too.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The data that all parts need.
struct Bench {
    peers: peers::Peers,
    /// The tree that is searched.
    tree: peers::Tree,
    /// How often everything is repeated; less often for a quick run.
    rounds: usize,
}

fn main() {
    // `cargo bench` and `cargo test --benches` pass flags of the usual harness; the first word is a filter.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_whole = words.is_empty();
    let wanted = |part: &str| is_whole || words.iter().any(|word| part.contains(word.as_str()));
    let rounds = std::env::var("FUMI_BENCH_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok());
    let peers = peers::Peers::find();
    let tree = peers.tree();
    eprintln!("{} files under {}", tree.files, tree.root.display());
    let bench = Bench {
        peers,
        tree,
        rounds: rounds.unwrap_or(21),
    };
    let mut report = report::Report::default();
    if wanted("search") {
        searching::run(&bench, &mut report);
    }
    if wanted("structure") {
        structure::run(&bench, &mut report);
    }
    if wanted("trivial") {
        trivial::run(&bench, &mut report);
    }
    if wanted("process") {
        process::run(&bench, &mut report);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = root.join("docs");
    if wanted("index") {
        for (name, picture) in index::run(&bench, &mut report) {
            let folder = if is_whole { &docs } else { &std::env::temp_dir() };
            std::fs::write(folder.join(name), picture).expect("the chart can be written");
        }
    }
    if is_whole {
        let page = report.page(&bench, &inputs::hash(root, "ratios"));
        std::fs::write(docs.join("benchmarks.md"), page).expect("docs/benchmarks.md can be written");
    }
}
