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
    let request = Request::call("search_content", &json!({"roots": ["."], "query": "needle"}));
    let count = |calls: u64| {
        let out = tempfile::NamedTempFile::new().expect("a file");
        let mut valgrind = Command::new("valgrind");
        valgrind
            .args(["--tool=callgrind", "--quiet"])
            .arg(format!("--callgrind-out-file={}", out.path().display()))
            .arg(env!("CARGO_BIN_EXE_fumi"));
        let server = Server::start_by(valgrind, folder.path(), &[]);
        let mut connection = Connection::open(&server.address);
        for _ in 0..calls {
            assert_eq!(connection.send(&request).status, 200);
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
