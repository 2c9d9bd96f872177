//! Hostile peers: bytes that a normal client does not send, over TCP to the real program. Each is refused with its
//! status, the server answers afterwards, and its log has no panic ([`Program::survived`]).
//!
//! The tests do not assert times: timeouts are configured short, and the tests wait for the end. Values that random
//! tests found are in tests/fixtures/hostile and tried first.

use std::{
    thread,
    time::{Duration, Instant},
};

use fumi::http::{
    auth::tokens::sha256_of,
    router::{Edge, routes},
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    strategy::ValueTree as _,
    test_runner::{Config, RngSeed, TestRunner},
};
use serde_json::{Value, json};

use crate::{
    harness::STATELESS,
    program::Program,
    sample::{Sample, call},
};

/// Every route with an example path and the methods that it accepts.
fn all_routes(sample: &Sample) -> Vec<(String, &'static [&'static str])> {
    let edge = Edge::new(sample.app()).unwrap();
    let routes: Vec<_> = routes(&edge)
        .iter()
        .map(|route| {
            let parts = route.path.split('/').map(|part| if part.starts_with('{') { "code" } else { part });
            (parts.collect::<Vec<_>>().join("/"), route.methods)
        })
        .collect();
    assert!(routes.len() > 10, "{routes:?}");
    routes
}

/// A path that does not belong to a route.
const NOWHERE: &str = "/no/such/route";

fn get(host: &str, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n")
}

