//! Streams of a session that break, and the events that a client gets with `Last-Event-ID`, from this process or from
//! the next.

use std::{fs, sync::Arc};

use reqwest::{Response, StatusCode};
use serde_json::{Value, json};

use crate::{
    gate::app_with_gate,
    harness::{SESSION, Server, Session, messages, next_id},
    program::Served,
    sample::Sample,
};

/// Reads a stream until its text satisfies a condition.
async fn until(response: &mut Response, wanted: impl Fn(&str) -> bool) -> String {
    let mut raw = String::new();
    while !wanted(&raw) {
        let chunk = response.chunk().await.unwrap();
        raw.push_str(&String::from_utf8_lossy(&chunk.unwrap_or_else(|| panic!("the stream ended: {raw}"))));
    }
    raw
}

/// Returns the id of the first event of a stream.
pub(crate) async fn first_id(response: &mut Response) -> String {
    let raw = until(response, |raw| raw.contains("\n\n")).await;
    let id = raw.lines().find_map(|line| line.strip_prefix("id:"));
    id.unwrap_or_else(|| panic!("no id: {raw}")).trim().to_owned()
}

/// Returns all messages of a resumed stream, which must end.
pub(crate) async fn resumed(session: &Session, last: &str) -> Vec<Value> {
    let request = session
        .http
        .get(&session.url)
        .header("Accept", "text/event-stream")
        .header("Mcp-Session-Id", &session.id)
        .header("Last-Event-ID", last);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    messages(&response.text().await.unwrap())
}

