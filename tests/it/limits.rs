//! The limits of the HTTP edge as seen by clients: overload, requests that are served nevertheless, and the form of the
//! answers.

use std::{io::Read as _, net::TcpStream};

use fumi::http::auth::tokens::sha256_of;
use fumi_kernel::{Effect, catalogue::ToolEntry};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    gate::app_with_gate,
    harness::{SESSION, STATELESS, Server, Session, Stateless},
    program::Program,
    sample::{Sample, only_teaches},
    taught::is_japanese,
};

/// With one slot in use, the next request gets 503 with `Retry-After`, except those that need no slot.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_server_says_when_to_come_back_and_still_answers_probes() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |config| config.limits.requests = 1);
    let server = Server::start(app).await;
    let (client, session) = (Stateless::new(&server), Session::open(&server).await);
    // A stream that only listens needs no slot.
    let listening = session.listen().await;
    assert_eq!(listening.status(), StatusCode::OK);
    let running = tokio::spawn({
        let client = client.clone();
        async move { client.call("wait_at_gate", json!({})).await }
    });
    gate.entered().await;
    let refused = client.call("list_files", json!({"roots": ["."]})).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.headers["retry-after"], "1");
    let error = refused.error();
    assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32_000), &json!("SERVER_BUSY")));
    assert!(is_japanese(error["message"].as_str().unwrap()), "{error}");
    for probe in ["/livez", "/readyz"] {
        let answer = client.http.get(format!("{}{probe}", server.base)).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{probe}");
    }
    // An unknown session gets 404 nevertheless; a known one is refused like every request.
    let gone = Session { id: "no-such-session".to_owned(), ..session.clone() };
    let answer = gone.request("tools/list", json!({})).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert_eq!(answer.error()["data"]["code"], "SESSION_NOT_FOUND", "{}", answer.raw);
    assert_eq!(session.request("tools/list", json!({})).await.status, StatusCode::SERVICE_UNAVAILABLE);
    // Such an id does not avoid the limit in the stateless era either.
    let request = client.prepare(1, "tools/list", None, json!({})).header("Mcp-Session-Id", "no-such-session");
    assert_eq!(request.send().await.unwrap().status(), StatusCode::SERVICE_UNAVAILABLE);
    let stale = Session::initialize(&client.http, &server.url(), SESSION, Some("no-such-session")).await;
    assert_eq!(stale.status, StatusCode::SERVICE_UNAVAILABLE);
    gate.open();
    assert_eq!(running.await.unwrap().called().1, "through");
    assert!(!client.call("list_files", json!({"roots": ["."]})).await.called().2);
    drop(listening);
}

/// Many clients at once for a few slots: the number of sessions never exceeds the limit, and no request fails
/// otherwise.
#[tokio::test(flavor = "multi_thread")]
async fn the_last_sessions_go_to_the_first_clients() {
    let sample = Sample::new();
    let server = Server::start(sample.app_with(&[], |config| config.server.max_sessions = 3)).await;
    let http = reqwest::Client::new();
    let opening: Vec<_> = (0..24)
        .map(|_| {
            let (http, url) = (http.clone(), server.url());
            tokio::spawn(async move { Session::initialize(&http, &url, SESSION, None).await })
        })
        .collect();
    let mut opened = 0;
    for one in opening {
        match one.await.unwrap().status {
            StatusCode::OK => opened += 1,
            status => assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE),
        }
    }
    assert!((1..=3).contains(&opened), "{opened} sessions");
    // The clients that were refused only because others came at the same time get a session now.
    while opened < 3 {
        Session::open(&server).await;
        opened += 1;
    }
    let late = Session::initialize(&http, &server.url(), SESSION, None).await;
    assert_eq!(late.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test(flavor = "multi_thread")]
