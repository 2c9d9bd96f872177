//! Instructions, counted by callgrind: of one cached call, and of the functions of a search that the index answers.

use std::{
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    report::Report,
    request::{Connection, Request},
    server::Server,
};

/// The calls whose difference is counted, so that the start is not in it.
const FEW: u64 = 200;
const MANY: u64 = 1_200;

/// The files of the indexed project.
const FILES: u64 = 2_000;

/// The searches whose functions are counted.
const SEARCHES: u64 = 200;

/// The function that all of such a search runs in, and the least share of its instructions that is shown, in percent.
const SEARCH: &str = "fumi_code::search::search";
const LEAST_SHARE: f64 = 3.0;

pub(crate) fn run(report: &mut Report) {
    report.instructions(cached_call());
    let (count, shares) = indexed_search();
    report.indexed_search(count, &shares);
}

/// Returns the number of instructions of a cached call.
fn cached_call() -> u64 {
    let folder = tempfile::tempdir().expect("a folder");
    for file in 0..20 {
        let text = format!("import os\n\n\ndef needle_{file}(line):\n    return line\n");
        fs::write(folder.path().join(format!("few_{file:03}.py")), text).expect("written");
    }
    // No parser starts under callgrind, and this output needs none.
    let arguments = json!({"roots": ["."], "query": "needle", "count_only_matches": true});
    let request = Request::call("search_content", &arguments);
    let count = |calls: u64| {
        let out = tempfile::NamedTempFile::new().expect("a file");
        let server = Server::start_by(callgrind(out.path(), &[]), folder.path(), &[]);
        let mut connection = Connection::open(&server.address);
        for call in 0..calls {
            let answer = connection.send(&request);
            let text = String::from_utf8_lossy(&answer.body);
            assert_eq!(answer.status, 200, "{text}");
            assert!(call == 0 || text.contains(r#""cache_hit":true"#), "{text}");
        }
        drop(connection);
        server.stop();
        let profile = fs::read_to_string(out.path()).expect("valgrind is installed (Debian: apt-get install valgrind)");
        let line = profile
            .lines()
            .find_map(|line| line.strip_prefix("summary: ").or_else(|| line.strip_prefix("totals: ")))
            .unwrap_or_else(|| panic!("callgrind counted nothing"));
        line.split_whitespace()
            .next()
            .and_then(|count| count.parse::<u64>().ok())
            .expect("a number")
    };
    let (few, many) = (count(FEW), count(MANY));
    (many - few) / (MANY - FEW)
}

/// Returns the command that counts the instructions of fumi, and writes them to a file.
fn callgrind(out: &Path, flags: &[&str]) -> Command {
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args(["--tool=callgrind", "--quiet"])
        .args(flags)
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(env!("CARGO_BIN_EXE_fumi"));
    valgrind
}

/// Returns the number of instructions of a search that the index answers, and the shares of its functions in percent,
/// each with what it calls.
fn indexed_search() -> (u64, Vec<(String, f64)>) {
    let folder = tempfile::tempdir().expect("a folder");
    for file in 0..FILES {
        let text =
            format!("/// Reads part {file}.\npub fn read_part(line: &str) -> usize {{\n    word_{file:04}(line)\n}}\n");
        fs::write(folder.path().join(format!("part_{file:04}.rs")), text).expect("written");
    }
    let out = tempfile::NamedTempFile::new().expect("a file");
    let toggle = format!("--toggle-collect={SEARCH}");
    let server = Server::start_by(callgrind(out.path(), &[&toggle]), folder.path(), &[]);
    let mut connection = Connection::open(&server.address);
    let mut is_whole = |tool: &str, arguments: serde_json::Value| {
        let answer = connection.send(&Request::call(tool, &arguments));
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!(answer.status, 200, "{text}");
        text.contains(r#""fumi/index":"whole""#)
    };
    // The index is built by searches of another tool, which are not counted.
    let end = Instant::now() + Duration::from_mins(2);
    for absent in 0.. {
        let arguments =
            json!({"roots": ["."], "extensions": ["rs"], "query": format!("absent_{absent}"), "total_only": true});
        if is_whole("find_and_grep", arguments) {
            break;
        }
        assert!(Instant::now() < end, "the index is not whole");
        thread::sleep(Duration::from_millis(500));
    }
    for file in 0..SEARCHES {
        let query = format!("word_{:04}", file * (FILES / SEARCHES));
        let arguments = json!({"roots": ["."], "query": query, "count_only_matches": true});
        assert!(is_whole("search_content", arguments), "{query}");
    }
    drop(connection);
    server.stop();
    let printed = Command::new("callgrind_annotate")
        .args(["--inclusive=yes", "--auto=no"])
        .arg(out.path())
        .output();
    let printed = printed.expect("it comes with valgrind").stdout;
    let mut counts: Vec<(String, u64)> = Vec::new();
    for line in String::from_utf8_lossy(&printed).lines() {
        let Some((count, function)) = line
            .trim()
            .split_once(" (")
            .zip(line.split_once(":fumi_"))
            .map(|((count, _), (_, function))| (count.replace(',', ""), format!("fumi_{function}")))
        else {
            continue;
        };
        let function = function.split(" [").next().unwrap_or_default().trim().to_owned();
        // One line for each file that parts of the function come from.
        if let Ok(count) = count.parse()
            && counts.iter().all(|(known, _)| *known != function)
        {
            counts.push((function, count));
        }
    }
    let whole = counts
        .iter()
        .find(|(function, _)| function == SEARCH)
        .expect("searches were counted")
        .1;
    let mut shares: Vec<(String, f64)> = counts
        .into_iter()
        .filter(|(function, count)| function.starts_with("fumi_code::") && *count < whole)
        .map(|(function, count)| (function, count as f64 * 100.0 / whole as f64))
        .filter(|(_, share)| *share >= LEAST_SHARE)
        .collect();
    shares.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    (whole / SEARCHES, shares)
}