/// Returns a message with the headers that a stateless client sends.
fn post(host: &str, more: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nAccept: application/json, \
         text/event-stream\r\n{more}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_that_trickle_are_cut_off_while_others_are_served() {
    let sample = Sample::new();
    let program = Program::start(&sample, &[("SERVER__HEADER_SECONDS", "1"), ("SERVER__KEEP_ALIVE_SECONDS", "1")]);
    let host = program.address.clone();
    let starts: [&[u8]; 7] = [
        b"",
        b"G",
        b"P",
        b"PRI * HTTP/2.0\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
        b"\r\n",
    ];
    let slow: Vec<_> = starts
        .into_iter()
        .cycle()
        .take(70)
        .map(|start| {
            let mut raw = program.connect();
            raw.send(start);
            // Such a connection sends a further byte now and then, until it is cut off.
            let trickles = !start.is_empty();
            thread::spawn(move || {
                while trickles && raw.try_send(b"a") {
                    thread::sleep(Duration::from_millis(50));
                }
                raw.until_closed()
            })
        })
        .collect();
    // A connection that was served and then sends nothing.
    let mut idle = program.connect();
    idle.send(get(&host, "/livez").as_bytes());
    assert_eq!(idle.answer().unwrap().status, 200);
    for _ in 0..50 {
        assert_eq!(program.ask(get(&host, "/readyz").as_bytes()).status, 200);
    }
    for one in slow {
        let said = String::from_utf8_lossy(&one.join().unwrap()).into_owned();
        // Closed, or answered as an invalid request.
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 400"), "{said}");
    }
    assert!(idle.until_closed().is_empty());
    program.survived();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_body_is_a_408_and_a_broken_one_is_ignored() {
    let sample = Sample::new();
    let program = Program::start(&sample, &[("SERVER__BODY_SECONDS", "1")]);
    let host = program.address.clone();
    for head in [
        "Content-Length: 100\r\n\r\n{\"jsonrpc\"",
        "Content-Length: 100\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"jso\r\n",
    ] {
        let request = format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n{head}");
        let answer = program.ask(request.as_bytes());
        assert_eq!(answer.status, 408, "{head}");
        assert!(answer.text().contains("BODY_LATE"), "{}", answer.text());
        // The other end closes in the middle.
        drop({
            let mut raw = program.connect();
            raw.send(request.as_bytes());
            raw
        });
    }
    let broken = format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\nxx");
    assert_eq!(program.ask(broken.as_bytes()).status, 400);
    program.survived();
}

/// A body has room for hundreds of thousands of wrong arguments. The first ones are told; the rest costs no more than to be
/// read.
#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_thousands_of_wrong_arguments_cost_little_memory() {
    let sample = Sample::new();
    let program = Program::start(&sample, &[]);
    let unknown: serde_json::Map<String, Value> = (0..60_000).map(|at| (format!("k{at}"), json!(at))).collect();
    let mut named_twice = unknown.clone();
    named_twice.insert("query".to_owned(), json!("x"));
    let long_name = json!({"q".repeat(500_000): 1});
    let calls = [
        ("search_content", Value::Object(named_twice)),
        ("search_content", json!({"query": "x", "files": vec![1; 300_000]})),
        ("search_content", json!({"query": "x", "files": vec![9e20; 100_000]})),
        ("search_content", json!({"query": "x", "expectation": {"wanted": vec![1; 300_000]}})),
        ("search_content", long_name),
        ("batch_execute", json!({"steps": vec![json!({"tool": "search_content", "arguments": unknown}); 4]})),
    ];
    for (tool, arguments) in calls {
        let body = arguments.to_string();
        let head = format!(
            "POST /v1/tools/{tool} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            program.address,
            body.len()
        );
        let answer = program.ask(&[head.as_bytes(), body.as_bytes()].concat());
        let text = answer.text();
        assert!(text.contains("INVALID_ARGUMENTS"), "{}", &text[..text.len().min(500)]);
        assert!(text.len() < 50_000, "{tool}: {} bytes", text.len());
    }
    let peak = program.peak_memory() >> 20;
    assert!(peak < 400, "{peak} MiB");
    program.survived();
}

/// A partial body is kept only until the body timeout, not for as long as the sender trickles.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_trickles_is_a_408_soon_and_a_slow_one_is_taken() {
    let sample = Sample::new();
    let settings = [("SERVER__BODY_SECONDS", "1"), ("LIMITS__BODY_BYTES", "100000")];
    let program = Program::start(&sample, &settings);
    let host = program.address.clone();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
    );
    let began = Instant::now();
    let mut raw = program.connect();
    raw.send(format!("{head}Content-Length: 90000\r\n\r\n{}", " ".repeat(89_000)).as_bytes());
    let trickled = thread::spawn(move || {
        for _ in 0..60 {
            if !raw.try_send(b" ") {
                break;
            }
            thread::sleep(Duration::from_millis(100));
        }
        raw.answer().unwrap()
    });
    // 60 % of the time that a part of the body may take.
    let mut slow = program.connect();
    slow.send(format!("{head}Content-Length: 60000\r\n\r\n").as_bytes());
    for _ in 0..5 {
        slow.send(&[b' '; 12_000]);
        thread::sleep(Duration::from_millis(600));
    }
    let answer = slow.answer().unwrap();
    assert_eq!(answer.status, 400, "{}", answer.text());
    let answer = trickled.join().unwrap();
    assert_eq!(answer.status, 408, "{}", answer.text());
    assert!(answer.text().contains("10000 bytes"), "{}", answer.text());
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    program.survived();
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_that_are_too_large_are_refused() {
    let sample = Sample::new();
    let program = Program::start(&sample, &[]);
    let host = program.address.clone();
    let with = |headers: &str| format!("GET /livez HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n");
    for (what, request, status) in [
        ("a header of 100 KB", with(&format!("X-Large: {}\r\n", "x".repeat(100_000))), 431),
        ("10,000 headers", with(&"X-Many: 1\r\n".repeat(10_000)), 431),
        ("101 headers", with(&"X-Many: 1\r\n".repeat(101)), 431),
        ("a URL of 10 KB", get(&host, &format!("/livez?{}", "x".repeat(10_000))), 414),
        ("a URL of 100 KB", get(&host, &format!("/livez?{}", "x".repeat(100_000))), 431),
        ("a method of 100 KB", format!("{} /livez HTTP/1.1\r\nHost: {host}\r\n\r\n", "M".repeat(100_000)), 431),
        ("90 headers", with(&"X-Many: 1\r\n".repeat(90)), 200),
        ("a header of 20 KB", with(&format!("X-Large: {}\r\n", "x".repeat(20_000))), 200),
    ] {
        assert_eq!(program.ask(request.as_bytes()).status, status, "{what}");
    }
    for nonsense in ["\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nHost\r\n\r\n"] {
        assert_eq!(program.ask(nonsense.as_bytes()).status, 400, "{nonsense:?}");
    }
    program.survived();
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_names_are_refused_on_every_route_before_anything_else() {
    let sample = Sample::new();
    let program = Program::start(&sample, &[]);
    let host = program.address.clone();
    let mut paths: Vec<String> = all_routes(&sample).into_iter().map(|(path, _)| path).collect();
    paths.push(NOWHERE.to_owned());
    for path in &paths {
        for method in ["GET", "POST", "DELETE", "OPTIONS", "PUT", "BREW"] {
            for (headers, status) in [
                ("Host: evil.example\r\n".to_owned(), 403),
                ("Host: localhost.evil.example:80\r\n".to_owned(), 403),
                (format!("Host: {host}\r\nOrigin: http://evil.example\r\n"), 403),
                (format!("Host: {host}\r\nOrigin: null\r\n"), 403),
                (format!("Host: {host}\r\nOrigin: {host}\r\n"), 403),
                (format!("Host: {host}\r\nHost: {host}\r\n"), 400),
                (format!("Host: {host}\r\nHost: evil.example\r\n"), 400),
                (String::new(), 400),
                ("Host:\r\n".to_owned(), 403),
            ] {
                let request = format!("{method} {path} HTTP/1.1\r\n{headers}\r\n");
                let answer = program.ask(request.as_bytes());
                assert_eq!(answer.status, status, "{method} {path} {headers}");
                assert_eq!(answer.header("access-control-allow-origin"), None, "{method} {path}");
            }
        }
        // The name in the request line takes precedence over the header in proxies.
        let absolute = format!("GET http://evil.example{path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        assert_eq!(program.ask(absolute.as_bytes()).status, 403, "{path}");
    }
    program.survived();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_refuses_the_methods_that_it_does_not_take() {
    let sample = Sample::new();
    // The project that `all_routes` names.
    let root = sample.root().to_string_lossy().into_owned();
    let program = Program::start(&sample, &[("PROJECTS__NAMED__CODE", &root)]);
    let host = program.address.clone();
    for (path, taken) in all_routes(&sample) {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"] {
            if taken.contains(&method) {
                continue;
            }
            let request = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
            let answer = program.ask(request.as_bytes());
            assert_eq!(answer.status, 405, "{method} {path}: {}", answer.text());
            let allowed = answer.header("allow").unwrap_or_default();
            for method in taken {
                assert!(allowed.contains(method), "{path} allows {allowed:?}");
            }
            let body: Value = serde_json::from_slice(&answer.body).unwrap();
            assert!(body["error"].is_object(), "{method} {path}: {body}");
        }
    }
    program.survived();
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_over_the_limit_are_refused_however_they_are_framed_on_every_route() {
    let sample = Sample::new();
    let program = Program::start(&sample, &[("LIMITS__BODY_BYTES", "10000")]);
    let host = program.address.clone();
    let mut paths: Vec<String> = all_routes(&sample).into_iter().map(|(path, _)| path).collect();
    paths.push(NOWHERE.to_owned());
    let large = "x".repeat(20_000);
    for path in &paths {
        for method in ["GET", "POST", "DELETE"] {
            for body in [
                format!("Content-Length: 20000\r\n\r\n{large}"),
                format!("Transfer-Encoding: chunked\r\n\r\n4e20\r\n{large}\r\n0\r\n\r\n"),
                format!(
                    "Transfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n",
                    format!("3e8\r\n{}\r\n", "x".repeat(1_000)).repeat(20)
                ),
                // Announced but never sent.
                "Content-Length: 99999999999\r\n\r\n".to_owned(),
            ] {
                let request = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{body}");
                let answer = program.ask(request.as_bytes());
                assert_eq!(answer.status, 413, "{method} {path}: {}", answer.text());
                let text = answer.text();
                assert!(text.contains("BODY_TOO_LARGE") || text.contains("BODY_UNWANTED"), "{text}");
            }
        }
    }
    program.survived();
}

/// More bodies at once than there is memory for. Which of two is refused depends on which is read first, and a client
/// cannot control that: if the wrong one was refused, both are sent again.
#[tokio::test(flavor = "multi_thread")]
async fn all_bodies_together_are_bounded() {
    let sample = Sample::new();
    let settings = [("LIMITS__BODY_BYTES", "4000000"), ("LIMITS__BODIES_BYTES", "4000000")];
    for _ in 0..20 {
        let program = Program::start(&sample, &settings);
        let is_shown = the_second_body_is_refused(&program);
        program.survived();
        if is_shown {
            return;
        }
    }
    panic!("two bodies that have no room together were never seen to be bounded");
}

fn the_second_body_is_refused(program: &Program) -> bool {
    let head =
        |length: usize| format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: {length}\r\n\r\n", program.address);
    let (begin, rest) = ("x".repeat(3_000_000), "x".repeat(500_000));
    let mut first = program.connect();
    first.send(head(begin.len() + rest.len()).as_bytes());
    first.send(begin.as_bytes());
    // So that it is read first.
    thread::sleep(Duration::from_millis(100));

    let half = "x".repeat(1_000_000);
    let mut second = program.connect();
    second.send(head(2 * half.len()).as_bytes());
    second.send(half.as_bytes());
    second.send(half.as_bytes());
    let refused = second.answer().expect("a client that is still sending may finish, and gets the refusal");
    if refused.status != 503 {
        return false;
    }
    assert_eq!(refused.header("retry-after"), Some("1"));
    // The connection stays usable.
    second.send(format!("GET /livez HTTP/1.1\r\nHost: {}\r\n\r\n", program.address).as_bytes());
    assert_eq!(second.answer().unwrap().status, 200);

    first.send(rest.as_bytes());
    if first.answer().unwrap().status == 503 {
        return false;
    }
    // The memory is free again.
    assert_ne!(program.ask(format!("{}{half}", head(half.len())).as_bytes()).status, 503);
    true
}

/// A program with two tokens and memory for two megabytes of bodies.
fn with_tokens(sample: &Sample) -> Program {
    let tokens = ["one", "two"].map(|name| {
        let sha256 = sha256_of(name);
        format!("{{name={name:?},sha256={sha256:?}}}")
    });
    let tokens = format!("[{}]", tokens.join(","));
    let settings = [
        ("AUTH__MODE", "tokens"),
        ("AUTH__TOKENS", tokens.as_str()),
        ("LIMITS__BODY_BYTES", "500000"),
        ("LIMITS__BODIES_BYTES", "2000000"),
    ];
    Program::start(sample, &settings)
}

/// A body of `length` bytes; `who` is a token.
fn body_of(program: &Program, who: &str, length: usize) -> Vec<u8> {
    let token = format!("Authorization: Bearer {who}\r\n");
    post(&program.address, &token, "x".repeat(length).as_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn unauthenticated_partial_bodies_take_no_memory_from_callers() {
    let sample = Sample::new();
    let program = with_tokens(&sample);
    let paths = ["/livez", "/readyz", "/.well-known/oauth-protected-resource/mcp"];
    let mut strangers = Vec::new();
    for path in paths.into_iter().cycle().take(20) {
        let mut raw = program.connect();
        let head = format!("POST {path} HTTP/1.1\r\nHost: {}\r\n", program.address);
        raw.send(format!("{head}Content-Length: 400001\r\n\r\n").as_bytes());
        raw.try_send(&vec![b'x'; 400_000]);
        let answer = raw.answer();
        // A client that is still sending may find the connection closed instead.
        assert!(answer.is_none_or(|answer| answer.status == 413), "{path}");
        strangers.push(raw);
    }
    assert_eq!(program.ask(&body_of(&program, "one", 400_000)).status, 400, "no message, but read");
    program.survived();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_principal_leaves_room_for_the_bodies_of_others() {
    let sample = Sample::new();
    let program = with_tokens(&sample);
    let whole = body_of(&program, "one", 400_000);
    let mut held_back = Vec::new();
    // A client cannot see which of several bodies is refused, so bodies are sent until there is no memory for another.
    loop {
        let mut raw = program.connect();
        raw.send(&whole[..whole.len() - 1]);
        held_back.push(raw);
        if program.ask(&whole).status == 503 {
            break;
        }
    }
    assert_eq!(program.ask(&body_of(&program, "two", 400_000)).status, 400, "no message, but read");
    program.survived();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_message_is_a_400() {
    let sample = Sample::new();
    let program = Program::start(&sample, &[]);
    let host = program.address.clone();
    let nested = |open: &str, count: usize| open.repeat(count).into_bytes();
    for (body, code) in [
        (b"\xff\xfe\xfd".to_vec(), -32_700),
        (b"{\"jsonrpc\": \"\xc3\x28\"}".to_vec(), -32_700),
        (b"".to_vec(), -32_700),
        (b"{".to_vec(), -32_700),
        (nested("[", 100_000), -32_700),
        (nested("{\"a\":", 100_000), -32_700),
        ([nested("[", 100_000), nested("]", 100_000)].concat(), -32_700),
        (b"[]".to_vec(), -32_600),
        (b"null".to_vec(), -32_600),
        (b"5".to_vec(), -32_600),
        (b"{}".to_vec(), -32_600),
        (b"{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"ping\"}".to_vec(), -32_600),
        (b"[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]".to_vec(), -32_600),
    ] {
        let shown: String = String::from_utf8_lossy(&body).chars().take(40).collect();
        for era in [String::new(), format!("MCP-Protocol-Version: {STATELESS}\r\nMcp-Method: tools/list\r\n")] {
            let answer = program.ask(&post(&host, &era, &body));
            assert_eq!(answer.status, 400, "{shown}: {}", answer.text());
            let said: Value = serde_json::from_slice(&answer.body).unwrap();
            assert_eq!(said["error"]["code"], code, "{shown}: {said}");
            assert_eq!((&said["jsonrpc"], &said["id"]), (&json!("2.0"), &Value::Null));
        }
        let rest = format!(
            "POST /v1/tools/search_content HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: \
             {}\r\n\r\n",
            body.len()
        );
        let status = program.ask(&[rest.as_bytes(), &body].concat()).status;
        assert_eq!(status, 400, "{shown}");
    }
    program.survived();
}

#[tokio::test(flavor = "multi_thread")]
async fn pipelined_requests_are_answered_in_order() {
    let sample = Sample::new();
    let program = Program::start(&sample, &[]);
    let host = program.address.clone();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let mut all = Vec::new();
    let mut expected = Vec::new();
    for round in 0..50 {
        for (request, status) in [
            (get(&host, "/livez").into_bytes(), 200),
            (get(&host, NOWHERE).into_bytes(), 404),
            (post(&host, "Mcp-Session-Id: no-such-session\r\n", list.as_bytes()), 404),
            (get("evil.example", "/livez").into_bytes(), 403),
            (post(&host, "", b"{"), 400),
        ] {
            all.extend_from_slice(&request);
            expected.push((round, status));
        }
    }
    let mut raw = program.connect();
    raw.send(&all);
    for (round, status) in expected {
        assert_eq!(raw.answer().unwrap().status, status, "round {round}");
    }
    program.survived();
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_hang_up_in_the_middle_of_a_call_leave_nothing_behind() {
    let sample = Sample::large(40, 50);
    let program = Program::start(&sample, &[("POOLS__ANALYSIS", "1"), ("POOLS__QUEUE", "1000")]);
    let host = program.address.clone();
    let search = |query: String| {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {
                "name": "search_content", "arguments": {"roots": ["."], "query": query},
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": STATELESS,
                    "io.modelcontextprotocol/clientCapabilities": {},
                },
            },
        });
        let headers =
            format!("MCP-Protocol-Version: {STATELESS}\r\nMcp-Method: tools/call\r\nMcp-Name: search_content\r\n");
        post(&host, &headers, message.to_string().as_bytes())
    };
    for round in 0..100 {
        let mut raw = program.connect();
        raw.send(&search(format!("function_{round}")));
    }
    // The only slot of the pool is free again, and its queue is empty.
    let answer = program.ask(&search("function_1\\b".to_owned()));
    assert_eq!(answer.status, 200);
    let said: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(said["result"]["isError"], false, "{said}");
    program.survived();
}

#[tokio::test(flavor = "multi_thread")]
async fn health_checks_of_http_1_0_need_no_host() {
    let sample = Sample::new();
    let program = Program::start(&sample, &[]);
    for path in ["/livez", "/readyz"] {
        assert_eq!(program.ask(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).status, 200);
    }
    for other in ["GET /v1/tools HTTP/1.0\r\n\r\n", "GET /livez HTTP/1.1\r\n\r\n"] {
        assert_eq!(program.ask(other.as_bytes()).status, 400, "{other}");
    }
    program.survived();
}

#[tokio::test(flavor = "multi_thread")]
async fn http2_is_not_spoken() {
    let sample = Sample::new();
    let program = Program::start(&sample, &[]);
    let mut raw = program.connect();
    // With its first frame, SETTINGS.
    raw.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
    assert_eq!(String::from_utf8_lossy(&raw.until_closed()), "");
    // An offer to upgrade to HTTP/2 is ignored.
    let offer = format!(
        "GET /livez HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
        program.address
    );
    assert_eq!(program.ask(offer.as_bytes()).status, 200);
    program.survived();
}

/// A corpus: one JSON value a line, each a value that was sent once and must be tried again.
pub(crate) fn corpus(name: &str) -> Vec<Value> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hostile").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines: Vec<_> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}: {line}", path.display())))
        .collect();
    assert!(lines.len() >= 10, "{} has only {} lines", path.display(), lines.len());
    lines
}

fn runner() -> TestRunner {
    let seed = std::env::var("FUMI_PROPERTY_SEED").ok().and_then(|seed| seed.parse().ok());
    TestRunner::new(Config { rng_seed: RngSeed::Fixed(seed.unwrap_or(17)), ..Config::default() })
}

/// Returns a text with pieces removed, doubled, swapped or replaced by hostile ones.
fn mutated(seeds: Vec<String>) -> impl Strategy<Value = String> {
    let nasty = select(vec![
        "",
        "\0",
        "\u{202e}",
        "\u{feff}",
        "あ",
        "\u{1f600}",
        "\\",
        "\"",
        "'",
        "..",
        "/",
        "//",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "*",
        "**",
        "+",
        "?",
        "|",
        "^",
        "$",
        "!",
        "=",
        "=~",
        ",",
        ";",
        "@",
        "#",
        "_",
        "-",
        "--",
        "\n",
        "\r\n",
        "\t",
        " ",
        "%00",
        "\\u0000",
        "(?",
        "(?:",
        "\\p{",
        "[^",
        "{1000000}",
        "$$$",
        "null",
        "1e999",
        "-1",
    ]);
    let cut = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), nasty, 0..4_u8);
    (select(seeds), vec(cut, 0..6)).prop_map(|(seed, cuts)| {
        let mut text: Vec<char> = seed.chars().collect();
        for (from, to, nasty, what) in cuts {
            let (a, b) = (from.index(text.len() + 1), to.index(text.len() + 1));
            let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 40));
            match what {
                0 => drop(text.splice(a..b, nasty.chars())),
                1 => {
                    let piece: Vec<char> = text[a..b].to_vec();
                    text.splice(a..a, piece);
                }
                2 => drop(text.splice(a..a, nasty.chars())),
                _ => text[a..b].reverse(),
            }
        }
        text.into_iter().collect()
    })
}