pub(crate) fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_result_is_replayed_by_last_event_id() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |_| {});
    let server = Server::start(app).await;
    let session = Session::open(&server).await;
    let id = next_id();
    let mut response = session.prepare(&call(id, "wait_at_gate", &json!({}))).send().await.unwrap();
    gate.entered().await;
    let last = first_id(&mut response).await;
    drop(response);
    gate.open();
    while server.edge.sessions.running_calls() > 0 {
        tokio::task::yield_now().await;
    }
    // Twice, because the second connection may break too.
    for _ in 0..2 {
        let told = resumed(&session, &last).await;
        let answer = told.last().unwrap_or_else(|| panic!("nothing came"));
        assert_eq!(answer["id"], id, "{answer}");
        assert_eq!(answer["result"]["content"][0]["text"], "through", "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_killed_with_its_server_is_answered_with_an_error() {
    let sample = Sample::new();
    let start = || Served::start(&mut Served::command(&sample));
    let mut program = start();
    // The call waits for the client's roots, which never arrive.
    let session =
        Session::open_as(reqwest::Client::new(), &program.url, SESSION, json!({"roots": {"listChanged": true}})).await;
    for id in [json!(next_id()), json!("a \"name\" / ü")] {
        let session = Session { url: program.url.clone(), ..session.clone() };
        let mut message = call(0, "list_files", &json!({"roots": ["."]}));
        message["id"] = id.clone();
        let mut response = session.prepare(&message).send().await.unwrap();
        let last = first_id(&mut response).await;
        program.child.kill().unwrap();
        program.child.wait().unwrap();
        program = start();
        let session = Session { url: program.url.clone(), ..session };
        let told = resumed(&session, &last).await;
        let [answer] = told.as_slice() else { panic!("one answer: {told:?}") };
        assert_eq!(answer["id"], id, "{answer}");
        assert_eq!(answer["error"]["data"]["code"], "RESULT_LOST", "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_versions_with_priming_begin_streams_with_an_empty_event() {
    let sample = Sample::new();
    let file = sample.root().join("watched.txt");
    fs::write(&file, "1").unwrap();
    let server = Server::start(sample.app()).await;
    let is_empty = |line: &str| line.strip_prefix("data:").is_some_and(|data| data.trim().is_empty());
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", SESSION] {
        let begun = Session::initialize(&reqwest::Client::new(), &server.url(), version, None).await;
        assert!(!begun.raw.lines().any(is_empty), "{version}: {}", begun.raw);
        let session = Session::open_at(&server.url(), version).await;
        let listed = session.request("tools/list", json!({})).await;
        let is_primed = listed.raw.lines().next().is_some_and(is_empty);
        assert_eq!(is_primed, version == SESSION, "{version}: {}", listed.raw);
        // In every version a call's stream begins with an event that has an id: without one a client cannot resume it.
        for (level, is_begun) in [(None, true), (Some("info"), version == SESSION)] {
            if let Some(level) = level {
                let set = session.request("logging/setLevel", json!({"level": level})).await;
                assert!(set.result().is_object(), "{}", set.raw);
            }
            let called = session.call("list_files", json!({"roots": ["."], "count_only": true})).await;
            assert_eq!(called.result()["isError"], false, "{version}: {}", called.raw);
            let first = called.raw.split("\n\n").next().unwrap();
            let begins = first.contains("id:") && !first.contains("\"result\"");
            assert_eq!(begins, is_begun, "{version}: {}", called.raw);
        }
        let mut told = session.listen().await;
        let watched = session.request("resources/subscribe", json!({"uri": "code://file/watched.txt"})).await;
        assert!(watched.result().is_object(), "{}", watched.raw);
        fs::write(&file, version).unwrap();
        let told = until(&mut told, |raw| raw.contains("resources/updated")).await;
        assert!(!told.lines().any(is_empty), "{version}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_listener_does_not_get_its_last_event_again() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let session = Session::open(&server).await;
    let mut told = session.listen().await;
    for name in ["first.txt", "second.txt"] {
        sample.file(name, "1");
        let watched = session.request("resources/subscribe", json!({"uri": format!("code://file/{name}")})).await;
        assert!(watched.result().is_object(), "{}", watched.raw);
    }
    sample.file("first.txt", "2");
    let raw = until(&mut told, |raw| raw.contains("first.txt") && raw.ends_with("\n\n")).await;
    let ids = |raw: &str| -> Vec<String> {
        raw.lines().filter_map(|line| line.strip_prefix("id:")).map(|id| id.trim().to_owned()).collect()
    };
    let last = ids(&raw).pop().unwrap();
    drop(told);
    sample.file("second.txt", "2");
    let request = session.http.get(&session.url).header("Accept", "text/event-stream");
    let request = request.header("Mcp-Session-Id", &session.id).header("Last-Event-ID", &last);
    let mut again = request.send().await.unwrap();
    let raw = until(&mut again, |raw| raw.contains("second.txt")).await;
    assert!(!ids(&raw).contains(&last), "{last} is sent again: {raw}");
}

/// The events of each process are counted from 0: those of the next are not the ones that the client has.
#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_listener_gets_the_first_event_of_the_next_process() {
    let sample = Sample::new();
    sample.file("a.txt", "1");
    let start = || Served::start(&mut Served::command(&sample));
    let mut program = start();
    let session = Session::open_at(&program.url, SESSION).await;
    let watched = session.request("resources/subscribe", json!({"uri": "code://file/a.txt"})).await;
    assert!(watched.result().is_object(), "{}", watched.raw);
    let mut told = session.listen().await;
    sample.file("a.txt", "2");
    let raw = until(&mut told, |raw| raw.contains("a.txt") && raw.ends_with("\n\n")).await;
    let last = raw.lines().filter_map(|line| line.strip_prefix("id:")).next_back().unwrap().trim().to_owned();
    drop(told);
    program.child.kill().unwrap();
    program.child.wait().unwrap();
    sample.file("a.txt", "3");
    program = start();
    let request = session.http.get(&program.url).header("Accept", "text/event-stream");
    let request = request.header("Mcp-Session-Id", &session.id).header("Last-Event-ID", &last);
    let mut again = request.send().await.unwrap();
    until(&mut again, |raw| raw.contains("a.txt")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_with_the_id_of_one_that_runs_is_refused_at_once() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |_| {});
    let server = Server::start(app).await;
    let session = Session::open(&server).await;
    let message = call(next_id(), "wait_at_gate", &json!({}));
    let first = tokio::spawn(session.prepare(&message).send());
    gate.entered().await;
    let second = session.prepare(&message).send().await.unwrap().text().await.unwrap();
    let told = messages(&second);
    assert_eq!(told[0]["id"], message["id"], "{second}");
    assert_eq!(told[0]["error"]["data"]["code"], "REQUEST_ID_IN_USE", "{second}");
    gate.open();
    let first = first.await.unwrap().unwrap().text().await.unwrap();
    assert!(first.contains("through"), "{first}");
    // Afterwards the id can be used again.
    let third = session.prepare(&message).send().await.unwrap().text().await.unwrap();
    assert!(third.contains("through"), "{third}");
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_data_of_a_client_is_refused() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let large = "x".repeat(70_000);
    let params = json!({
        "protocolVersion": SESSION,
        "capabilities": {"experimental": {"large": {"text": large}}},
        "clientInfo": {"name": "fumi-tests", "version": "1"},
    });
    let message = json!({"jsonrpc": "2.0", "id": next_id(), "method": "initialize", "params": params});
    let request = reqwest::Client::new()
        .post(server.url())
        .header("Accept", "application/json, text/event-stream")
        .header("Content-Type", "application/json")
        .body(message.to_string());
    let refused = request.send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let refused: Value = serde_json::from_str(&refused.text().await.unwrap()).unwrap();
    assert_eq!(refused["error"]["data"]["code"], "INITIALIZE_TOO_LARGE", "{refused}");
    assert_eq!(server.edge.sessions.sessions(), 0);
    let session = Session::open(&server).await;
    let params = json!({"uri": format!("code://file/{large}")});
    for method in ["resources/subscribe", "resources/read"] {
        let refused = session.request(method, params.clone()).await;
        assert_eq!(refused.error()["data"]["code"], "URI_TOO_LONG", "{}", refused.raw);
    }
    assert_eq!(Arc::clone(&server.edge.sessions).subscriptions().live(), 0);
}
