//! Sessions and running calls: how long a session is stored, and how a call is stopped or followed.

use std::sync::Arc;

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    gate::app_with_gate,
    harness::{SESSION, Server, Session, Stateless, messages, next_id},
    sample::Sample,
};

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_session_is_404_whatever_it_asks() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let known = Session::open(&server).await;
    let unknown = Session { id: "0b7e2c9a-unknown".to_owned(), ..known.clone() };
    assert_eq!(unknown.request("tools/list", json!({})).await.status, StatusCode::NOT_FOUND);
    assert_eq!(unknown.call("list_files", json!({"roots": 7})).await.status, StatusCode::NOT_FOUND);
    assert_eq!(unknown.notify("notifications/initialized", json!({})).await.status, StatusCode::NOT_FOUND);
    assert_eq!(unknown.listen().await.status(), StatusCode::NOT_FOUND);
    assert_eq!(known.request("tools/list", json!({})).await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn beginning_anew_with_a_stale_session_is_served() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let http = reqwest::Client::new();
    let answer = Session::initialize(&http, &server.url(), SESSION, Some("a-session-of-yesterday")).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.raw);
    let id = answer.headers["mcp-session-id"].to_str().unwrap();
    assert_ne!(id, "a-session-of-yesterday");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_ended_is_unknown() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let session = Session::open(&server).await;
    assert!(!session.call("set_project_path", json!({"project_path": sample.root()})).await.called().2);
    assert!(server.app.sessions.project(&session.id).is_some());
    // Python's clients accept only this success.
    assert_eq!(session.end().await, StatusCode::NO_CONTENT);
    assert_eq!(session.request("tools/list", json!({})).await.status, StatusCode::NOT_FOUND);
    assert!(server.app.sessions.project(&session.id).is_none(), "its project is still remembered");
    assert_eq!(server.edge.sessions.sessions(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_capped_and_a_place_becomes_free() {
    let sample = Sample::new();
    let server = Server::start(sample.app_with(&[], |config| config.server.max_sessions = 2)).await;
    let (first, _second) = (Session::open(&server).await, Session::open(&server).await);
    let http = reqwest::Client::new();
    let third = Session::initialize(&http, &server.url(), SESSION, None).await;
    assert_eq!(third.status, StatusCode::SERVICE_UNAVAILABLE, "{}", third.raw);
    assert!(third.headers.get("mcp-session-id").is_none());
    assert_eq!(third.headers["retry-after"], "1");
    assert_eq!(third.error()["data"]["code"], "SERVER_BUSY", "{}", third.raw);
    // The stateless era does not use sessions, so it cannot run out of them.
    assert!(!Stateless::new(&server).call("list_files", json!({"roots": ["."]})).await.called().2);
    first.end().await;
    Session::open(&server).await;
}

async fn files_of(session: &Session) -> Vec<String> {
    let answer = session.call("list_files", json!({"roots": ["."], "types": ["f"], "absolute": false})).await;
    let (structured, text, failed) = answer.called();
    assert!(!failed, "{text}");
    structured["results"].as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_do_not_see_each_others_project() {
    let sample = Sample::empty();
    sample.file("one/first.py", "x = 1\n").file("two/second.py", "x = 2\n");
    let server = Server::start(sample.app()).await;
    let (one, two, third) = (Session::open(&server).await, Session::open(&server).await, Session::open(&server).await);
    for (session, folder) in [(&one, "one"), (&two, "two")] {
        let answer = session.call("set_project_path", json!({"project_path": sample.root().join(folder)})).await;
        let (structured, _, failed) = answer.called();
        assert!(!failed && structured["remembered"] == true, "{}", answer.raw);
    }
    // Twice, the second time in the other order: a cached reply of one session is not served to the other.
    assert_eq!(files_of(&one).await, ["first.py"]);
    assert_eq!(files_of(&two).await, ["second.py"]);
    assert_eq!(files_of(&two).await, ["second.py"]);
    assert_eq!(files_of(&one).await, ["first.py"]);
    assert_eq!(files_of(&third).await, ["one/first.py", "two/second.py"]);
    // Both at the same time.
    let both = tokio::join!(files_of(&one), files_of(&two));
    assert_eq!(both, (vec!["first.py".to_owned()], vec!["second.py".to_owned()]));
    // The other session's project is outside.
    let answer = one.call("list_files", json!({"roots": [sample.root().join("two")]})).await;
    assert_eq!(answer.called().0["error"]["code"], "OUTSIDE_PROJECT", "{}", answer.raw);
    // Without a session the choice is not stored, and the reply says so; each call passes the path instead.
    let stateless = Stateless::new(&server);
    let answer = stateless.call("set_project_path", json!({"project_path": sample.root().join("one")})).await;
    assert_eq!(answer.called().0["remembered"], false, "{}", answer.raw);
    let root = answer.called().0["project_path"].clone();
    let answer = stateless.call("list_files", json!({"roots": ["."], "count_only": true})).await;
    assert!(answer.called().0["total_count"].as_u64().is_some_and(|count| count > 1), "{}", answer.raw);
    let answer = stateless.call("list_files", json!({"roots": ["."], "count_only": true, "project_root": root})).await;
    assert_eq!(answer.called().0["total_count"], 1, "{}", answer.raw);
    // A stateless request cannot use a session's project by naming the session.
    let params = json!({"name": "list_files", "arguments": {"roots": ["."], "count_only": true}});
    let request =
        stateless.prepare(next_id(), "tools/call", Some("list_files"), params).header("Mcp-Session-Id", &one.id);
    let response = request.send().await.unwrap();
    let raw = response.text().await.unwrap();
    let borrowed = messages(&raw).iter().any(|message| message["result"]["structuredContent"]["total_count"] == 1);
    assert!(!borrowed, "{raw}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_stream_and_a_running_call_are_counted() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |_| {});
    let server = Server::start(app).await;
    let session = Session::open(&server).await;
    let stream = session.listen().await;
    assert_eq!(stream.status(), StatusCode::OK);
    assert_eq!(server.edge.sessions.open_count(&session.id), 1, "the stream is not counted");
    let running = tokio::spawn({
        let session = session.clone();
        async move { session.call("wait_at_gate", json!({})).await }
    });
    gate.entered().await;
    assert!(server.edge.sessions.open_count(&session.id) >= 2, "the call is not counted");
    assert_eq!(server.edge.sessions.running_calls(), 1);
    gate.open();
    assert_eq!(running.await.unwrap().called().1, "through");
    assert_eq!(server.edge.sessions.running_calls(), 0);
    drop(stream);
    while server.edge.sessions.open_count(&session.id) > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_notification_stops_the_work() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |_| {});
    let server = Server::start(app).await;
    let session = Session::open(&server).await;
    let id = next_id();
    let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "wait_at_gate", "arguments": {}}});
    let running = tokio::spawn(session.prepare(&message).send());
    gate.entered().await;
    session.notify("notifications/cancelled", json!({"requestId": id, "reason": "enough"})).await;
    gate.stopped().await;
    while server.edge.sessions.running_calls() > 0 {
        tokio::task::yield_now().await;
    }
    running.abort();
    // The session itself remains usable.
    assert!(!session.call("list_files", json!({"roots": ["."]})).await.called().2);
}

