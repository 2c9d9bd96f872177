//! A `requestState` that comes back to the server: refused unless it is the one that the server sent, for the same call
//! of the same caller, before it expires, and the first time.

use std::{path::Path, sync::Arc, time::Duration};

use fumi::mcp::request_state::{RequestStateCodec, StateBinding};
use fumi_base::{
    pools::Pool,
    store::{Clock, Store, memory::MemoryStore},
};
use fumi_config::{AuthMode, StateKey};
use proptest::{
    prelude::*,
    strategy::ValueTree as _,
    test_runner::{Config as RunnerConfig, RngSeed, TestRunner},
};
use reqwest::StatusCode;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    KEY, app, app_over, ask, bearing, brings, message, own_key, required, sampling,
    seals::{change, changed},
    start, token,
};
use crate::{
    harness::{Answer, Server, Session, Stateless},
    hostile::corpus,
    sample::Sample,
};

const LONG: Duration = Duration::from_mins(10);

/// Returns a state that the server would make for a call with these arguments, or for another.
fn sealed<'a>(
    server: &'a Server,
    ttl: Duration,
    arguments: &'a Value,
    change: impl FnOnce(&mut StateBinding<'a>),
) -> String {
    let mut bound = StateBinding {
        principal: "",
        project: server.app.kernel.roots.default_project().root(),
        method: "tools/call",
        name: "compose",
        arguments: arguments.as_object().unwrap(),
    };
    change(&mut bound);
    let question = json!({
        "instruction": "Write.",
        "submit": {"tool": "compose", "arguments": arguments, "answer": "content"},
    });
    RequestStateCodec::new(&own_key(), ttl, Arc::clone(&server.app.store)).seal(question, &bound)
}

/// All refusals look the same, so that a client cannot learn the reason.
#[track_caller]
fn is_refused(answer: &Answer, what: &str) {
    let error = answer.error();
    assert_eq!(
        (answer.status, &error["code"], &error["data"]["code"]),
        (StatusCode::OK, &json!(-32602), &json!("REQUEST_STATE_REFUSED")),
        "{what}: {}",
        answer.raw
    );
    let said = error["message"].as_str().unwrap();
    assert!(said.contains("within 10 minutes"), "{what}: {said}");
}

/// A value that is not a string, or not an object, is refused before a seal is opened.
#[track_caller]
fn is_malformed(answer: &Answer, field: &str, what: &str) {
    let error = answer.error();
    assert_eq!(
        (answer.status, &error["code"], &error["data"]["code"]),
        (StatusCode::OK, &json!(-32602), &json!("INVALID_ARGUMENTS")),
        "{what}: {}",
        answer.raw
    );
    let said = error["message"].as_str().unwrap();
    assert!(said.contains(&format!("{field} is ")), "{what}: {said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_opens_for_its_own_call_within_its_time_and_once() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let client = Stateless::new(&server);
    let rain = json!({"topic": "rain"});
    let snow = json!({"topic": "snow"});
    let outside = sample.outside();
    let elsewhere = StateBinding {
        principal: "",
        project: Path::new("/"),
        method: "tools/call",
        name: "compose",
        arguments: &Map::new(),
    };
    let other_key = StateKey::from_config(&"another key of another server, long enough".to_owned().into()).unwrap();
    let other_key = RequestStateCodec::new(&other_key, LONG, Arc::clone(&server.app.store)).seal(json!({}), &elsewhere);
    // An unchanged state made here is accepted; otherwise the refusals below would prove nothing.
    let good = sealed(&server, LONG, &rain, |_| {});
    let answer = ask(&client, rain.clone(), brings(&good, "Drop.")).await;
    assert_eq!(answer.called().0["text"], "Drop.", "{}", answer.raw);
    for (what, state) in [
        ("replayed", good.clone()),
        ("expired", sealed(&server, Duration::ZERO, &rain, |_| {})),
        ("of another caller", sealed(&server, LONG, &rain, |bound| bound.principal = "alice")),
        ("of another project", sealed(&server, LONG, &rain, |bound| bound.project = &outside)),
        ("of another method", sealed(&server, LONG, &rain, |bound| bound.method = "prompts/get")),
        ("of another tool", sealed(&server, LONG, &rain, |bound| bound.name = "list_files")),
        (
            "of other arguments",
            sealed(&server, LONG, &rain, |bound| {
                bound.arguments = snow.as_object().unwrap();
            }),
        ),
        ("under another key", other_key),
        ("with something behind it", format!("{good}-TAMPERED")),
        ("cut", good[..good.len() - 1].to_owned()),
        ("half", good[..good.len() / 2].to_owned()),
        ("no seal", "aGVsbG8".to_owned()),
        ("empty", String::new()),
    ] {
        is_refused(&ask(&client, rain.clone(), brings(&state, "Drop.")).await, what);
        // A state without an answer is refused too.
        let unanswered = json!({"requestState": state});
        is_refused(&ask(&client, rain.clone(), unanswered).await, what);
    }
    // An alias is the same tool, and the order of arguments does not matter.
    let (_, state) = required(&ask(&client, json!({"topic": "rain", "parts": 1}), json!({})).await);
    let mut params = brings(&state, "Drop.");
    params["name"] = json!("compose_text");
    let answer = ask(&client, json!({"parts": 1, "topic": "rain"}), params).await;
    assert_eq!(answer.called().0["text"], "Drop.", "{}", answer.raw);
    // A tool that does not ask refuses it too.
    let listed = json!({"name": "list_files", "arguments": {"roots": ["."]}, "requestState": good});
    is_refused(&client.request("tools/call", listed).await, "for a tool that asks nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_is_its_principals() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, &[], |config| {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = ["alice", "bob"].map(token).into();
    }))
    .await;
    let [alice, bob] = ["alice", "bob"].map(|name| Stateless { http: bearing(name), url: server.url() });
    let rain = json!({"topic": "rain"});
    let (_, state) = required(&ask(&alice, rain.clone(), json!({})).await);
    is_refused(&ask(&bob, rain.clone(), brings(&state, "Mine.")).await, "of alice, by bob");
    // Another caller's attempt does not use up the state.
    let answer = ask(&alice, rain, brings(&state, "Drop.")).await;
    assert_eq!(answer.called().0["text"], "Drop.", "{}", answer.raw);
    let stranger = Stateless::new(&server);
    let answer = ask(&stranger, json!({"topic": "rain"}), brings(&state, "Drop.")).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{}", answer.raw);
}