async fn json_is_compressed_on_request_and_streams_never() {
    let sample = Sample::large(4, 40);
    let server = Server::start(sample.app()).await;
    let (client, session) = (Stateless::new(&server), Session::open(&server).await);
    let list = |asks: bool| {
        let request = client.prepare(
            1,
            "tools/call",
            Some("list_files"),
            json!({"name": "list_files", "arguments": {"roots": ["src"]}}),
        );
        if asks { request.header("Accept-Encoding", "gzip") } else { request }
    };
    let plain = list(false).send().await.unwrap();
    assert!(plain.headers().get("content-encoding").is_none());
    let plain = plain.bytes().await.unwrap();
    let zipped = list(true).send().await.unwrap();
    assert_eq!(zipped.headers()["content-encoding"], "gzip");
    assert_eq!(zipped.headers()["content-type"], "application/json");
    let zipped = zipped.bytes().await.unwrap();
    assert!(zipped.starts_with(&[0x1f, 0x8b]) && zipped.len() < plain.len() / 3);
    // Small replies and event streams are not compressed.
    let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}});
    let stream = session.prepare(&message).header("Accept-Encoding", "gzip").send().await.unwrap();
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    assert!(stream.headers().get("content-encoding").is_none());
    let small = client.prepare(3, "no/such", None, json!({})).header("Accept-Encoding", "gzip");
    assert!(small.send().await.unwrap().headers().get("content-encoding").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_has_an_id_that_can_stand_in_a_log() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let http = reqwest::Client::new();
    let id = async |own: Option<&str>| {
        let mut request = http.get(format!("{}/livez", server.base));
        if let Some(own) = own {
            request = request.header("X-Request-Id", own);
        }
        let answer = request.send().await.unwrap();
        answer.headers()["x-request-id"].to_str().unwrap().to_owned()
    };
    let (first, second) = (id(None).await, id(None).await);
    assert_ne!(first, second);
    assert_eq!(id(Some("mine-1")).await, "mine-1");
    for bad in ["", "with space", "quote\"", &"x".repeat(65)] {
        assert_ne!(id(Some(bad)).await, bad);
    }
}

/// Facts of a request that the log has, and facts that it must not have.
#[test]
fn the_access_log_has_a_line_for_each_request_and_no_word_of_the_clients() {
    let sample = Sample::new();
    let program = Program::start(&sample, &[("TELEMETRY__METRICS_LISTEN", "127.0.0.1:0")]);
    let host = &program.address.clone();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    for request in [
        format!("GET /livez?canary=1 HTTP/1.1\r\nHost: {host}\r\nX-Request-Id: first\r\nX-Canary: canary\r\n\r\n"),
        format!("GET /canary HTTP/1.1\r\nHost: {host}\r\nX-Request-Id: second\r\n\r\n"),
        format!("CANARY /livez HTTP/1.1\r\nHost: {host}\r\nX-Request-Id: third\r\n\r\n"),
        "GET /livez HTTP/1.1\r\nHost: canary.example\r\nX-Request-Id: fourth\r\n\r\n".to_owned(),
        format!(
            "POST /mcp/canary HTTP/1.1\r\nHost: {host}\r\nX-Request-Id: fifth\r\nContent-Length: {}\r\n\r\n{call}",
            call.len()
        ),
    ] {
        program.ask(request.as_bytes());
    }
    let arguments = r#"{"roots": ["."]}"#;
    let rest = format!(
        "POST /v1/tools/list_files HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nX-Request-Id: sixth\r\nContent-Length: {}\r\n\r\n{arguments}",
        arguments.len()
    );
    program.ask(rest.as_bytes());
    let log = program.survived();
    let start = log.lines().find(|line| line.contains("fumi starts")).unwrap_or_else(|| panic!("{log}"));
    for part in ["version=", "roots=", "auth=\"none\"", "config=\"none\"", "metrics=\"127.0.0.1:"] {
        assert!(start.contains(part), "{part} is not in {start}");
    }
    // The ports that the system chose are logged.
    assert!(!start.contains(":0/") && start.contains(&format!("listen={host}")), "{start}");
    let line = |id: &str| {
        let mut lines = log
            .lines()
            .filter(|line| line.contains(" request method=") && line.contains(&format!("request_id=\"{id}\"")));
        let line = lines.next().unwrap_or_else(|| panic!("no line for {id} in {log}"));
        assert!(lines.next().is_none(), "two lines for {id}: {log}");
        line.to_owned()
    };
    for (id, parts) in [
        ("first", ["method=\"GET\"", "route=\"/livez\"", "status=200", "bytes=3"]),
        ("second", ["method=\"GET\"", "route=\"none\"", "status=404", "ms="]),
        ("third", ["method=\"other\"", "route=\"/livez\"", "status=405", "ms="]),
        ("fourth", ["method=\"GET\"", "route=\"/livez\"", "status=403", "ms="]),
        ("fifth", ["method=\"POST\"", "route=\"/mcp/{*rest}\"", "status=404", "ms="]),
        ("sixth", ["method=\"POST\"", "status=200", "mcp=\"tools/call\"", "tool=\"list_files\""]),
    ] {
        let line = line(id);
        for part in parts {
            assert!(line.contains(part), "{part} is not in {line}");
        }
    }
    assert!(!log.to_lowercase().contains("canary"), "{log}");
}

