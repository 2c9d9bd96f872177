//! Calls that become tasks, for a client that can follow one, while a provider's or the client's own model writes.

use std::{sync::Arc, time::Duration};

use fumi::app::App;
use fumi_base::store::{Clock, Store, fs::FolderStore};
use fumi_config::AuthMode;
use serde_json::{Value, json};

use super::{
    app, bearing, message,
    provider::{Provider, Step},
    start, token,
};
use crate::{
    harness::{Answer, Server, Session, Stateless},
    sample::Sample,
};

const TASKS: &str = "io.modelcontextprotocol/tasks";

/// Returns the capabilities of a client that follows tasks, with or without a model.
fn able(samples: bool) -> Value {
    let mut able = json!({"extensions": {TASKS: {}}});
    if samples {
        able["sampling"] = json!({});
    }
    able
}

async fn request(client: &Stateless, method: &str, mut params: Value, samples: bool) -> Answer {
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": able(samples)});
    client.request(method, params).await
}

async fn compose(client: &Stateless, samples: bool) -> Answer {
    let params = json!({"name": "compose", "arguments": {"topic": "rain", "parts": 2}});
    request(client, "tools/call", params, samples).await
}

/// Returns the id of the task that a call became.
#[track_caller]
fn task(answer: &Answer) -> String {
    let result = answer.result();
    assert_eq!((&result["resultType"], &result["status"]), (&json!("task"), &json!("working")), "{}", answer.raw);
    result["taskId"].as_str().unwrap().to_owned()
}

/// Returns a task once its status differs from `status`.
async fn settled(client: &Stateless, id: &str, status: &str) -> Value {
    let poll = async {
        loop {
            let answer = request(client, "tasks/get", json!({"taskId": id}), false).await;
            if answer.result()["status"] != status {
                return answer.result().clone();
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), poll).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_a_provider_writes_for_can_be_followed() {
    let sample = Sample::new();
    let provider = Provider::start([Step::Say("Drop.")]).await;
    let server = provider.server(&sample).await;
    let client = Stateless::new(&server);
    let discovered = client.request("server/discover", json!({})).await;
    assert!(discovered.result()["capabilities"]["extensions"][TASKS].is_object(), "{}", discovered.raw);
    let id = task(&compose(&client, false).await);
    let done = settled(&client, &id, "working").await;
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["result"]["structuredContent"]["text"], "Drop. Drop.", "{done}");
    assert_eq!(done["result"]["_meta"]["fumi/provider"]["answers"], 2, "{done}");
    // A client that cannot follow tasks waits, and gets the same result.
    let plain = client.call("compose", json!({"topic": "rain", "parts": 2})).await;
    assert_eq!(plain.called().0["text"], "Drop. Drop.", "{}", plain.raw);
    // A call that does not ask is not a task.
    let params = json!({"name": "list_files", "arguments": {"roots": ["."]}});
    let listed = request(&client, "tools/call", params, false).await;
    assert!(!listed.called().2, "{}", listed.raw);
    assert_eq!(server.edge.sessions.running_calls(), 0);
}

/// The task's questions go to the client's own model, one at a time.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_asks_the_clients_model() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let client = Stateless::new(&server);
    let id = task(&compose(&client, true).await);
    for part in 1..=2 {
        let asks = settled(&client, &id, "working").await;
        assert_eq!(asks["status"], "input_required", "{asks}");
        let key = format!("answer-{part}");
        let prompt = &asks["inputRequests"][&key]["params"]["messages"][0]["content"]["text"];
        assert!(prompt.as_str().unwrap().contains(&format!("part {part} about rain")), "{asks}");
        let params = json!({"taskId": id, "inputResponses": {key: message(&format!("Drop {part}."))}});
        let told = request(&client, "tasks/update", params, true).await;
        assert_eq!(told.result()["resultType"], "complete", "{}", told.raw);
        if part == 1 {
            // The next question comes when the tool has run.
            let next = async {
                while settled(&client, &id, "working").await["inputRequests"]["answer-2"].is_null() {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(Duration::from_secs(30), next).await.unwrap();
        }
    }
    let done = settled(&client, &id, "working").await;
    assert_eq!(done["result"]["structuredContent"]["text"], "Drop 1. Drop 2.", "{done}");
    assert_eq!(done["result"]["structuredContent"]["by"], "llm_sampling");
}

/// If only the host can answer, the call does not become a task.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_to_ask_a_call_does_not_become_a_task() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let asked = compose(&Stateless::new(&server), false).await;
    assert_eq!(asked.called().0["status"], "needs_text", "{}", asked.raw);
}

/// What a task began with more rights does not go on with them.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_ends_when_the_rights_of_its_token_change() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, &[], |config| {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = vec![token("alice")];
    }))
    .await;
    let client = Stateless { http: bearing("alice"), url: server.url() };
    let id = task(&compose(&client, true).await);
    assert_eq!(settled(&client, &id, "working").await["status"], "input_required");
    let mut config = server.app.config.clone();
    config.auth.tokens[0].readonly = true;
    fumi::http::reload::apply(&server.edge, &config).unwrap();
    let ended = settled(&client, &id, "input_required").await;
    assert_eq!(ended["status"], "cancelled", "{ended}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_is_cancelled_stops_its_work() {
    let sample = Sample::new();
    let provider = Provider::start([Step::Hang]).await;
    let server = provider.server(&sample).await;
    let client = Stateless::new(&server);
    let id = task(&compose(&client, false).await);
    provider.hanging().await;
    assert_eq!(server.edge.sessions.running_calls(), 1);
    let told = request(&client, "tasks/cancel", json!({"taskId": id}), false).await;
    assert_eq!(told.result()["resultType"], "complete", "{}", told.raw);
    assert_eq!(settled(&client, &id, "working").await["status"], "cancelled");
    assert_eq!(server.edge.sessions.running_calls(), 0);
}

