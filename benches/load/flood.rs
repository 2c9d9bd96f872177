//! Floods: more than the server takes, of four kinds. Each must be refused in part, `/livez` must answer all the while, and
//! memory must stay within its bar. All three are asserted.

use std::{
    fs,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use serde_json::json;

use super::{
    report::{Report, most},
    request::{Connection, Request},
    server::Server,
    wrk::{Load, Much, count},
};

/// The most memory of the whole server, in megabytes.
const BAR: f64 = 300.0;
/// How often the probe is asked.
const PROBE: Duration = Duration::from_millis(50);

/// What a flood is called, what is sent, how much, under which configuration.
type Flood<'a> = (&'a str, Request, Much, &'a [(&'a str, &'a str)]);

pub(crate) fn run(report: &mut Report) {
    let folder = tempfile::tempdir().expect("a folder");
    for file in 0..2_000 {
        let text = format!("import os\n\n\ndef needle_{file}(line):\n    return line\n").repeat(20);
        fs::write(folder.path().join(format!("many_{file:04}.py")), text).expect("written");
    }
    let search = |query: &str| Request::call("search_content", &json!({"roots": ["."], "query": query}));
    let much = |connections| Much {
        connections,
        seconds: 8,
    };
    let kinds: [Flood; 3] = [
        // None of them is cached, and each takes a place until it is done.
        (
            "calls, 32 requests at once",
            search("needle_NUMBER"),
            much(256),
            &[("FUMI__LIMITS__REQUESTS", "32")],
        ),
        (
            "bodies of 1 MB, 8 MB at once",
            Request::call(
                "search_content",
                &json!({"roots": ["."], "query": "x", "more": "x".repeat(1_000_000)}),
            ),
            much(64),
            &[("FUMI__LIMITS__BODIES_BYTES", "8000000")],
        ),
        (
            "new sessions, 100 at most",
            Request::initialize(),
            much(64),
            &[("FUMI__SERVER__MAX_SESSIONS", "100")],
        ),
    ];
    for (what, request, much, settings) in kinds {
        let server = Server::start(folder.path(), settings);
        let (load, probes) = watched(&server, || count(&server.address, &request, much));
        assert!(load.refused > 0, "{what}: nothing was refused: {load:?}");
        assert_eq!(load.other, 0, "{what}: replies other than 200, 429 and 503: {load:?}");
        flooded(report, what, &server, Some(load), probes);
    }

    // Connections that say nothing. The limit of open files bounds them too.
    let server = Server::start(folder.path(), &[("FUMI__SERVER__MAX_CONNECTIONS", "500")]);
    let silent: Vec<_> = (0..540).map(|_| Connection::open(&server.address)).collect();
    let ((), probes) = watched(&server, || {
        let mut late = Connection::open(&server.address);
        assert_eq!(
            late.send(&search("needle_1")).status,
            503,
            "beyond the connections there are only probes"
        );
        thread::sleep(Duration::from_secs(3));
    });
    drop(silent);
    flooded(report, "540 silent connections, 500 at most", &server, None, probes);
}

/// Runs a flood and asks `/livez` meanwhile, each time over a new connection.
fn watched<T>(server: &Server, flood: impl FnOnce() -> T) -> (T, usize) {
    let (is_over, probes) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                assert_eq!(Connection::open(&server.address).get("/livez"), 200);
                probes.fetch_add(1, Ordering::Relaxed);
                thread::sleep(PROBE);
            }
        });
        let done = flood();
        is_over.store(true, Ordering::Relaxed);
        (done, probes.load(Ordering::Relaxed))
    })
}

fn flooded(report: &mut Report, what: &str, server: &Server, load: Option<Load>, probes: usize) {
    assert!(probes > 10, "{what}: /livez answered only {probes} times");
    let peak = server.memory().1;
    most(what, peak, BAR);
    report.flood(what, load, probes, peak, BAR);
}
