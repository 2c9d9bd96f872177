//! A thousand open sessions, each with a stream on which the server could speak.

use std::fs;

use serde_json::json;

use super::{
    report::{Report, most},
    request::{Connection, Request},
    server::Server,
};

const SESSIONS: usize = 1_000;
/// The most memory of the whole server, in megabytes.
const BAR: f64 = 300.0;

pub(crate) fn run(report: &mut Report) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.txt"), "a\n").expect("written");
    let server = Server::start(folder.path(), &[]);
    let list = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "list_files", "arguments": {"roots": ["."]}},
    });
    let idle = server.memory().0;
    let mut open = Vec::with_capacity(SESSIONS);
    for _ in 0..SESSIONS {
        let mut connection = Connection::open(&server.address);
        let began = connection.send(&Request::initialize());
        assert_eq!(began.status, 200);
        let session = began.session.expect("a session");
        let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(connection.send(&Request::within(&session, &told)).status, 202);
        assert_eq!(connection.listen(&session), 200);
        open.push((connection, session));
    }
    let (with_streams, _) = server.memory();
    // Each of them is there, and works beside its stream.
    let mut other = Connection::open(&server.address);
    for (_, session) in &open {
        assert_eq!(other.send(&Request::within(session, &list)).status, 200);
    }
    assert_eq!(other.get("/livez"), 200);
    let (after, peak) = server.memory();
    #[expect(clippy::cast_precision_loss, reason = "kilobytes a session")]
    let each = (with_streams - idle) * 1e3 / SESSIONS as f64;
    report.figure("memory before", idle, "MB", None);
    report.figure(
        &format!("memory with {SESSIONS} sessions and streams open"),
        with_streams,
        "MB",
        Some(BAR),
    );
    report.figure("for each session", each, "kB", None);
    report.figure("after a call in each of them", after, "MB", Some(BAR));
    most("sessions", peak, BAR);
}
