//! The cost of the process: its start, its memory, its size on disk.

use std::{fs, thread, time::Duration};

use serde_json::json;

use crate::{
    Bench,
    client::Server,
    measure::median_of,
    report::{Bar, Report},
    structure,
};

pub(crate) fn run(bench: &Bench, report: &mut Report) {
    let root = bench.tree.root.as_path();
    let started = median_of(bench.rounds, || Server::start(&[root], &[]).started_in);
    report.figure(
        "start to listening",
        started.as_secs_f64() * 1e3,
        "ms",
        Bar::Milliseconds(50.0),
    );

    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&[root, folder.path()], &[]);
    let mut client = server.client();
    client.call("list_files", &json!({"roots": ["."], "project_root": folder.path()}));
    report.figure("resident memory, idle", server.memory().0, "MB", Bar::Megabytes(40.0));
    for query in [r"fn \w+\(", "unsafe", "let", "RESOLVE_BENEATH", r"\w+::\w+"] {
        for format in [
            "total_only",
            "count_only_matches",
            "summary_only",
            "group_by_file",
            "optimize_paths",
        ] {
            client.call("search_content", &json!({"roots": ["."], "query": query, format: true}));
        }
        client.call("search_content", &json!({"roots": ["."], "query": query}));
        client.call(
            "find_and_grep",
            &json!({"roots": ["."], "extensions": ["rs"], "query": query}),
        );
    }
    client.call("list_files", &json!({"roots": ["."]}));
    let most = server.memory().1;
    let now = settled(&server);
    report.figure(
        "resident memory, after 36 project-wide searches",
        now,
        "MB",
        Bar::Megabytes(100.0),
    );
    report.figure("the most there was on the way", most, "MB", Bar::None);
    drop(client);
    drop(server);

    if let Some(text) = structure::python(200_000) {
        fs::write(folder.path().join("huge.py"), text).expect("written");
        let server = Server::start(&[folder.path()], &[]);
        let mut client = server.client();
        for format in ["full", "compact", "csv", "json", "signatures"] {
            client.call(
                "analyze_code_structure",
                &json!({"file_path": "huge.py", "format_type": format}),
            );
        }
        client.call("check_code_scale", &json!({"file_path": "huge.py"}));
        let most = server.memory().1;
        let now = settled(&server);
        report.figure(
            "resident memory, after a file of 200,000 lines",
            now,
            "MB",
            Bar::Megabytes(250.0),
        );
        report.figure(
            "the most there was on the way, 200,000 lines",
            most,
            "MB",
            Bar::Megabytes(250.0),
        );
    }
    let size = fs::metadata(env!("CARGO_BIN_EXE_fumi")).expect("it was built").len();
    #[expect(clippy::cast_precision_loss, reason = "megabytes")]
    let size = size as f64 / 1e6;
    report.figure("size of the binary, with line tables", size, "MB", Bar::None);
}

/// Memory after the allocator has returned the freed part to the system, which takes ten seconds.
pub(crate) fn settled(server: &Server) -> f64 {
    thread::sleep(Duration::from_secs(12));
    server.memory().0
}
