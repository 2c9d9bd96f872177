//! The committed reports of the benchmarks were written by the committed benchmarks.
//!
//! Nothing is measured here: the hash in a report shows whether it is current.

// Formatted as the benchmarks that share it.
#[rustfmt::skip]
#[path = "../../benches/shared/inputs.rs"]
mod inputs;

use std::{fs, path::Path};

#[test]
fn committed_reports_are_those_of_the_benchmarks_as_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (benchmark, report, again) in [
        ("ratios", "docs/benchmarks.md", "./bench speed"),
        ("load", "docs/load.md", "./bench load"),
        ("faults", "docs/faults.md", "./bench faults"),
        ("tokens", "docs/tokens.md", "./bench tokens"),
        ("tokens", "docs/tokens-novel.md", "./bench tokens novel"),
        ("tokens", "src/kernel/measured.toml", "./bench tokens"),
        ("ranking", "docs/ranking.md", "./bench ranking"),
        ("browser", "docs/browser-benchmarks.md", "./bench browser"),
        ("clients", "docs/clients.md", "./bench clients"),
    ] {
        let text = fs::read_to_string(root.join(report)).unwrap_or_else(|error| panic!("{report}: {error}"));
        let wanted = match benchmark {
            "browser" => inputs::hash_of(root, &inputs::BROWSER),
            "clients" => inputs::hash_of(root, &inputs::CLIENTS),
            benchmark => inputs::hash(root, benchmark),
        };
        let found =
            text.split_once("Inputs: ").and_then(|(_, rest)| rest.split_whitespace().next()).unwrap_or_default();
        assert_eq!(found.trim_matches('`'), wanted, "{report} was made by another benches/{benchmark}; run {again}");
    }
}
