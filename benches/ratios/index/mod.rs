//! The index: fumi with it beside its own scan, rg or fd, and csearch, on trees of three sizes.
//!
//! Invariant: answers are compared with those of the scan, of rg and of fd, and replies must say that the index was used
//! for all files; a difference ends the run.

mod asking;
mod changes;
mod clients;
mod first_build;
mod questions;
mod table;
mod trees;

use std::time::Duration;

use self::{
    asking::{Asked, Beside, ask, few_rounds, timed},
    changes::change,
    clients::{CLIENTS, ask_at_once},
    first_build::{FirstBuild, first_build, restart},
    questions::{Limited, Question},
    table::Table,
    trees::IndexTree,
};
use crate::{
    Bench,
    chart::{self, Chart, Line},
    client::Server,
    measure::{Times, median_of},
    report::{Bar, Report, milliseconds},
    searching::SCAN,
};

/// The settings of a server with an index, without the cache of results.
const INDEX: [(&str, &str); 2] = [
    ("FUMI__CACHE__ENTRY_BYTES", "0"),
    ("FUMI__CODE__INDEX__ENABLED", "true"),
];

/// The numbers of files. `FUMI_BENCH_FILES` replaces them, with spaces between.
const SIZES: [usize; 3] = [1_000, 13_000, 100_000];

/// The size of the tree for changes and for many clients.
const MIDDLE: usize = 13_000;

/// Two servers over the same tree.
struct Servers {
    indexed: Server,
    scan: Server,
}

/// The tables and charts.
struct Results {
    questions: Table,
    figures: Table,
    selective: Chart,
    listing: Chart,
    at_once: Chart,
}

/// Measures everything. Returns the charts, with their names.
pub(crate) fn run(bench: &Bench, report: &mut Report) -> Vec<(&'static str, String)> {
    let sizes = std::env::var("FUMI_BENCH_FILES").map_or_else(
        |_| SIZES.to_vec(),
        |sizes| {
            sizes
                .split_whitespace()
                .map(|size| size.parse().expect("a number of files"))
                .collect()
        },
    );
    let mut results = Results::new();
    for size in sizes {
        results.add_tree(bench, &IndexTree::prepare(size));
    }
    report.section(results.section(few_rounds(bench)));
    let mut charts = vec![("cost-by-files.svg", chart::svg(&[results.selective, results.listing]))];
    if !results.at_once.lines.is_empty() {
        charts.push(("cost-by-clients.svg", chart::svg(&[results.at_once])));
    }
    charts
}

impl Results {
    fn new() -> Self {
        let chart = |title, x| Chart {
            title,
            x,
            y: "milliseconds, median",
            lines: Vec::new(),
        };
        Self {
            questions: Table::new(&[
                "what",
                "files",
                "with the index",
                "beside the scan",
                "beside rg or fd",
                "beside csearch",
                "bar",
                "held",
            ]),
            figures: Table::new(&["what", "files", "measured", "bar", "held"]),
            selective: chart("Search with few hits (RESOLVE_BENEATH, total_only)", "files"),
            listing: chart("Listing of all files (list_files, count_only)", "files"),
            at_once: chart("Search with few hits in 13,000 files, clients at once", "clients"),
        }
    }

    fn add_tree(&mut self, bench: &Bench, tree: &IndexTree) {
        let scan = Server::start(&[&tree.root], &SCAN);
        let question = questions::without_hit();
        let mut client = scan.client();
        let mut scan_once = || timed(&mut client, question.tool, &question.arguments[0]).0;
        scan_once();
        let whole_scan = median_of(few_rounds(bench), scan_once);
        let built = first_build(bench, &tree.root);
        let restarted = restart(bench, &tree.root);
        self.add_build(tree, &built, restarted, whole_scan.as_secs_f64());
        let _state = built.state;
        let servers = Servers {
            indexed: built.server,
            scan,
        };
        let mut ask = |question: &Question| {
            let asked = ask(bench, tree, &servers, question);
            self.questions.add(question.what, cells(tree.files, question, &asked));
            asked
        };
        let selective = ask(&questions::selective());
        let listing = ask(&questions::listing());
        for question in questions::others() {
            ask(&question);
        }
        add_points(&mut self.selective, tree.files, &selective);
        add_points(&mut self.listing, tree.files, &listing);
        if tree.files == MIDDLE {
            self.add_clients(&servers);
            drop(servers);
            self.add_changes(bench, tree);
        }
    }

    fn add_build(&mut self, tree: &IndexTree, built: &FirstBuild, restarted: Duration, scan: f64) {
        let took = built.took.as_secs_f64();
        let ratio = took / scan;
        let files = tree.files;
        self.figure(
            "first build, beside a scan that reads all files",
            files,
            format!("{:.0} ms, {ratio:.2}", took * 1e3),
            Bar::Ratio(3.0),
            ratio,
        );
        let meanwhile = built.calls.median().as_secs_f64();
        self.figure(
            "search during the first build, beside the scan",
            files,
            format!("{:.0} ms, {:.2}", meanwhile * 1e3, meanwhile / scan),
            Bar::Ratio(1.3),
            meanwhile / scan,
        );
        let parsed = built.parsed.as_secs_f64();
        self.figure(
            "after the first build, until all files are parsed",
            files,
            format!("{parsed:.1} s"),
            Bar::None,
            parsed,
        );
        let restarted = restarted.as_secs_f64() * 1e3;
        self.figure(
            "after a restart, until the index serves all files",
            files,
            format!("{restarted:.0} ms"),
            if files == MIDDLE {
                Bar::Milliseconds(300.0)
            } else {
                Bar::None
            },
            restarted,
        );
        let share = built.megabytes / (tree.bytes as f64 / 1e6);
        self.figure(
            "memory of the process after the first build, minus before",
            files,
            format!("{:.0} MB", built.megabytes),
            match files {
                13_000 => Bar::Megabytes(60.0),
                100_000 => Bar::Megabytes(250.0),
                _ => Bar::None,
            },
            built.megabytes,
        );
        self.figure(
            "that memory, beside the size of all files",
            files,
            format!("{share:.2}"),
            if files == 1_000 { Bar::None } else { Bar::Ratio(0.6) },
            share,
        );
    }

