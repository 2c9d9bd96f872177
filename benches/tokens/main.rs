//! The cost of fumi's replies for a model: `./bench tokens` runs this, and rewrites docs/tokens.md and
//! src/kernel/measured.toml, from which the texts of the tools are filled.
//!
//! Invariant: every figure is counted with the tokenizer itself (o200k) over arguments and what a client passes on of the
//! replies, never estimated. The right answers come from other programs than fumi. Speed is not measured.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    missing_docs,
    reason = "a program for developers: it starts its peers, and a failure is a message that ends it"
)]

mod agent;
mod clients;
#[path = "../shared/inputs.rs"]
mod inputs;
#[path = "../ratios/kernel.rs"]
#[expect(dead_code, reason = "the other benchmark needs the structure alone")]
mod kernel;
mod levels;
mod lists;
mod novel;
mod report;
mod searches;
#[path = "../load/server.rs"]
#[expect(dead_code, reason = "the other benchmark measures the process too")]
mod server;
mod tasks;
mod trees;

use std::{fs, path::Path};

use tiktoken_rs::o200k_base_singleton;

/// Returns the tokens of a text.
fn count(text: &str) -> usize {
    o200k_base_singleton().encode_ordinary(text).len()
}

/// Returns the middle value, or the mean of the two in the middle.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    f64::midpoint(low, high)
}

fn main() {
    // `cargo bench` and `cargo test --benches` pass flags of the usual harness; the first word is a filter.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_whole = words.is_empty();
    let wanted = |part: &str| is_whole || words.iter().any(|word| part.contains(word.as_str()));

    let folder = tempfile::tempdir().expect("a folder");
    let is_about_code = ["tasks", "searches", "lists", "levels"].into_iter().any(wanted);
    let trees = is_about_code.then(|| trees::copy(folder.path()));
    let of = |part: &str| trees.as_ref().filter(|_| wanted(part));
    let lists = of("lists").map(|trees| lists::run(&trees["crates"].folder));
    let tasks = of("tasks").map(tasks::run);
    let searches = of("searches").map(searches::run);
    let levels = of("levels").map(levels::run);
    let novel = wanted("novel").then(|| novel::run(folder.path()));
    if let Some(lists) = &lists {
        println!("{}", report::lists(lists));
    }
    if let Some(tasks) = &tasks {
        println!("{}\n{}", report::tasks(tasks), report::clients(tasks));
    }
    if let Some(searches) = &searches {
        println!("{}", report::searches(searches));
    }
    if let Some(levels) = &levels {
        println!("{}", report::levels(levels));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let hash = inputs::hash(root, "tokens");
    let write = |path: &str, text: String| {
        fs::write(root.join(path), text).unwrap_or_else(|error| panic!("{path} cannot be written: {error}"));
    };
    if let Some(novel) = &novel {
        println!("{}", novel.page(&hash));
        write("docs/tokens-novel.md", novel.page(&hash));
    }
    if let (Some(trees), Some(tasks), Some(searches), Some(lists), Some(levels)) =
        (trees, tasks, searches, lists, levels)
    {
        let measured = report::Measured {
            trees,
            tasks,
            searches,
            lists,
            levels,
        };
        println!("{}", report::bars(&measured));
        write("docs/tokens.md", report::page(&hash, &measured));
        write("src/kernel/measured.toml", measured.levels.figures(&hash));
    }
}
