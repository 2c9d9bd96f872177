//! How well `search_content` with `ranked` finds the right element: `./bench ranking` runs this, and rewrites
//! docs/ranking.md.
//!
//! Invariant: the trees are not fumi's, and the right answers come from other programs than fumi, or were read by a
//! person. Weights are chosen by the half `tune` of the questions alone. Speed is not measured.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    missing_docs,
    reason = "a program for developers: it starts its peers, and a failure is a message that ends it"
)]

#[path = "../shared/inputs.rs"]
mod inputs;
#[path = "../ratios/kernel.rs"]
#[allow(dead_code, reason = "other benchmarks need more of it")]
mod kernel;
mod questions;
mod report;
mod rivals;
mod rust_sources;

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use fumi_kernel::ToolReply;
use serde_json::json;
use tiktoken_rs::o200k_base_singleton;

use kernel::Kernel;
use questions::{Question, Questions, hits};
use rivals::{Bm25, Rg};

/// The ranks that the methods gave the right answer of one question.
pub(crate) struct Answered {
    pub(crate) question: Question,
    pub(crate) fumi: Option<usize>,
    pub(crate) bm25: Option<usize>,
    /// By file, for every question: `rg` knows no elements.
    pub(crate) rg: Option<usize>,
    /// The tokens of fumi's reply.
    pub(crate) tokens: usize,
}

/// One tree, opened once for all questions about it.
struct Tree {
    kernel: Kernel,
    rivals: Option<(Bm25, Rg)>,
}

fn main() {
    // `cargo bench` and `cargo test --benches` pass flags of the usual harness; the first word selects sets.
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let home = PathBuf::from(env::var("FUMI_RANKING").expect("./bench sets FUMI_RANKING"));
    let all = Questions::read(&home);
    let shows_misses = words.iter().any(|word| word == "misses");
    let has_rivals = words.is_empty();
    let is_wanted = |question: &Question| {
        words
            .iter()
            .filter(|word| *word != "misses")
            .all(|word| question.set.contains(word.as_str()) || question.half == *word)
    };
    let mut trees: BTreeMap<String, Tree> = BTreeMap::new();
    let mut answered = Vec::new();
    for question in all.questions.iter().filter(|question| is_wanted(question)) {
        let tree = trees.entry(question.tree.clone()).or_insert_with(|| {
            let folder = home.join("trees").join(&question.tree);
            let rivals = || (Bm25::new(&folder, &all.elements[&question.tree]), Rg::new(&folder));
            Tree {
                kernel: Kernel::new(&[&folder], false),
                rivals: has_rivals.then(rivals),
            }
        });
        answered.push(ask(tree, question, shows_misses));
    }
    if words.is_empty() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let page = report::page(&inputs::hash(root, "ranking"), &home, &all.sets(), &answered);
        println!("{page}");
        fs::write(root.join("docs/ranking.md"), page).expect("docs/ranking.md can be written");
    } else {
        println!("{}", report::table(&all.sets(), &answered));
    }
}

fn ask(tree: &mut Tree, question: &Question, shows_misses: bool) -> Answered {
    let arguments = json!({"query": question.query, "roots": ["."], "ranked": true, "timeout_ms": 600_000});
    let reply = tree.kernel.reply("search_content", &arguments);
    let found = hits(&reply.structured);
    let mut answered = Answered {
        fumi: question.rank(&found),
        bm25: None,
        rg: None,
        tokens: cost(&reply),
        question: question.clone(),
    };
    if let Some((plain, rg)) = &mut tree.rivals {
        answered.bm25 = question.rank(&plain.search(&question.query));
        answered.rg = question.file_rank(rg.files(&question.query).iter().map(String::as_str));
    }
    if shows_misses && answered.fumi != Some(1) {
        println!("{:?} {}: {}", answered.fumi, question.tree, question.query);
        println!("    right {:?}", question.right);
        println!("{}", reply.text);
    }
    answered
}

/// Returns the tokens of a reply: some clients show a model only the structure, others only the text.
fn cost(reply: &ToolReply) -> usize {
    let count = |text: &str| o200k_base_singleton().encode_ordinary(text).len();
    count(&reply.structured.to_string()).max(count(&reply.text))
}