/// After a restart, and on every replica, the same configured key opens a state, and only once if they share a store.
/// Without a configured key the key belongs to the process.
#[tokio::test(flavor = "multi_thread")]
async fn a_configured_key_opens_on_another_server() {
    let sample = Sample::new();
    let rain = json!({"topic": "rain"});
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let first = Server::start(app_over(Arc::clone(&store), &sample)).await;
    let (_, state) = required(&ask(&Stateless::new(&first), rain.clone(), json!({})).await);
    let second = Server::start(app_over(store, &sample)).await;
    let answer = ask(&Stateless::new(&second), rain.clone(), brings(&state, "Drop.")).await;
    assert_eq!(answer.called().0["text"], "Drop.", "{}", answer.raw);
    let again = ask(&Stateless::new(&first), rain.clone(), brings(&state, "Drop.")).await;
    is_refused(&again, "used on another server");
    let own = Server::start(app(&sample, &[], |config| {
        config.server.state_key = String::new().into();
    }))
    .await;
    let (_, state) = required(&ask(&Stateless::new(&first), rain.clone(), json!({})).await);
    is_refused(&ask(&Stateless::new(&own), rain, brings(&state, "Drop.")).await, "of a server with another key");
}

/// The first process stored the use in memory, which is lost with it, so a second use would not be noticed.
#[tokio::test(flavor = "multi_thread")]
async fn a_state_does_not_outlive_a_store_in_memory() {
    let (sample, rain) = (Sample::new(), json!({"topic": "rain"}));
    let first = start(&sample).await;
    let (_, state) = required(&ask(&Stateless::new(&first), rain.clone(), json!({})).await);
    let answer = ask(&Stateless::new(&first), rain.clone(), brings(&state, "Drop.")).await;
    assert_eq!(answer.called().0["text"], "Drop.", "{}", answer.raw);
    first.stop().await;
    let restarted = start(&sample).await;
    let answer = ask(&Stateless::new(&restarted), rain, brings(&state, "Drop.")).await;
    is_refused(&answer, "used before the restart");
}

/// If the store cannot be written, it is unknown whether a state was used: the state is refused, but not used up.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_store_no_state_opens() {
    let sample = Sample::new();
    let rain = json!({"topic": "rain"});
    let full = Arc::new(MemoryStore::new(1, Clock::system()));
    let server = Server::start(app_over(full, &sample)).await;
    let client = Stateless::new(&server);
    let (_, state) = required(&ask(&client, rain.clone(), json!({})).await);
    for _ in 0..2 {
        let answer = ask(&client, rain.clone(), brings(&state, "Drop.")).await;
        let error = answer.error();
        assert_eq!(
            (&error["code"], &error["data"]["code"]),
            (&json!(-32603), &json!("TOOL_EXECUTION_FAILED")),
            "{}",
            answer.raw
        );
    }
}

/// A caller that gets `Retry-After` sends the same state again: the model need not write its answer again.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_pool_uses_no_state_up() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, &[], |config| {
        config.pools.analysis = 1;
        config.pools.queue = 0;
    }))
    .await;
    let client = Stateless::new(&server);
    let rain = json!({"topic": "rain"});
    let (_, state) = required(&ask(&client, rain.clone(), json!({})).await);
    let (other, token) = (Arc::from("other"), CancellationToken::new());
    let place = server.app.kernel.pools.acquire(Pool::Analysis, &other, &token);
    let place = place.await.unwrap();
    for _ in 0..2 {
        let answer = ask(&client, rain.clone(), brings(&state, "Drop.")).await;
        assert_eq!(answer.called().0["error"]["code"], "BUSY", "{}", answer.raw);
    }
    drop(place);
    let answer = ask(&client, rain.clone(), brings(&state, "Drop.")).await;
    assert_eq!(answer.called().0["text"], "Drop.", "{}", answer.raw);
    is_refused(&ask(&client, rain, brings(&state, "Drop.")).await, "replayed");
}