    fn add_clients(&mut self, servers: &Servers) {
        let (mut with_index, mut without) = (Vec::new(), Vec::new());
        for clients in CLIENTS {
            let [indexed, scan] = [&servers.indexed, &servers.scan].map(|server| ask_at_once(server, clients));
            let [fast, slow] = [&indexed, &scan].map(|times| times.median().as_secs_f64() * 1e3);
            // One row: a line for each number of clients.
            self.figures.add(
                "search by clients at once, beside the scan",
                vec![
                    format!("{MIDDLE}, clients: {clients}"),
                    format!("{} ms, {}: {}", both(&indexed), ratio(fast / slow), both(&scan)),
                    String::new(),
                    String::new(),
                ],
            );
            with_index.push((clients as f64, fast));
            without.push((clients as f64, slow));
        }
        self.at_once.lines = vec![
            Line {
                name: "fumi with the index".to_owned(),
                points: with_index,
            },
            Line {
                name: "fumi's scan".to_owned(),
                points: without,
            },
        ];
    }

    fn add_changes(&mut self, bench: &Bench, tree: &IndexTree) {
        let changes = change(bench, tree);
        let mut add = |what, times: &Times, bar| {
            let median = times.median().as_secs_f64() * 1e3;
            self.figure(what, tree.files, format!("{} ms", both(times)), bar, median);
        };
        add(
            "one file changed, next call (all right)",
            &changes.next_calls,
            Bar::None,
        );
        add(
            "one file changed, until the index is whole again",
            &changes.one,
            Bar::Milliseconds(100.0),
        );
        add(
            "1,000 files changed, next call (all right)",
            &changes.next_calls_of_many,
            Bar::None,
        );
        add(
            "1,000 files changed, until the index is whole again",
            &changes.many,
            Bar::Milliseconds(3_000.0),
        );
        add(
            "search while a file is saved every 20 ms",
            &changes.while_saving,
            Bar::None,
        );
    }

    /// Adds a row of the table of figures; `value` is what the bar limits.
    fn figure(&mut self, what: &str, files: usize, measured: String, bar: Bar, value: f64) {
        let (limit, held) = bar.cells(value);
        let cells = vec![files.to_string(), measured, limit, held.to_owned()];
        self.figures.add(what, cells);
    }

    fn section(&self, rounds: usize) -> String {
        format!(
            "## The index\n\nfumi with `[code.index] enabled = true`, over HTTP, without the cache of results. The trees are \
             real sources. Times are the median and the 99th percentile, in milliseconds; before the peers' times stands \
             the ratio of fumi's to theirs, the median over {rounds} rounds. So few times have no percentile: the second is \
             the longest. Answers are those of the scan, of rg and of fd, or the run would have ended; csearch's are not \
             compared, since it searches hidden files too.\n\n\
             ![Times by the number of files](cost-by-files.svg) ![Times by the number of clients](cost-by-clients.svg)\n\n\
             {}\n{}",
            self.questions.markdown(),
            self.figures.markdown()
        )
    }
}

/// Returns the cells of a question after the first.
fn cells(files: usize, question: &Question, asked: &Asked) -> Vec<String> {
    let beside = |peer: Option<&Beside>| {
        peer.map_or_else(String::new, |peer| {
            format!("{}: {}", ratio(peer.ratio), both(&peer.times))
        })
    };
    let (limit, held) = match (question.bar)(files) {
        None => (String::new(), ""),
        Some((limited, bar)) => {
            let (limit, held) = bar.cells(asked.figure(limited));
            let of = match limited {
                Limited::ToScan => " of the scan",
                Limited::ToProgram => question
                    .program
                    .as_ref()
                    .map_or("", |program| if program.name == "rg" { " of rg" } else { " of fd" }),
                Limited::Median => "",
            };
            (format!("{limit}{of}"), held)
        }
    };
    vec![
        files.to_string(),
        both(&asked.indexed),
        beside(Some(&asked.scan)),
        beside(asked.program.as_ref()),
        beside(asked.csearch.as_ref()),
        limit,
        held.to_owned(),
    ]
}

/// Adds the medians of a question to its chart.
fn add_points(chart: &mut Chart, files: usize, asked: &Asked) {
    let lines = [
        ("fumi with the index", Some(&asked.indexed)),
        ("fumi's scan", Some(&asked.scan.times)),
        ("rg or fd", asked.program.as_ref().map(|peer| &peer.times)),
        ("csearch", asked.csearch.as_ref().map(|peer| &peer.times)),
    ];
    for (name, times) in lines {
        let Some(times) = times else { continue };
        let point = (files as f64, times.median().as_secs_f64() * 1e3);
        match chart.lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => chart.lines.push(Line {
                name: name.to_owned(),
                points: vec![point],
            }),
        }
    }
}

/// Returns the median and the 99th percentile.
fn both(times: &Times) -> String {
    format!(
        "{} / {}",
        milliseconds(times.median()),
        milliseconds(times.quantile(0.99))
    )
}

/// Returns a ratio with at least two digits that count.
fn ratio(ratio: f64) -> String {
    if ratio < 0.1 {
        format!("{ratio:.3}")
    } else {
        format!("{ratio:.2}")
    }
}