/// Almost valid messages, in both eras.
#[tokio::test(flavor = "multi_thread")]
async fn random_messages_are_answered_and_end_nothing() {
    const CASES: usize = 1_500;
    let sample = Sample::new();
    let program = Program::start(&sample, &[]);
    let host = program.address.clone();
    let seeds = corpus("messages.jsonl");
    let texts: Vec<String> = seeds.iter().map(Value::to_string).collect();
    let mut runner = runner();
    let random = mutated(texts.clone());
    let random: Vec<String> = (0..CASES).map(|_| random.new_tree(&mut runner).unwrap().current()).collect();
    let mut raw = program.connect();
    for (at, text) in texts.iter().chain(&random).enumerate() {
        let method = serde_json::from_str::<Value>(text).ok();
        let method = method.as_ref().and_then(|message| message["method"].as_str()).unwrap_or("tools/call");
        let method: String = method.chars().filter(char::is_ascii_graphic).collect();
        let headers = match at % 3 {
            0 => String::new(),
            1 => format!("MCP-Protocol-Version: {STATELESS}\r\nMcp-Method: {method}\r\nMcp-Name: list_files\r\n"),
            _ => "Mcp-Session-Id: no-such-session\r\n".to_owned(),
        };
        raw.send(&post(&host, &headers, text.as_bytes()));
        let Some(answer) = raw.answer() else {
            panic!("no answer; add this line to tests/fixtures/hostile/messages.jsonl: {}", json!(text));
        };
        // 2xx, or one of the refusals in docs/errors.md; a 5xx is an error of the server.
        assert!(
            matches!(answer.status, 200 | 202 | 400 | 404 | 406 | 415),
            "{}: {}; add this line to tests/fixtures/hostile/messages.jsonl: {}",
            answer.status,
            answer.text(),
            json!(text)
        );
        if answer.header("content-type") == Some("text/event-stream") || answer.header("connection") == Some("close") {
            raw = program.connect();
        }
    }
    program.survived();
}

