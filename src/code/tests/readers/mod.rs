//! Elements compared line by line with independent readers: other programs' results for real sources.
//!
//! A missing reader fails the test, it is not skipped. Expectations never come from our own output.

#![allow(clippy::disallowed_methods, reason = "the reference programs are started here")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    ops::RangeInclusive,
};

use fumi_base::encoding::{EncodingChoice, decode};
use fumi_code::parse::SourceFile;

mod ctags;
mod data;
mod java;
mod python;
mod ruby;
mod rust;
mod typescript;

/// A known difference: the end of a file's path, the lines, and the reason. A known difference that no longer occurs
/// also fails the test, so that the list does not outlive its reasons.
type Known = (&'static str, RangeInclusive<usize>, &'static str);

/// Compares facts by file, both ways; `least` guards against comparing nothing.
fn compare(theirs: &BTreeMap<String, BTreeSet<String>>, least: usize, ours: impl Fn(&str) -> BTreeSet<String>) {
    compare_but(theirs, least, &[], ours);
}

/// Compares facts except for known differences. The third column of a fact is its line.
fn compare_but(
    theirs: &BTreeMap<String, BTreeSet<String>>,
    least: usize,
    known: &[Known],
    ours: impl Fn(&str) -> BTreeSet<String>,
) {
    let mut met = vec![false; known.len()];
    let mut is_known = |path: &str, fact: &str| {
        let line: usize = fact.split('\t').nth(2).and_then(|line| line.parse().ok()).unwrap_or(0);
        let at = known.iter().position(|(file, lines, _)| path.ends_with(file) && lines.contains(&line));
        at.inspect(|at| met[*at] = true).is_some()
    };
    let mut differences = String::new();
    let mut compared = 0;
    for (path, theirs) in theirs {
        let ours = ours(path);
        compared += theirs.len();
        for line in theirs.difference(&ours).filter(|fact| !is_known(path, fact)) {
            // Writing to a String cannot fail.
            let _ = writeln!(differences, "{path}: the reader alone has {line}");
        }
        for line in ours.difference(theirs).filter(|fact| !is_known(path, fact)) {
            let _ = writeln!(differences, "{path}: fumi alone has {line}");
        }
    }
    assert!(differences.is_empty(), "{differences}");
    for ((file, lines, reason), met) in known.iter().zip(met) {
        assert!(met, "{file} {lines:?} does not differ any more ({reason}); remove it from the list");
    }
    assert!(compared > least, "only {compared} facts were compared");
}

fn source(path: &str) -> SourceFile {
    let bytes = fs::read(path).expect("a file");
    SourceFile::new(path, decode(&bytes, EncodingChoice::Auto), bytes.len() as u64, None).expect("a known language")
}
