//! The inputs of a committed report: a hash over one benchmark's own sources, so that a test can see that the report
//! belongs to them. The hash leaves out the measured code, which changes daily, and `./bench`, which only starts the
//! benchmarks.

use std::{fs, path::Path};

/// The inputs of docs/browser-benchmarks.md: the benchmark, and the pages of the tests that it uses.
#[allow(dead_code, reason = "most benchmarks depend on their own folder alone")]
pub(crate) const BROWSER: [&str; 2] = ["benches/browser", "tests/fixtures/browser/login"];

/// The inputs of the measured table in docs/clients.md: the benchmark, and what it shares with the test of the clients.
#[allow(dead_code, reason = "most benchmarks depend on their own folder alone")]
pub(crate) const CLIENTS: [&str; 3] = [
    "benches/clients",
    "tests/clients/command_line.py",
    "tests/clients/scripted_model.py",
];

/// Returns the hash over everything under `benches/NAME`, by path.
#[allow(dead_code, reason = "two benchmarks depend on more than their own folder")]
pub(crate) fn hash(root: &Path, benchmark: &str) -> String {
    hash_of(root, &[&format!("benches/{benchmark}")])
}

/// Returns the hash over everything under some folders, and over some files, by path.
pub(crate) fn hash_of(root: &Path, inputs: &[&str]) -> String {
    let inputs = inputs.iter().map(|input| root.join(input));
    let (mut folders, mut files): (Vec<_>, Vec<_>) = inputs.partition(|input| input.is_dir());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)
            .expect("the benchmark is there")
            .map(|entry| entry.expect("readable"))
        {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut all = Vec::new();
    for file in files {
        all.extend(
            file.strip_prefix(root)
                .expect("below the root")
                .as_os_str()
                .as_encoded_bytes(),
        );
        all.push(0);
        all.extend(fs::read(&file).expect("readable"));
        all.push(0);
    }
    fumi_base::files::sha256(&all)
}