/// The place of a corpus's values: a tool, and its arguments with the value in place.
type Place = (&'static str, fn(&str) -> Value);

/// Every kind of text that is parsed: paths, filters, and queries of all languages.
const PLACES: &[(&str, &[Place])] = &[
    (
        "paths.jsonl",
        &[
            ("check_code_scale", |path| json!({"file_path": path})),
            ("list_files", |path| json!({"roots": [path]})),
            ("list_files", |path| json!({"roots": ["."], "project_root": path})),
            ("search_content", |path| json!({"roots": ["."], "query": "x", "output_file": path})),
            ("extract_code_section", |path| json!({"file_path": path, "start_line": 1})),
        ],
    ),
    (
        "globs.jsonl",
        &[
            ("list_files", |glob| json!({"roots": ["."], "pattern": glob, "glob": true})),
            ("search_content", |glob| json!({"roots": ["."], "query": "x", "include_globs": [glob]})),
            ("search_content", |glob| json!({"roots": ["."], "query": "x", "exclude_globs": [glob]})),
        ],
    ),
    (
        "filters.jsonl",
        &[("query_code", |filter| json!({"file_path": "src/main.py", "query_key": "functions", "filter": filter}))],
    ),
    (
        "regexes.jsonl",
        &[
            ("search_content", |query| json!({"roots": ["."], "query": query})),
            ("search_content", |query| json!({"roots": ["."], "query": query, "multiline": true})),
            ("find_and_grep", |query| json!({"roots": ["."], "query": query, "total_only": true})),
        ],
    ),
    ("tree_sitter.jsonl", &[("query_code", |query| json!({"file_path": "src/main.py", "query_string": query}))]),
    ("patterns.jsonl", &[("query_code", |pattern| json!({"file_path": "src/main.py", "pattern": pattern}))]),
];

#[tokio::test(flavor = "multi_thread")]
async fn random_texts_in_every_place_are_answered_and_change_nothing() {
    const CASES: usize = 150;
    let sample = Sample::new();
    let app = sample.app();
    let mut runner = runner();
    for (name, places) in PLACES {
        let seeds: Vec<String> = corpus(name)
            .iter()
            .map(|line| line.as_str().unwrap_or_else(|| panic!("{name}: {line} is not a string")).to_owned())
            .collect();
        let random = mutated(seeds.clone());
        let random: Vec<String> = (0..CASES).map(|_| random.new_tree(&mut runner).unwrap().current()).collect();
        let before = sample.state().into_iter().filter(|(path, _)| !is_output(path)).collect::<Vec<_>>();
        for text in seeds.iter().chain(&random) {
            for (tool, arguments) in *places {
                let arguments = arguments(text);
                let again = || format!("add this line to tests/fixtures/hostile/{name}: {}", json!(text));
                let reply = call(&app, tool, arguments.clone()).await;
                let code = reply.structured["error"]["code"].as_str();
                assert_ne!(code, Some("TOOL_EXECUTION_FAILED"), "{tool} {arguments}: {}; {}", reply.text, again());
                assert!(reply.text.len() < 300_000, "{tool} answers {} bytes; {}", reply.text.len(), again());
                // The same call has the same reply.
                let second = call(&app, tool, arguments.clone()).await;
                assert_eq!(reply.is_error, second.is_error, "{tool} {arguments}; {}", again());
            }
        }
        let after = sample.state().into_iter().filter(|(path, _)| !is_output(path)).collect::<Vec<_>>();
        assert_eq!(before, after, "{name}: a file changed");
    }
}

/// True for files that are written on request, in their own folder.
fn is_output(path: &std::path::Path) -> bool {
    path.components().any(|part| part.as_os_str() == ".fumi")
}
