//! What the command-line clients of three vendors pass on to their models: `./bench clients` runs this and rewrites the
//! measured table of docs/clients.md.
//!
//! Invariant: every cell comes from what the scripted model was sent (run.py), none from a client's documentation. Speed
//! is not measured. What src/mcp/clients.toml says otherwise is printed and left to the reader.

#![allow(
    clippy::disallowed_methods,
    missing_docs,
    reason = "a program for developers: it starts the clients, and a failure is a message that ends it"
)]

#[path = "../shared/inputs.rs"]
mod inputs;
mod report;
mod seen;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use seen::Seen;

/// The page, and the clients that fumi knows.
const PAGE: &str = "docs/clients.md";
const KNOWN: &str = "src/mcp/clients.toml";

/// Returns the folder into which `./bench` installed the clients.
fn modules() -> PathBuf {
    let home = env::var_os("FUMI_CLIENTS").expect("FUMI_CLIENTS names the folder of the clients; run ./bench clients");
    let modules = PathBuf::from(home).join("node_modules");
    assert!(
        modules.is_dir(),
        "{} is missing; run ./bench clients",
        modules.display()
    );
    modules
}

/// Runs the clients whose names have all of these words.
fn run(root: &Path, words: &[String]) -> Vec<Seen> {
    let output = Command::new("python3")
        .arg(root.join("benches/clients/run.py"))
        .arg(env!("CARGO_BIN_EXE_fumi"))
        .arg(modules())
        .args(words)
        .stderr(Stdio::inherit())
        .output()
        .expect("python3 is installed");
    assert!(output.status.success(), "run.py failed; its message is above");
    serde_json::from_slice(&output.stdout).expect("run.py prints JSON")
}

/// Puts the table between its markers.
fn fill(page: &Path, table: &str) {
    let text = fs::read_to_string(page).expect("the page is there");
    let (begin, end) = ("<!-- measured:begin -->\n", "<!-- measured:end -->");
    let (before, rest) = text.split_once(begin).expect("the first marker");
    let (_, after) = rest.split_once(end).expect("the second marker");
    fs::write(page, format!("{before}{begin}{table}{end}{after}")).expect("the page can be written");
}

fn main() {
    // `cargo bench` and `cargo test --benches` pass flags of the usual harness; the other words select clients.
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let seen = run(root, &words);
    let table = report::table(&seen, &inputs::hash_of(root, &inputs::CLIENTS));
    println!("{table}");
    let known = fs::read_to_string(root.join(KNOWN)).expect("the known clients are there");
    for difference in report::differences(&seen, &known) {
        println!("{KNOWN}: {difference}");
    }
    if words.is_empty() {
        fill(&root.join(PAGE), &table);
    }
}