/// One line for each write and each refusal, with names.
#[test]
fn the_log_names_who_wrote_which_file_and_who_called_what() {
    let sample = Sample::empty();
    let sha256 = sha256_of("secret");
    let tokens = format!("[{{name=\"ci\",sha256={sha256:?},rate_per_minute=3}}]");
    let program = Program::start(&sample, &[("AUTH__MODE", "tokens"), ("AUTH__TOKENS", &tokens)]);
    let call = |name: &str, arguments: Value| {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": name, "arguments": arguments, "_meta": {
                "io.modelcontextprotocol/protocolVersion": STATELESS,
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            }},
        })
        .to_string();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer secret\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {STATELESS}\r\n\
             Mcp-Method: tools/call\r\nMcp-Name: {name}\r\nX-Request-Id: {name}\r\nContent-Length: {}\r\n\r\n",
            program.address,
            message.len()
        );
        program.ask(format!("{head}{message}").as_bytes()).status
    };
    assert_eq!(call("write", json!({"file_path": "a.md", "content": "text\n"})), 200);
    assert_eq!(call("list_files", json!({"roots": ["."], "output_file": "list.json"})), 200);
    assert_eq!(call("list_files", json!({"roots": ["."]})), 200);
    assert_eq!(call("list_files", json!({"roots": ["."]})), 429);
    let log = program.survived();
    let lines = |parts: &[&str]| {
        let fits = |line: &&str| parts.iter().all(|part| line.contains(part));
        log.lines().filter(fits).count()
    };
    let written = |tool: &str, file: &str| {
        let (tool, file) = (format!("tool=\"{tool}\""), format!("file=\"{file}\""));
        lines(&["written", "principal=\"ci\"", &tool, &file])
    };
    assert_eq!(written("write", "a.md"), 1, "{log}");
    assert_eq!(written("list_files", ".fumi/output/list.json"), 1, "{log}");
    assert_eq!(lines(&[" request method=", "mcp=\"tools/call\"", "tool=\"write\""]), 1, "{log}");
    assert_eq!(lines(&["code=\"RATE_LIMITED\"", "principal=\"ci\""]), 1, "{log}");
}

/// Beyond the maximum number of open connections, probes are still answered and every other request gets 503.
#[test]
fn beyond_the_connections_only_probes_are_answered() {
    let sample = Sample::new();
    let program = Program::start(&sample, &[("SERVER__MAX_CONNECTIONS", "4")]);
    let host = program.address.clone();
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let mut open: Vec<_> = (0..4)
        .map(|_| {
            let mut raw = program.connect();
            raw.send(get("/livez").as_bytes());
            assert_eq!(raw.answer().unwrap().status, 200);
            raw
        })
        .collect();
    for _ in 0..20 {
        let mut raw = program.connect();
        raw.send(get("/livez").as_bytes());
        assert_eq!(raw.answer().unwrap().status, 200);
        // The connection serves one request only.
        assert!(raw.until_closed().is_empty());
        let refused = program.ask(get("/v1/errors").as_bytes());
        assert_eq!(refused.status, 503);
        assert_eq!(refused.header("retry-after"), Some("1"));
        let body: Value = serde_json::from_slice(&refused.body).unwrap();
        assert_eq!(body["error"]["code"], "SERVER_BUSY");
    }
    // Open connections stay usable, and a free slot is given to another.
    open[0].send(get("/v1/errors").as_bytes());
    assert_eq!(open[0].answer().unwrap().status, 200);
    drop(open);
    while program.ask(get("/v1/errors").as_bytes()).status != 200 {}
    program.survived();
}

/// A process with few file descriptors: connections that it cannot accept wait, and are served once there is a free
/// one.
#[cfg(target_os = "linux")]
#[test]
fn running_out_of_file_descriptors_does_not_end_the_server() {
    let sample = Sample::new();
    let mut few = std::process::Command::new("sh");
    few.args(["-c", "ulimit -n 40; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_fumi")]);
    let program = Program::start_by(few, &sample, &[("SERVER__HEADER_SECONDS", "2")]);
    let silent: Vec<TcpStream> = (0..120).map(|_| TcpStream::connect(&program.address).unwrap()).collect();
    // They are cut off after their timeout, one after the other.
    for mut one in silent {
        let _ = one.read(&mut [0]);
    }
    let log = program.survived();
    assert!(log.contains("fewer connections than server.max_connections"), "{log}");
}