/// Another caller's task is answered in the same words as one that never existed.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_its_principals() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, &[], |config| {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = vec![token("alice"), token("bob")];
    }))
    .await;
    let [alice, bob] = ["alice", "bob"].map(|name| Stateless { http: bearing(name), ..Stateless::new(&server) });
    let id = task(&compose(&alice, true).await);
    let never = "00000000-0000-4000-8000-000000000000";
    for (method, more) in [
        ("tasks/get", json!({})),
        ("tasks/update", json!({"inputResponses": {"answer-1": message("Mine.")}})),
        ("tasks/cancel", json!({})),
    ] {
        let mut said = Vec::new();
        for id in [id.as_str(), never] {
            let mut params = more.clone();
            params["taskId"] = json!(id);
            let answer = request(&bob, method, params, true).await;
            let error = answer.error().clone();
            assert_eq!(error["code"], -32602, "{method}: {}", answer.raw);
            said.push(error["message"].as_str().unwrap().replace(id, ""));
        }
        assert_eq!(said[0], said[1]);
    }
    let asks = settled(&alice, &id, "working").await;
    assert_eq!(asks["status"], "input_required", "{asks}");
    // For a client without tasks these methods are unknown.
    let answer = alice.request("tasks/get", json!({"taskId": id})).await;
    assert!(answer.response().get("error").is_some(), "{}", answer.raw);
}

/// Beyond the maximum number of tasks a call runs as without tasks.
#[tokio::test(flavor = "multi_thread")]
async fn tasks_are_bounded() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let client = Stateless::new(&server);
    for _ in 0..32 {
        task(&compose(&client, true).await);
    }
    let next = compose(&client, true).await;
    assert_eq!(next.result()["resultType"], "input_required", "{}", next.raw);
}

