//! Replicas: what a call costs over Redis, and in a session that lives in another process.

use std::{fs, path::Path, thread, time::Duration};

use serde_json::{Value, json};

use super::{
    redis_server::RedisServer,
    report::Report,
    request::{Connection, Request},
    server::{Server, processor_time},
    wrk::{Much, count},
};

const ROUNDS: u32 = 3;
const SECONDS: u32 = 3;
/// The connections to all processes together.
const CONNECTIONS: u32 = 32;
/// The numbers of replicas.
const NUMBERS: [usize; 3] = [1, 2, 4];

/// Starts one more replica over a Redis server.
fn replica(redis: &RedisServer, root: &Path, state: &Path) -> Server {
    let url = format!("redis://127.0.0.1:{}", redis.port);
    let settings = [
        ("FUMI__SERVER__STATE_KEY", "0123456789abcdef0123456789abcdef"),
        ("FUMI__STORE__DIR", state.to_str().expect("UTF-8")),
    ];
    Server::start_over(&url, root, &settings)
}

pub(crate) fn run(report: &mut Report) {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, state) = (folder.path().join("src"), folder.path().join("state"));
    for made in [&source, &state] {
        fs::create_dir(made).expect("made");
    }
    for file in 0..20 {
        fs::write(
            source.join(format!("few_{file}.py")),
            "def needle(line):\n    return line\n",
        )
        .expect("written");
    }
    let arguments = json!({"roots": ["."], "query": "needle", "total_only": true});
    let call = Request::call("search_content", &arguments);
    let message = json!({
        "jsonrpc": "2.0", "id": "NUMBER", "method": "tools/call",
        "params": {"name": "search_content", "arguments": arguments},
    });

    let alone = [Server::start(&source, &[])];
    measure("without a session, state in memory", &alone, &alone, &call, report);
    let session = open(&alone[0]);
    measure(
        "in a session, state in memory",
        &alone,
        &alone,
        &Request::within(&session, &message),
        report,
    );
    drop(alone);

    let redis = RedisServer::start(&[]);
    for number in NUMBERS {
        let replicas: Vec<_> = (0..number).map(|_| replica(&redis, &source, &state)).collect();
        measure("without a session, over Redis", &replicas, &replicas, &call, report);
        if number == 2 {
            let within = Request::within(&open(&replicas[0]), &message);
            measure(
                "in a session, at its replica",
                &replicas,
                &replicas[..1],
                &within,
                report,
            );
            measure(
                "in a session, at the other replica",
                &replicas,
                &replicas[1..],
                &within,
                report,
            );
        }
    }
}

/// Opens a session, and returns its id.
fn open(server: &Server) -> String {
    let mut connection = Connection::open(&server.address);
    let session = connection.send(&Request::initialize()).session.expect("a session");
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(connection.send(&Request::within(&session, &told)).status, 202);
    session
}

/// Sends a request to some of the processes, and counts the processor time of all.
fn measure(what: &str, all: &[Server], asked: &[Server], request: &Request, report: &mut Report) {
    for server in asked {
        let answer = Connection::open(&server.address).send(request);
        let text = String::from_utf8(answer.body).expect("UTF-8");
        let reply = text
            .lines()
            .find_map(|line| line.strip_prefix("data: ").filter(|data| data.contains("result")));
        let reply: Value = serde_json::from_str(reply.unwrap_or(&text)).unwrap_or_else(|_| panic!("not JSON: {text}"));
        assert_eq!(reply["result"]["isError"], false, "{what}: {text}");
    }
    let number = u32::try_from(asked.len()).expect("few");
    let much = Much {
        connections: CONNECTIONS / number,
        seconds: SECONDS,
    };
    let (mut per_second, mut cpu, mut replies) = (Vec::new(), Duration::ZERO, 0);
    for round in 0..=ROUNDS {
        let used = || all.iter().map(|server| processor_time(server.id())).sum::<Duration>();
        let before = used();
        let loads = thread::scope(|scope| {
            let load = |server: &'_ Server| count(&server.address, request, much);
            let running: Vec<_> = asked.iter().map(|server| scope.spawn(move || load(server))).collect();
            running
                .into_iter()
                .map(|load| load.join().expect("measured"))
                .collect::<Vec<_>>()
        });
        for load in &loads {
            assert_eq!(
                (load.other + load.refused, load.errors),
                (0, 0),
                "{what}: not every reply is a 200"
            );
        }
        // The first warms up.
        if round > 0 {
            per_second.push(loads.iter().map(|load| load.per_second).sum());
            cpu += used().saturating_sub(before);
            replies += loads.iter().map(|load| load.replies).sum::<u64>();
        }
    }
    per_second.sort_by(f64::total_cmp);
    let each = cpu / u32::try_from(replies.max(1)).expect("fewer than four billion replies");
    report.replicas(what, all.len(), per_second[per_second.len() / 2], each);
}
