//! Instructions of one cached call, counted by callgrind: many calls minus few calls, so that the start is not in them.

use std::{fs, process::Command};

use serde_json::json;

use super::{
    report::Report,
    request::{Connection, Request},
    server::Server,
};

const FEW: u64 = 200;
const MANY: u64 = 1_200;

pub(crate) fn run(report: &mut Report) {
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
        let mut valgrind = Command::new("valgrind");
        valgrind
            .args(["--tool=callgrind", "--quiet"])
            .arg(format!("--callgrind-out-file={}", out.path().display()))
            .arg(env!("CARGO_BIN_EXE_fumi"));
        let server = Server::start_by(valgrind, folder.path(), &[]);
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
    report.instructions((many - few) / (MANY - FEW));
}