#[tokio::test(flavor = "multi_thread")]
async fn hanging_up_stops_the_work_in_the_stateless_era() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |_| {});
    let server = Server::start(app).await;
    let client = Stateless::new(&server);
    let running = tokio::spawn({
        let client = client.clone();
        async move { client.call("wait_at_gate", json!({})).await }
    });
    gate.entered().await;
    running.abort();
    gate.stopped().await;
    while server.edge.sessions.running_calls() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_out_of_time_is_answered_and_its_work_stopped() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |_| {});
    let server = Server::start(app).await;
    let answer = Stateless::new(&server).call("wait_at_gate", json!({"timeout_ms": 500})).await;
    let (structured, _, failed) = answer.called();
    assert!(failed && structured["error"]["code"] == "TOOL_TIMEOUT", "{}", answer.raw);
    gate.stopped().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_says_when_to_come_back() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |config| {
        config.pools.analysis = 1;
        config.pools.queue = 1;
    });
    let server = Server::start(app).await;
    let client = Stateless::new(&server);
    let call = || {
        let client = client.clone();
        tokio::spawn(async move { client.call("wait_at_gate", json!({})).await })
    };
    let first = call();
    gate.entered().await;
    let second = call();
    while server.app.kernel.pools.load(fumi_base::pools::Pool::Analysis).waiting == 0 {
        tokio::task::yield_now().await;
    }
    let third = client.call("wait_at_gate", json!({})).await;
    let error = &third.called().0["error"];
    assert_eq!(error["code"], "BUSY", "{}", third.raw);
    assert!(error["details"]["retry_after_ms"].as_u64().is_some_and(|ms| ms > 0), "{}", third.raw);
    gate.open();
    for waiting in [first, second] {
        assert_eq!(waiting.await.unwrap().called().1, "through");
    }
}

/// Progress goes to the caller that asked for it: the gate opens when the first notification has arrived.
#[tokio::test(flavor = "multi_thread")]
async fn progress_goes_to_the_caller_that_asked() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |_| {});
    let server = Server::start(app).await;
    let params = json!({"name": "wait_at_gate", "arguments": {}, "_meta": {"progressToken": "how-far"}});
    let session = Session::open(&server).await;
    let message = json!({"jsonrpc": "2.0", "id": next_id(), "method": "tools/call", "params": params});
    for request in [
        session.prepare(&message),
        Stateless::new(&server).prepare(next_id(), "tools/call", Some("wait_at_gate"), params.clone()),
    ] {
        let (_, gate_again) = (&gate, Arc::clone(&gate));
        gate_again.close();
        let mut response = request.send().await.unwrap();
        let mut raw = String::new();
        while let Some(chunk) = response.chunk().await.unwrap() {
            raw.push_str(&String::from_utf8_lossy(&chunk));
            if raw.contains("notifications/progress") {
                gate.open();
            }
        }
        let told: Vec<Value> =
            messages(&raw).into_iter().filter(|message| message["method"] == "notifications/progress").collect();
        let first = &told.first().unwrap_or_else(|| panic!("no progress: {raw}"))["params"];
        assert_eq!(first["progressToken"], "how-far");
        assert_eq!(first["total"].as_f64(), Some(10.0));
        assert!(first["progress"].as_f64().is_some_and(|done| done >= 1.0));
        assert!(messages(&raw).iter().any(|message| message.get("result").is_some()), "no answer: {raw}");
    }
}