/// The same in a session, where the client declares its capabilities at the beginning.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_follows_tasks_too() {
    let sample = Sample::new();
    let provider = Provider::start([Step::Say("Drop.")]).await;
    let server = provider.server(&sample).await;
    let session = Session::open_able(&server, able(false)).await;
    let called = session.call("compose", json!({"topic": "rain"})).await;
    let id = called.result()["taskId"].as_str().unwrap_or_else(|| panic!("{}", called.raw)).to_owned();
    let poll = async {
        loop {
            let answer = session.request("tasks/get", json!({"taskId": id})).await;
            if answer.result()["status"] == "completed" {
                return answer.result()["result"]["structuredContent"]["text"].clone();
            }
            tokio::task::yield_now().await;
        }
    };
    let text = tokio::time::timeout(Duration::from_secs(30), poll).await.unwrap();
    assert_eq!(text, "Drop.");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_principals_with_many_tasks_leave_some_to_the_next() {
    let sample = Sample::new();
    let names: Vec<_> = (0..20).map(|number| format!("p{number}")).collect();
    let tokens = names.iter().map(|name| token(name)).collect::<Vec<_>>();
    let server = Server::start(app(&sample, &[], |config| {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = tokens;
    }))
    .await;
    for name in &names {
        let client = Stateless { http: bearing(name), url: server.url() };
        let mut begun = 0;
        while compose(&client, true).await.result()["resultType"] == "task" {
            begun += 1;
        }
        assert!(begun > 0, "{name} finds no room for a task");
    }
}

/// The outcome is stored, the work is not: what ran when its process ended has failed.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_known_to_the_next_process_as_it_ended() {
    let sample = Sample::new();
    let folder = sample.outside();
    let store = || -> Arc<dyn Store> { Arc::new(FolderStore::open(&folder, Clock::system()).unwrap()) };
    let provider = Provider::start([Step::Say("Drop."), Step::Say("Drop."), Step::Hang]).await;
    let over = |store| Arc::new(App { store, ..Arc::into_inner(provider.app(&sample, |_| {})).unwrap() });
    let server = Server::start(over(store())).await;
    let client = Stateless::new(&server);
    let completed = task(&compose(&client, false).await);
    let before = settled(&client, &completed, "working").await;
    assert_eq!(before["result"]["structuredContent"]["text"], "Drop. Drop.", "{before}");
    let running = task(&compose(&client, false).await);
    provider.hanging().await;
    drop(server);

    let server = Server::start(over(store())).await;
    let client = Stateless::new(&server);
    let after = settled(&client, &completed, "working").await;
    assert_eq!((&after["status"], &after["result"]), (&before["status"], &before["result"]));
    let lost = settled(&client, &running, "working").await;
    assert_eq!((&lost["status"], &lost["error"]["data"]["code"]), (&json!("failed"), &json!("RESULT_LOST")), "{lost}");
    for id in [&completed, &running] {
        let told = request(&client, "tasks/cancel", json!({"taskId": id}), false).await;
        assert_eq!(told.result()["resultType"], "complete", "{}", told.raw);
    }
    let unknown = request(&client, "tasks/get", json!({"taskId": "../session/x"}), false).await;
    assert_eq!(unknown.error()["code"], -32602, "{}", unknown.raw);
}

/// A record belongs to the principal that made the call, as a running task does.
#[tokio::test(flavor = "multi_thread")]
async fn a_stored_task_is_its_principals() {
    let sample = Sample::new();
    let folder = sample.outside();
    let start = || async {
        let app = app(&sample, &[], |config| {
            config.auth.mode = AuthMode::Tokens;
            config.auth.tokens = vec![token("alice"), token("bob")];
        });
        let store: Arc<dyn Store> = Arc::new(FolderStore::open(&folder, Clock::system()).unwrap());
        Server::start(Arc::new(App { store, ..Arc::into_inner(app).unwrap() })).await
    };
    let client = |server: &Server, name| Stateless { http: bearing(name), ..Stateless::new(server) };
    let server = start().await;
    let id = task(&compose(&client(&server, "alice"), true).await);
    drop(server);
    let server = start().await;
    for method in ["tasks/get", "tasks/cancel"] {
        let answer = request(&client(&server, "bob"), method, json!({"taskId": id}), true).await;
        assert!(answer.error()["message"].as_str().unwrap().starts_with("Unknown task"), "{}", answer.raw);
    }
    assert_eq!(settled(&client(&server, "alice"), &id, "working").await["status"], "failed");
}
