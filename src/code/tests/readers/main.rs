//! Elements against independent readers: what other programs say of real sources, compared line by line.
//!
//! A missing reader is a failure, not a skip. Truth never comes from our own output.

#![allow(
    clippy::disallowed_methods,
    reason = "the programs that know the truth are started here"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
};

use fumi_base::files::{EncodingChoice, decode};
use fumi_code::parse::Source;

mod java;
mod python;
mod typescript;

/// Compares facts by file, both ways; `least` guards against comparing nothing.
fn compare(theirs: &BTreeMap<String, BTreeSet<String>>, least: usize, ours: impl Fn(&str) -> BTreeSet<String>) {
    let mut differences = String::new();
    let mut compared = 0;
    for (path, theirs) in theirs {
        let ours = ours(path);
        compared += theirs.len();
        for line in theirs.difference(&ours) {
            // Writing to a String cannot fail.
            let _ = writeln!(differences, "{path}: the reader alone has {line}");
        }
        for line in ours.difference(theirs) {
            let _ = writeln!(differences, "{path}: fumi alone has {line}");
        }
    }
    assert!(differences.is_empty(), "{differences}");
    assert!(compared > least, "only {compared} facts were compared");
}

fn source(path: &str) -> Source {
    let bytes = fs::read(path).expect("a file");
    Source::new(path, decode(&bytes, EncodingChoice::Auto), bytes.len() as u64, None).expect("a known language")
}
