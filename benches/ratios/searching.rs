//! `search_content`, `find_and_grep` and `list_files` beside ripgrep and fd, on a tree of more than 10,000 files.
//!
//! The peers' times include their start, fumi's the HTTP round trip of a running server. The cache is off except for
//! the repeats, and the index is off: these are scans. `index/` measures the index.

use serde_json::{Value, json};

use crate::{
    Bench,
    client::{Client, Server},
    kernel::Kernel,
    measure::{Cpu, Peer, rounds},
    peers::{Peers, lines, sum},
    report::{Bar, Report},
};

/// A cache too small for entries, and no index: every call does its work.
pub(crate) const SCAN: [(&str, &str); 2] = [
    ("FUMI__CACHE__ENTRY_BYTES", "0"),
    ("FUMI__CODE__INDEX__ENABLED", "false"),
];

/// A program that does the same: its title, its name, its arguments, and the number in its output.
type Program = (&'static str, &'static str, Vec<&'static str>, fn(&[u8]) -> u64);

/// One comparison.
struct Case {
    what: &'static str,
    tool: &'static str,
    arguments: Value,
    /// The programs that do the same, with their arguments, and the number in their output.
    peers: Vec<Program>,
    /// Returns the same number from fumi's reply.
    answer: fn(&Value) -> u64,
    bar: Bar,
}

pub(crate) fn run(bench: &Bench, report: &mut Report) {
    let root = bench.tree.root.as_path();
    let server = Server::start(&[root], &SCAN);
    let kernel = Kernel::new(&[root], false);
    let client = std::cell::RefCell::new(server.client());
    for case in cases() {
        let request = client.borrow().request(case.tool, &case.arguments);
        let mut peers = Vec::new();
        for (name, program, arguments, answer) in &case.peers {
            let program = if *program == "rg" {
                &bench.peers.rg
            } else {
                &bench.peers.fd
            };
            let rg = bench.peers.rg.to_string_lossy().into_owned();
            let arguments: Vec<String> = arguments.iter().map(|word| word.replace("{rg}", &rg)).collect();
            peers.push(Peer::new(*name, Cpu::Children, move || {
                answer(&Peers::run(program, root, &arguments))
            }));
        }
        peers.push(Peer::new("fumi's scan over HTTP", Cpu::Of(server.id()), || {
            (case.answer)(&crate::client::structured(&client.borrow_mut().send(&request)))
        }));
        peers.push(Peer::new("fumi's scan, pipeline", Cpu::Own, || {
            (case.answer)(&kernel.call(case.tool, &case.arguments))
        }));
        let taken = rounds(peers, bench.rounds);
        for other in &taken[1..] {
            assert_eq!(
                other.answer, taken[0].answer,
                "{}: {} and {} found different things",
                case.what, taken[0].name, other.name
            );
        }
        report.compare(case.what, &taken, case.peers.len(), case.bar);
    }
    drop(client);
    repeats(bench, report);
}

/// Measures the same call again, answered from the cache, on the whole tree.
fn repeats(bench: &Bench, report: &mut Report) {
    let root = bench.tree.root.as_path();
    let server = Server::start(&[root], &[]);
    let kernel = Kernel::new(&[root], true);
    let mut client: Client = server.client();
    for (what, arguments) in [
        (
            "search_content again, total_only",
            json!({"roots": ["."], "query": "fn \\w+", "total_only": true}),
        ),
        (
            "search_content again, normal",
            json!({"roots": ["."], "query": "fn \\w+"}),
        ),
    ] {
        let request = client.request("search_content", &arguments);
        let taken = rounds(
            vec![
                Peer::new("fumi's pipeline", Cpu::Own, || {
                    u64::from(kernel.call("search_content", &arguments).is_object())
                }),
                Peer::new("fumi over HTTP", Cpu::Of(server.id()), || {
                    client.send(&request).len() as u64
                }),
            ],
            bench.rounds * 5,
        );
        for taken in &taken {
            report.duration(&format!("{what} ({})", taken.name), taken, Bar::Milliseconds(1.0));
        }
    }
}

fn matches(answer: &Value) -> u64 {
    answer["total_matches"].as_u64().expect("a total")
}

fn count(printed: &[u8]) -> u64 {
    lines(printed) as u64
}

/// Lines that are neither a path nor empty: with headings, rows begin with their line's number.
fn rows(printed: &[u8]) -> u64 {
    printed
        .split(|byte| *byte == b'\n')
        .filter(|line| line.first().is_some_and(u8::is_ascii_digit) && line.contains(&b':'))
        .count() as u64
}

fn any(_: &[u8]) -> u64 {
    0
}

#[expect(clippy::too_many_lines, reason = "a list, one entry a comparison")]
fn cases() -> Vec<Case> {
    const MANY: &str = r"fn \w+\(";
    const FEW: &str = "RESOLVE_BENEATH";
    const NONE: &str = "no_such_word_anywhere_in_here";
    let total = |what, query, peer: Vec<&'static str>| Case {
        what,
        tool: "search_content",
        arguments: json!({"roots": ["."], "query": query, "total_only": true}),
        peers: vec![("rg", "rg", peer, sum)],
        answer: matches,
        bar: Bar::Ratio(1.1),
    };
    let counts = ["--no-config", "--smart-case", "--count-matches", "--no-filename"];
    let with = |query: &'static str| counts.iter().copied().chain(["-e", query, "."]).collect::<Vec<_>>();
    let grouped = [
        "--no-config",
        "--smart-case",
        "--heading",
        "--line-number",
        "-e",
        MANY,
        ".",
    ];
    let found = [
        "--extension",
        "rs",
        "--type",
        "f",
        "--exec-batch",
        "{rg}",
        "--no-config",
        "--smart-case",
        "--count-matches",
        "--no-filename",
        "-e",
        MANY,
    ];
    vec![
        total("search_content, regex with many hits, total_only", MANY, with(MANY)),
        total("search_content, literal with few hits, total_only", FEW, with(FEW)),
        total("search_content, no hit, total_only", NONE, with(NONE)),
        Case {
            what: "search_content, regex with many hits, group_by_file",
            tool: "search_content",
            arguments: json!({"roots": ["."], "query": MANY, "group_by_file": true}),
            peers: vec![("rg", "rg", grouped.to_vec(), any)],
            answer: |_| 0,
            bar: Bar::Ratio(1.1),
        },
        Case {
            what: "search_content, literal with few hits, normal",
            tool: "search_content",
            arguments: json!({"roots": ["."], "query": FEW}),
            peers: vec![(
                "rg",
                "rg",
                vec![
                    "--no-config",
                    "--smart-case",
                    "--heading",
                    "--line-number",
                    "-e",
                    FEW,
                    ".",
                ],
                rows,
            )],
            answer: |answer| answer["results"].as_array().expect("rows").len() as u64,
            bar: Bar::Ratio(1.1),
        },
        Case {
            what: "find_and_grep, *.rs, regex with many hits, total_only",
            tool: "find_and_grep",
            arguments: json!({"roots": ["."], "extensions": ["rs"], "types": ["f"], "query": MANY, "total_only": true}),
            peers: vec![
                (
                    "rg -g",
                    "rg",
                    counts
                        .iter()
                        .copied()
                        .chain(["--glob", "*.rs", "-e", MANY, "."])
                        .collect(),
                    sum,
                ),
                ("fd -X rg", "fd", found.to_vec(), sum),
            ],
            answer: matches,
            bar: Bar::Ratio(1.1),
        },
        Case {
            what: "list_files, count_only",
            tool: "list_files",
            arguments: json!({"roots": ["."], "count_only": true}),
            peers: vec![("fd", "fd", vec!["."], count)],
            answer: |answer| answer["total_count"].as_u64().expect("a total"),
            bar: Bar::Ratio(1.1),
        },
        Case {
            what: "list_files, *.toml, count_only",
            tool: "list_files",
            arguments: json!({"roots": ["."], "extensions": ["toml"], "count_only": true}),
            peers: vec![("fd", "fd", vec!["--extension", "toml"], count)],
            answer: |answer| answer["total_count"].as_u64().expect("a total"),
            bar: Bar::Ratio(1.1),
        },
        Case {
            what: "list_files with sizes and times, all",
            tool: "list_files",
            arguments: json!({"roots": ["."]}),
            peers: vec![("fd", "fd", vec!["."], count)],
            answer: |answer| answer["total_count"].as_u64().expect("a total"),
            bar: Bar::Ratio(1.5),
        },
        Case {
            what: "list_files with sizes and times, *.rs by size",
            tool: "list_files",
            arguments: json!({"roots": ["."], "extensions": ["rs"], "sort": "size", "limit": 100}),
            peers: vec![("fd", "fd", vec!["--extension", "rs"], count)],
            answer: |answer| answer["total_count"].as_u64().expect("a total"),
            bar: Bar::Ratio(1.5),
        },
    ]
}
