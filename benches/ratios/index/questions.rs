//! The questions that the index is measured with, and the bars of its specification.

use serde_json::{Value, json};

use crate::{
    peers::{lines, sum},
    report::Bar,
};

/// The figure that a bar limits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Limited {
    /// The ratio to the scan.
    ToScan,
    /// The ratio to rg or fd.
    ToProgram,
    /// The median of fumi with the index.
    Median,
}

/// A program that does the same: its name, its arguments, and the number in its output.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) arguments: Vec<&'static str>,
    pub(super) answer: fn(&[u8]) -> u64,
}

/// One question.
pub(super) struct Question {
    pub(super) what: &'static str,
    pub(super) tool: &'static str,
    /// The first round takes the first arguments, the next one the second, and so on.
    pub(super) arguments: Vec<Value>,
    /// rg or fd; its answer is compared.
    pub(super) program: Option<Program>,
    /// csearch's arguments; it also searches hidden files, so its answer is not compared.
    pub(super) csearch: Option<Vec<&'static str>>,
    /// Returns the number that the programs print too.
    pub(super) answer: fn(&Value) -> u64,
    /// True if replies must say that the index was used for all files. They do not where any file could match, and
    /// `query_code` does not say.
    pub(super) is_whole: bool,
    /// True if only the first call counts.
    pub(super) is_first: bool,
    /// Returns the limit for a number of files.
    pub(super) bar: fn(usize) -> Option<(Limited, Bar)>,
}

impl Question {
    /// A search by text.
    fn search(what: &'static str, arguments: Value) -> Self {
        Self {
            what,
            tool: "search_content",
            arguments: vec![arguments],
            program: None,
            csearch: None,
            answer: |reply| reply["total_matches"].as_u64().expect("a total"),
            is_whole: true,
            is_first: false,
            bar: |_| None,
        }
    }

    /// A search that counts.
    fn count(what: &'static str, query: &'static str) -> Self {
        let rg = [
            "--no-config",
            "--smart-case",
            "--count-matches",
            "--no-filename",
            "-e",
            query,
            ".",
        ];
        Self {
            program: Some(Program {
                name: "rg",
                arguments: rg.to_vec(),
                answer: sum,
            }),
            csearch: Some(csearch("-c", query)),
            ..Self::search(what, json!({"roots": ["."], "query": query, "total_only": true}))
        }
    }

    /// A listing that counts.
    fn listing(what: &'static str, arguments: Value, fd: Vec<&'static str>) -> Self {
        Self {
            tool: "list_files",
            program: Some(Program {
                name: "fd",
                arguments: fd,
                answer: |printed| lines(printed) as u64,
            }),
            answer: |reply| reply["total_count"].as_u64().expect("a total"),
            bar: |files| (files == 13_000).then_some((Limited::ToProgram, Bar::Ratio(0.2))),
            ..Self::search(what, arguments)
        }
    }

    /// A search for the elements that match some words best.
    fn ranked(what: &'static str, words: &[&str]) -> Self {
        let arguments = words
            .iter()
            .map(|words| json!({"roots": ["."], "query": words, "ranked": true}));
        Self {
            arguments: arguments.collect(),
            answer: |reply| {
                let elements = reply["results"].as_array().expect("elements");
                let lines = elements.iter().filter_map(|element| element["start_line"].as_u64());
                lines.sum::<u64>() + reply["total_matches"].as_u64().expect("a total")
            },
            is_whole: false,
            bar: |files| (files == 13_000).then_some((Limited::Median, Bar::Milliseconds(20.0))),
            ..Self::search(what, Value::Null)
        }
    }
}

/// Returns csearch's arguments with the smart case of fumi and rg.
fn csearch(format: &'static str, query: &'static str) -> Vec<&'static str> {
    let has_capital = query.bytes().any(|byte| byte.is_ascii_uppercase());
    let case = (!has_capital).then_some("-i");
    [format].into_iter().chain(case).chain([query]).collect()
}

/// Returns the search with few hits that the index is measured with where one question is enough.
pub(super) fn selective() -> Question {
    Question {
        bar: |files| match files {
            13_000 => Some((Limited::ToProgram, Bar::Ratio(0.1))),
            100_000 => Some((Limited::ToProgram, Bar::Ratio(0.02))),
            _ => None,
        },
        ..Question::count("`RESOLVE_BENEATH`, total_only", "RESOLVE_BENEATH")
    }
}

/// Returns the listing for the chart.
pub(super) fn listing() -> Question {
    Question::listing(
        "list_files, count_only",
        json!({"roots": ["."], "count_only": true}),
        vec!["."],
    )
}

/// Returns the question whose scan reads all files and prints nothing.
pub(super) fn without_hit() -> Question {
    Question::count("a literal without hit, total_only", "no_such_word_anywhere_in_here")
}

/// Returns all questions but [`selective`] and [`listing`].
pub(super) fn others() -> Vec<Question> {
    const MANY: &str = r"fn \w+\(";
    const FEW: &str = "RESOLVE_BENEATH";
    vec![
        without_hit(),
        Question::count("`deserialize_any`, total_only", "deserialize_any"),
        Question::count(r"`\.await\?`, total_only", r"\.await\?"),
        Question {
            is_whole: false,
            ..Question::count(r"`fn \w+\(`, total_only", MANY)
        },
        Question {
            is_whole: false,
            program: Some(Program {
                name: "rg",
                arguments: vec![
                    "--no-config",
                    "--smart-case",
                    "--line-number",
                    "--max-count",
                    "1",
                    "-e",
                    MANY,
                    ".",
                ],
                answer: |printed| lines(printed) as u64,
            }),
            answer: |reply| reply["total_files"].as_u64().expect("a total"),
            bar: |_| Some((Limited::ToScan, Bar::Ratio(1.0))),
            ..Question::search(
                r"`fn \w+\(`, max_count 1",
                json!({"roots": ["."], "query": MANY, "max_count": 1}),
            )
        },
        Question {
            program: Some(Program {
                name: "rg",
                arguments: vec![
                    "--no-config",
                    "--smart-case",
                    "--only-matching",
                    "--line-number",
                    "-e",
                    FEW,
                    ".",
                ],
                answer: |printed| lines(printed) as u64,
            }),
            csearch: Some(csearch("-n", FEW)),
            ..Question::search(
                "`RESOLVE_BENEATH`, with rows and roles",
                json!({"roots": ["."], "query": FEW}),
            )
        },
        Question::listing(
            "list_files, `*.toml`, count_only",
            json!({"roots": ["."], "extensions": ["toml"], "count_only": true}),
            vec!["--extension", "toml"],
        ),
        Question {
            tool: "query_code",
            answer: |reply| reply["query_result"]["total_matches"].as_u64().expect("a total"),
            is_whole: false,
            bar: |files| (files == 13_000).then_some((Limited::Median, Bar::Milliseconds(5.0))),
            ..Question::search(
                "query_code, functions named `openat2`",
                json!({"roots": ["."], "query_key": "functions", "filter": "name=openat2"}),
            )
        },
        Question {
            is_first: true,
            bar: |_| None,
            ..Question::ranked("ranked, first", &["read a directory entry by entry"])
        },
        Question::ranked(
            "ranked, again with other words",
            &[
                "open a file beneath a directory",
                "deserialize a map with unknown keys",
                "wait for a socket to become readable",
                "parse a floating point number",
                "spawn a blocking task",
                "set the permissions of a file",
                "escape a string of JSON",
            ],
        ),
    ]
}
