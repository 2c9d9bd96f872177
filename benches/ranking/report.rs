//! The page docs/ranking.md: the shares of questions whose right answer came first, among the first three and ten.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use serde::Deserialize;

use crate::{Answered, rivals};

/// The results before the ranking by fields, as main.rs measured them at the commit that `before.toml` names.
#[derive(Deserialize)]
struct Before {
    commit: String,
    /// Set and half, with the numbers of right answers at rank 1, up to 3 and up to 10.
    right: BTreeMap<String, [usize; 3]>,
}

/// A bar: a set of questions by the beginning of its name, a rank, and the least share of right answers up to it.
const BARS: [(&str, &str, usize, f64); 5] = [
    ("names", "names: an element with the name comes first", 1, 1.0),
    ("sentences", "sentences of documentation, top 1", 1, 0.85),
    ("sentences", "sentences of documentation, top 3", 3, 0.95),
    ("natural", "natural questions, top 3", 3, 0.8),
    ("natural", "natural questions, top 10", 10, 0.9),
];

/// Returns the table of all sets, each half apart.
pub(crate) fn table(sets: &[String], answered: &[Answered]) -> String {
    let before = before();
    let mut text = "| set, half | questions | fumi | fumi before | BM25 | `rg`, by file | tokens |\n\
                    | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for set in sets {
        for half in ["tune", "test"] {
            let of: Vec<&Answered> = answered
                .iter()
                .filter(|one| one.question.set == *set && one.question.half == half)
                .collect();
            if of.is_empty() {
                continue;
            }
            let key = format!("{set}, {half}");
            let earlier = before.right.get(&key).map_or_else(
                || "-".to_owned(),
                |right| cell(right.map(|right| part(right, of.len()))),
            );
            let _ = writeln!(
                text,
                "| {key} | {} | {} | {earlier} | {} | {} | {} |",
                of.len(),
                shares(&of, |one| one.fumi),
                shares(&of, |one| one.bm25),
                shares(&of, |one| one.rg),
                median(&of)
            );
        }
    }
    text
}

fn before() -> Before {
    // Read at run time, like the questions.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/ranking/before.toml");
    let text = fs::read_to_string(path).expect("before.toml is there");
    toml::from_str(&text).expect("before.toml is valid")
}

fn cell(shares: [f64; 3]) -> String {
    shares.map(|share| format!("{share:.2}")).join(" / ")
}

/// Returns the shares of right answers at rank 1, up to 3 and up to 10.
fn shares(of: &[&Answered], rank: fn(&Answered) -> Option<usize>) -> String {
    cell([1, 3, 10].map(|bound| share(of, rank, bound)))
}

fn share(of: &[&Answered], rank: fn(&Answered) -> Option<usize>, bound: usize) -> f64 {
    let right = of
        .iter()
        .filter(|one| rank(one).is_some_and(|rank| rank <= bound))
        .count();
    part(right, of.len())
}

fn part(right: usize, of: usize) -> f64 {
    right as f64 / of.max(1) as f64
}

fn median(of: &[&Answered]) -> usize {
    let mut tokens: Vec<usize> = of.iter().map(|one| one.tokens).collect();
    tokens.sort_unstable();
    tokens[tokens.len() / 2]
}

/// Returns the bars, over both halves, then over the questions that were never used for tuning.
fn bars(answered: &[Answered]) -> String {
    let mut text = "| bar | at least | all | held out alone | held |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for (set, what, bound, least) in BARS {
        let of = |is_counted: &dyn Fn(&Answered) -> bool| {
            let of: Vec<&Answered> = answered.iter().filter(|one| is_counted(one)).collect();
            share(&of, |one| one.fumi, bound)
        };
        let is_meant = |one: &Answered| one.question.set.starts_with(set) && !one.question.set.ends_with("removed");
        let all = of(&is_meant);
        let held_out = of(&|one| is_meant(one) && one.question.half == "test");
        let held = if all >= least { "yes" } else { "**no**" };
        let _ = writeln!(text, "| {what} | {least:.2} | {all:.2} | {held_out:.2} | {held} |");
    }
    text
}

/// Returns a line about the trees: which, and how many files each has.
fn trees(home: &Path, answered: &[Answered]) -> String {
    let mut names: Vec<&str> = answered.iter().map(|one| one.question.tree.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let counted: Vec<String> = names
        .iter()
        .map(|name| format!("`{name}` {}", rivals::files(&home.join("trees").join(name)).len()))
        .collect();
    counted.join(", ")
}

/// Returns the whole page.
pub(crate) fn page(inputs: &str, home: &Path, sets: &[String], answered: &[Answered]) -> String {
    format!(
        "# Ranking\n\nWritten by `./bench ranking`; do not edit. Inputs: `{inputs}`\n\n\
         How well `search_content` with `\"ranked\": true` finds the right element, in trees that are not fumi's. Each cell \
         has the shares of questions whose right answer came first, among the first 3, and among the first 10.\n\n\
         ## Bars\n\n{}\n## Sets\n\n{}\n\
         `tune` is the half by which the weights were chosen, `test` the one that was not used. *fumi before* is the ranking \
         of commit {}, on the same questions. Tokens are the median of fumi's reply, by o200k, the larger of text and \
         structure.\n\n\
         ## How it is measured\n\n\
         - names: public functions, classes and methods, drawn by a hash; the query is the name; right is every element \
         with this name, by Python's ast, the TypeScript compiler, and syn.\n\
         - sentences: the first sentence of a function's documentation without the words of its name, at least 5 content \
         words, the function at least 5 lines; right is that function. The documentation is in the files that are searched, \
         as it is in every project; *documentation removed* asks the same in copies without any, where only the code is \
         left to match.\n\
         - changelog entries: the entry of a release, asked in the files of the release before it; right is any source \
         file that changed, where at most a third did. Tests and documents do not count.\n\
         - natural questions: thirty, written by hand over whole projects with tests and documents (five in Japanese), \
         before any ranking was seen; right was found by reading the sources.\n\
         - BM25: k1 1.2, b 0.75, over the elements of the same parsers; words split at case and underscores, no stop words. \
         `rg`: the files with the most lines of the query's rarest word; only the file has to be right, which is easier.\n\
         - Files searched: {}. Versions: benches/ranking/packages.toml, Cargo.lock, and {}.\n",
        bars(answered),
        table(sets, answered),
        before().commit,
        trees(home, answered),
        fs::read_to_string(home.join("python.txt")).unwrap_or_default().trim()
    )
}
