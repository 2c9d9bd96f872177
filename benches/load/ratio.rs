//! Throughput: cached calls of `search_content` beside a bare route that returns the same bytes.

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    bare::Bare,
    report::{Report, Row},
    request::{Connection, Request},
    server::{Server, processor_time},
    wrk::{Much, repeat},
};

/// Both are measured so often, the other one first each time.
const ROUNDS: usize = 7;
const MUCH: Much = Much {
    connections: 32,
    seconds: 3,
};
/// The longest processor time of a cached call in the server, in microseconds.
const CPU_BAR: f64 = 150.0;
/// The longest round trip of a cached call over HTTP with one client, in microseconds; the median.
const ROUND_TRIP_BAR: f64 = 500.0;
/// The calls of one client whose round trips are measured.
const ROUND_TRIPS: usize = 2_000;

/// What is asked for: the same search with replies of several sizes.
fn calls() -> [(&'static str, Value); 3] {
    let search = |more: Value| {
        let mut arguments = json!({"roots": ["src"], "query": "needle"});
        arguments
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        arguments
    };
    [
        ("search_content, total_only", search(json!({"total_only": true}))),
        (
            "search_content, 20 matches",
            search(json!({"include_globs": ["few_*"]})),
        ),
        ("search_content, 500 matches", search(json!({}))),
    ]
}

pub(crate) fn run(report: &mut Report) {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("src");
    fs::create_dir(&source).expect("made");
    for file in 0..500 {
        let name = if file < 20 { "few" } else { "many" };
        let text = format!("import os\n\n\ndef needle_{file}(line):\n    return line\n");
        fs::write(source.join(format!("{name}_{file:03}.py")), text).expect("written");
    }
    for (what, arguments) in calls() {
        compare(what, &arguments, folder.path(), &[], report);
    }
    let (what, arguments) = &calls()[1];
    let quiet = [("FUMI__LOG__FILTER", "warn")];
    compare(
        &format!("{what}, no access log"),
        arguments,
        folder.path(),
        &quiet,
        report,
    );
}

fn compare(what: &str, arguments: &Value, root: &std::path::Path, settings: &[(&str, &str)], report: &mut Report) {
    let server = Server::start(root, settings);
    let request = Request::call("search_content", arguments);
    let mut connection = Connection::open(&server.address);
    // Searched once, then answered from the cache.
    let replies: Vec<Value> = (0..4).map(|_| read(&mut connection, &request)).collect();
    assert_eq!(
        replies[3]["result"]["_meta"]["cache_hit"], true,
        "{what} is not cached: {}",
        replies[3]
    );
    let body = connection.send(&request).body;
    let bare = Bare::start(&body);
    let mut beside = Connection::open(&bare.address);
    assert!(
        beside.send(&request).body == body,
        "the bare route returns something else"
    );

    let (mut ratios, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut cpu, mut beside_cpu) = (Duration::ZERO, Duration::ZERO);
    let (mut replies, mut beside_replies) = (0, 0);
    for round in 0..=ROUNDS {
        let one = |address: &str, id: u32| {
            let before = processor_time(id);
            let load = repeat(address, &request, MUCH);
            assert_eq!(
                (load.other + load.refused, load.errors),
                (0, 0),
                "{what}: not every reply is a 200"
            );
            (load, processor_time(id).saturating_sub(before))
        };
        let (own, other) = if round % 2 == 0 {
            let own = one(&server.address, server.id());
            (own, one(&bare.address, bare.id()))
        } else {
            let other = one(&bare.address, bare.id());
            (one(&server.address, server.id()), other)
        };
        // The first warms up.
        if round > 0 {
            ratios.push(own.0.per_second / other.0.per_second);
            ours.push(own.0.per_second);
            theirs.push(other.0.per_second);
            cpu += own.1;
            beside_cpu += other.1;
            replies += own.0.replies;
            beside_replies += other.0.replies;
        }
    }
    let mut same = read(&mut connection, &request);
    let mut first: Value = serde_json::from_slice(&body).expect("JSON");
    for reply in [&mut same, &mut first] {
        remove_times(reply);
    }
    assert_eq!(same, first, "{what}: another reply than before");
    let mut round_trips: Vec<Duration> = (0..ROUND_TRIPS)
        .map(|_| {
            let began = Instant::now();
            assert_eq!(connection.send(&request).status, 200);
            began.elapsed()
        })
        .collect();
    round_trips.sort();
    for values in [&mut ratios, &mut ours, &mut theirs] {
        values.sort_by(f64::total_cmp);
    }
    report.ratio(&Row {
        what: what.to_owned(),
        bytes: body.len(),
        ours: ours[ROUNDS / 2],
        theirs: theirs[ROUNDS / 2],
        ratio: ratios[ROUNDS / 2],
        quartiles: (ratios[ROUNDS / 4], ratios[ROUNDS - 1 - ROUNDS / 4]),
        cpu: each(cpu, replies),
        beside_cpu: each(beside_cpu, beside_replies),
        cpu_bar: CPU_BAR,
        round_trip: round_trips[ROUND_TRIPS / 2],
        round_trip_bar: ROUND_TRIP_BAR,
    });
}

/// Removes what depends on the time of a call: the elapsed time, the tokens that its digits cost, the time in a cursor.
fn remove_times(reply: &mut Value) {
    let result = &mut reply["result"];
    for pointer in [
        "/_meta/fumi~1elapsed_ms",
        "/_meta/fumi~1tokens",
        "/structuredContent/elapsed_ms",
    ] {
        if let Some(value) = result.pointer_mut(pointer) {
            *value = json!(0);
        }
    }
    let Some(cursor) = result
        .pointer("/structuredContent/next/cursor")
        .and_then(Value::as_str)
        .map(str::to_owned)
    else {
        return;
    };
    // `ROW-CALL-TIME`; the text form of the reply shows it too.
    let timeless = cursor.rsplit_once('-').expect("three parts").0.to_owned();
    let text = result["content"][0]["text"]
        .as_str()
        .expect("a text")
        .replace(&cursor, &timeless);
    result["content"][0]["text"] = json!(text);
    result["structuredContent"]["next"]["cursor"] = json!(timeless);
}

fn read(connection: &mut Connection, request: &Request) -> Value {
    let answer = connection.send(request);
    assert_eq!(answer.status, 200);
    let text = String::from_utf8(answer.body).expect("UTF-8");
    let message: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("not JSON: {text}"));
    assert_eq!(message["result"]["isError"], false, "{text}");
    message
}

fn each(time: Duration, replies: u64) -> Duration {
    time / u32::try_from(replies.max(1)).expect("fewer than four billion replies")
}
