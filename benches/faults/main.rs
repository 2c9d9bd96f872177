//! The share of known faults that the checks find: `./bench faults` runs this, and rewrites docs/faults.md.
//!
//! Faults are put into clean texts, half of which were never used for calibration; the faults of ten pages are
//! labelled; textlint and a classic serve as comparisons. Invariant: everything but time and memory is the same in
//! every run. A missed bar does not fail the run: the report shows it.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    missing_docs,
    reason = "a program for developers: it starts its peers, and a failure is a message that ends it"
)]

mod ceiling;
mod dice;
#[path = "../shared/inputs.rs"]
mod hashes;
mod inputs;
mod kinds;
mod literature;
mod measure;
mod order;
mod pages;
mod report;
mod serial;
mod textlint;

use std::{fs, path::Path};

use fumi_novel::checks::{RuleGroup, run_rules};
use report::Report;
use textlint::Textlint;

fn main() {
    // `cargo bench` passes flags of the usual harness; the first word is a filter.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if let [order, file] = words.as_slice()
        && order == textlint::LOOK
    {
        let text = fs::read_to_string(file).expect("a readable file");
        let found = inputs::with_material(&text, |material| run_rules(material, &RuleGroup::ALL, &|| false));
        println!("{} findings", found.map_or(0, |found| found.len()));
        return;
    }
    let is_whole = words.is_empty();
    let wanted = |part: &str| is_whole || words.iter().any(|word| part.contains(word.as_str()));

    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Checked before the measurements: without textlint the report cannot be written.
    let textlint = (wanted("textlint") || wanted("speed")).then(Textlint::find);
    let cases = if wanted("rules") || wanted("textlint") {
        measure::run(root)
    } else {
        Vec::new()
    };
    let report = Report {
        parity: textlint
            .as_ref()
            .filter(|_| wanted("textlint"))
            .map(|textlint| textlint.parity(&cases)),
        // Speed is measured only in an optimised program.
        race: textlint
            .as_ref()
            .filter(|_| wanted("speed") && !cfg!(debug_assertions))
            .map(|textlint| textlint.race(root)),
        pages: if wanted("pages") {
            let judged = |folder: &str| pages::all(root, folder).into_iter().map(pages::judge).collect();
            vec![
                (pages::UNSEEN, judged(pages::UNSEEN)),
                (pages::KNOWN, judged(pages::KNOWN)),
            ]
        } else {
            Vec::new()
        },
        literature: wanted("literature").then(|| literature::run(root)),
        order: wanted("order").then(|| order::run(root)),
        serials: if wanted("serial") {
            serial::run(root)
        } else {
            Vec::new()
        },
        ceiling: wanted("ceiling").then(|| ceiling::run(root)),
        cases,
    };
    let page = report.page(&hashes::hash(root, "faults"));
    println!("{page}");
    if is_whole {
        fs::write(root.join("docs/faults.md"), page).expect("docs/faults.md can be written");
    }
}