/// Results must not show secrets to the model either, and a state reveals nothing.
#[tokio::test(flavor = "multi_thread")]
async fn secrets_do_not_reach_the_clients_model() {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

    let sample = Sample::new();
    let canary = "canary-5e11ed-by-the-operator";
    let server = Server::start(app(&sample, &[canary], |_| {})).await;
    let topic = json!({"topic": format!("{canary} {KEY}")});
    let asked = ask(&Stateless::new(&server), topic, json!({})).await;
    let (prompt, state) = required(&asked);
    assert!(prompt.contains("Write part 1 about"), "{prompt}");
    assert!(!asked.raw.contains(canary) && !asked.raw.contains(KEY), "{}", asked.raw);
    let content = URL_SAFE_NO_PAD.decode(&state).unwrap();
    let content = String::from_utf8_lossy(&content);
    assert!(!content.contains("Write part") && !content.contains("compose"), "{content}");
}

/// A state that was sent before, and almost the state that was given.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_states_are_refused_and_end_nothing() {
    const CASES: usize = 400;
    let sample = Sample::new();
    let server = start(&sample).await;
    let client = Stateless::new(&server);
    let rain = json!({"topic": "rain"});
    let seed = std::env::var("FUMI_PROPERTY_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut runner =
        TestRunner::new(RunnerConfig { rng_seed: RngSeed::Fixed(seed.unwrap_or(23)), ..RunnerConfig::default() });
    let (_, given) = required(&ask(&client, rain.clone(), json!({})).await);
    let other = sealed(&server, LONG, &json!({"topic": "snow"}), |_| {});
    let changes = proptest::collection::vec(change(), 1..5);
    let random = (0..CASES).map(|_| {
        let changes = changes.new_tree(&mut runner).unwrap().current();
        let forged = changes.iter().fold(given.clone(), |seal, change| changed(&seal, &other, change));
        json!(forged)
    });
    let known = corpus("states.jsonl");
    // As long as a body may be.
    let long = ["A", "=", "日"].map(|sign| json!(sign.repeat(1_000_000)));
    for state in known.into_iter().chain(long).chain(random) {
        if state == json!(given) {
            continue;
        }
        let line: String = state.to_string().chars().take(5_000).collect();
        let again = format!("add this line to tests/fixtures/hostile/states.jsonl: {line}");
        let mut params = brings("", "Drop.");
        params["requestState"] = state.clone();
        let answer = ask(&client, rain.clone(), params).await;
        match &state {
            Value::String(_) => is_refused(&answer, &again),
            // The protocol's own value for nothing.
            Value::Null => drop(required(&answer)),
            _ => is_malformed(&answer, "requestState", &again),
        }
    }
    // The given state still opens: the attempts have not used it up.
    let answer = ask(&client, rain, brings(&given, "Drop.")).await;
    assert_eq!(answer.called().0["text"], "Drop.", "{}", answer.raw);
    assert_eq!(server.edge.sessions.running_calls(), 0);
}

/// Answers that a model would not give, with a valid state: the tool's own check judges them, or the question is asked
/// again.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_answers_are_answered() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let client = Stateless::new(&server);
    let rain = json!({"topic": "rain"});
    let long = json!({"answer": message(&"x".repeat(1_200_000))});
    for responses in corpus("responses.jsonl").into_iter().chain([long]) {
        let (_, state) = required(&ask(&client, rain.clone(), json!({})).await);
        let params = json!({"requestState": state, "inputResponses": responses});
        let answer = ask(&client, rain.clone(), params).await;
        let line: String = responses.to_string().chars().take(5_000).collect();
        if !matches!(responses, Value::Null | Value::Object(_)) {
            is_malformed(&answer, "inputResponses", &line);
        } else if answer.result()["resultType"] == "input_required" {
            required(&answer);
        } else {
            let (structured, _, failed) = answer.called();
            let code = &structured["error"]["code"];
            assert!(!failed || code == "INVALID_ARGUMENTS", "{line}: {}", answer.raw);
        }
    }
    assert_eq!(server.edge.sessions.running_calls(), 0);
}

/// The same answers in a session, where the call waits for them: each ends the wait.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_answers_in_a_session_end_the_waiting() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let session = Session::open_able(&server, sampling()).await;
    for responses in corpus("responses.jsonl") {
        for response in [&responses["answer"], &responses] {
            let mut called = session.begin("compose", json!({"topic": "rain"})).await;
            let request = called.asked().await;
            session.respond(&request, response.clone()).await;
            let structured = called.answered().await["structuredContent"].take();
            let asks_again = structured["status"] == "needs_text";
            assert!(asks_again || structured["text"].is_string(), "{response}: {structured}");
        }
    }
    assert_eq!(server.edge.sessions.running_calls(), 0);
}