/// A process without a free file descriptor cannot read its project. It must not report the project as empty, nor cache
/// that.
#[cfg(target_os = "linux")]
#[test]
fn without_file_descriptors_a_call_is_right_or_fails_and_nothing_wrong_is_kept() {
    let sample = Sample::new();
    let app = sample.app();
    let program = Program::start(&sample, &[]);
    let mut raw = program.connect();
    let mut call = |entry: &ToolEntry| {
        let body = Value::Object(sample.example(entry)).to_string();
        let (name, host, length) = (entry.spec.name, &program.address, body.len());
        let head = format!(
            "POST /v1/tools/{name} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        raw.send((head + &body).as_bytes());
        let answer = raw.answer().expect("an answer");
        let mut body: Value = serde_json::from_slice(&answer.body).unwrap();
        for changing in ["elapsed_ms", "cache_hit"] {
            body.as_object_mut().unwrap().remove(changing);
        }
        (answer.status, body)
    };
    let reads = |entry: &&ToolEntry| {
        entry.spec.effect == Effect::ReadOnly && entry.spec.toolset != "browser" && !only_teaches(entry)
    };
    let tools: Vec<&ToolEntry> = app.catalogue.entries().iter().filter(reads).collect();
    // The connection exists, and so does the parser process.
    let structure = tools.iter().find(|entry| entry.spec.name == "analyze_code_structure").unwrap();
    assert_eq!(call(structure).0, 200);
    let mut failed = 0;
    for entry in tools {
        let name = entry.spec.name;
        program.limit_open_files(3);
        let starved = call(entry);
        program.limit_open_files(1_000);
        let healed = call(entry);
        assert_eq!(healed.0, 200, "{name}: {}", healed.1);
        if starved.0 == 503 {
            assert_eq!(starved.1["error"]["code"], "BUSY", "{name}: {}", starved.1);
            failed += 1;
        } else {
            assert_eq!(starved, healed, "{name}");
        }
    }
    let log = program.survived();
    let is_logged = |line: &&str| line.contains(" WARN ") && line.contains("the system failed a call");
    let logged: Vec<&str> = log.lines().filter(is_logged).collect();
    assert_eq!(logged.len(), failed, "{log}");
    // A walk knows only that the system failed.
    let is_explained = |line: &&str| ["Too many open files", "no open file"].iter().any(|cause| line.contains(cause));
    assert!(failed > 5 && logged.iter().all(is_explained), "{log}");
}

/// Over a connection that exists already: a new one could not be accepted.
#[cfg(target_os = "linux")]
#[test]
fn readyz_reports_exhausted_descriptors() {
    let sample = Sample::new();
    let program = Program::start(&sample, &[]);
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {}\r\n\r\n", program.address);
    let mut raw = program.connect();
    let mut ready = || {
        raw.send(request.as_bytes());
        let answer = raw.answer().expect("an answer");
        (answer.status, answer.text())
    };
    assert_eq!(ready(), (200, "ok\n".to_owned()));
    program.limit_open_files(3);
    assert_eq!(ready(), (503, "no file descriptors are left\n".to_owned()));
    program.limit_open_files(1_000);
    assert_eq!(ready(), (200, "ok\n".to_owned()));
    program.survived();
}

/// The bound of the cache is one of memory, so cached answers must weigh what they take.
#[test]
fn cached_answers_weigh_about_their_memory() {
    const ROWS: usize = 500;
    let sample = Sample::new();
    sample.file("rows.txt", "an item in a row\n".repeat(ROWS));
    let program = Program::start(&sample, &[]);
    let search = |number: usize| {
        let arguments = json!({"files": ["rows.txt"], "query": format!("item|absent{number}")});
        let (host, body) = (&program.address, arguments.to_string());
        let length = body.len();
        let request = format!(
            "POST /v1/tools/search_content HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        let answer: Value = serde_json::from_slice(&program.ask(request.as_bytes()).body).unwrap();
        assert_eq!(answer["total_matches"], ROWS, "{answer}");
    };
    let counted = || {
        let request = format!("GET /metrics HTTP/1.1\r\nHost: {}\r\n\r\n", program.address);
        let metrics = program.ask(request.as_bytes()).text();
        let line = metrics.lines().find(|line| line.starts_with("fumi_cache_bytes"));
        let value = line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
        value.unwrap_or_else(|| panic!("no fumi_cache_bytes: {metrics}"))
    };
    // The first calls also start what every call uses.
    (0..20).for_each(search);
    let before = (counted(), program.resident_memory() as f64);
    (20..320).for_each(search);
    let (counted, taken) = (counted() - before.0, program.resident_memory() as f64 - before.1);
    let ratio = taken / counted;
    assert!(counted > 10e6 && (0.4..2.5).contains(&ratio), "{taken} bytes taken, {counted} counted");
}
