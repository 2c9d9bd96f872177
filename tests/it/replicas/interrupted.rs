//! Replicas that are killed (SIGKILL) or stopped (SIGSTOP) while they work. Their clients go on at another; nothing is lost
//! and nothing is done twice.

use std::time::Duration;

use reqwest::{Response, StatusCode};
use rustix::process::Pid;
use serde_json::{Value, json};

use super::{Cluster, folders};
use crate::{
    harness::{Answer, SESSION, Session, Stateless, next_id},
    novel::{
        FIRST,
        fencing::{end_the_lease, sent, stopped},
        killed::session_of,
        script, unwritten,
    },
    resuming::{call, first_id, resumed},
    sample::Sample,
};

/// Returns two replicas over a sample; the first stops itself at a step of a write.
async fn stopping_at(sample: Sample, step: &str) -> Cluster {
    Cluster::over(sample, &[&format!("freeze {step}"), ""]).await
}

/// Opens a session that lives in the first replica, and returns it as a client of the second sees it.
async fn session(cluster: &Cluster, capabilities: Value) -> Session {
    let session = Session::open_as(reqwest::Client::new(), &cluster.replicas[0].url, SESSION, capabilities).await;
    cluster.at(&session, 1)
}

fn stateless(cluster: &Cluster, replica: usize) -> Stateless {
    Stateless { http: reqwest::Client::new(), url: cluster.replicas[replica].url.clone() }
}

/// Returns a text of a model in the form of the protocol.
fn message(text: &str) -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "test"})
}

/// Makes a call during which the first replica stops itself, and kills that replica. Its client continues the stream at the
/// second replica, and learns that the call may have been executed.
async fn kill_within(cluster: &mut Cluster, session: &Session, tool: &str, arguments: &Value) {
    let mut stream = session.prepare(&call(next_id(), tool, arguments)).send().await.unwrap();
    let last = first_id(&mut stream).await;
    stopped(Pid::from_child(&cluster.replicas[0].child)).await;
    cluster.kill(0);
    while let Ok(Some(_)) = stream.chunk().await {}
    let told = resumed(session, &last).await;
    let [answer] = told.as_slice() else { panic!("one answer: {told:?}") };
    assert_eq!(answer["error"]["data"]["code"], "RESULT_LOST", "{answer}");
}

/// Answers the questions of a writing session as a host until the manuscript is written; returns the steps that were asked.
async fn write_on(session: &Session, mut asked: Value) -> Vec<String> {
    let mut steps = Vec::new();
    while asked["status"] == "needs_text" {
        let step = asked["step"].as_str().unwrap().to_owned();
        let mut arguments = asked["submit"]["arguments"].clone();
        arguments["content"] = json!(script::answer(&step));
        let answer = session.call(asked["submit"]["tool"].as_str().unwrap(), arguments).await;
        let (structured, text, is_error) = answer.called();
        assert!(!is_error, "{step}: {text}");
        asked = structured.clone();
        steps.push(step);
    }
    steps
}

/// There is one manuscript of the first episode, which consists of the answers.
fn is_written_once(sample: &Sample) {
    assert!(sample.read(FIRST).ends_with(script::manuscript().trim_start_matches('\n')));
    assert_eq!(std::fs::read_dir(sample.root().join("40_原稿")).unwrap().count(), 3, "one manuscript of each episode");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn novel_that_a_killed_replica_was_writing_is_finished_by_another() {
    let mut cluster = stopping_at(unwritten(), &format!("rename {FIRST}")).await;
    let session = session(&cluster, json!({})).await;
    let mut asked = session.call("noveler_write", json!({"episode": 1})).await.called().0.clone();
    let steps = script::steps();
    for step in &steps[..steps.len() - 1] {
        assert_eq!(asked["step"], *step);
        let arguments =
            json!({"episode": 1, "session_id": asked["session_id"], "step": step, "content": script::answer(step)});
        asked = session.call("noveler_write", arguments).await.called().0.clone();
    }
    // The last answer makes the manuscript.
    let last = steps.last().unwrap();
    let arguments =
        json!({"episode": 1, "session_id": asked["session_id"], "step": last, "content": script::answer(last)});
    kill_within(&mut cluster, &session, "noveler_write", &arguments).await;
    let resumed = session.call("write_resume", json!({"episode": 1, "session_id": asked["session_id"]})).await;
    let again = write_on(&session, resumed.called().0.clone()).await;
    assert!(again.len() <= 1, "complete steps are asked for again: {again:?}");
    is_written_once(&cluster.sample);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn batch_of_a_killed_replica_is_complete_up_to_the_call_that_ran() {
    let sample = Sample::empty();
    let names = ["a.md", "b.md", "c.md"];
    for name in names {
        sample.file(name, "before\n");
    }
    let mut cluster = stopping_at(sample, "fsync b.md").await;
    let session = session(&cluster, json!({})).await;
    let write = |name: &str| json!({"tool": "write", "arguments": {"file_path": name, "content": format!("new {name}\n"), "overwrite": true}});
    let batch = json!({"steps": names.map(write)});
    kill_within(&mut cluster, &session, "batch_execute", &batch).await;
    let texts = || names.map(|name| cluster.sample.read(name));
    assert_eq!(texts(), ["new a.md\n", "before\n", "before\n"]);
    let again = session.call("batch_execute", batch).await;
    assert!(!again.called().2, "{}", again.raw);
    assert_eq!(texts(), ["new a.md\n", "new b.md\n", "new c.md\n"]);
}

/// Reads a stream until it tells of a changed resource.
async fn updated(stream: &mut Response) {
    let mut raw = String::new();
    while !raw.contains("resources/updated") {
        let chunk = stream.chunk().await.unwrap();
        raw.push_str(&String::from_utf8_lossy(&chunk.unwrap_or_else(|| panic!("the stream ended: {raw}"))));
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn subscription_at_a_killed_replica_continues_with_what_changed_meanwhile() {
    let sample = folders();
    sample.file("watched.txt", "1");
    let mut cluster = Cluster::over(sample, &["", ""]).await;
    let session = session(&cluster, json!({})).await;
    let mut stream = session.listen().await;
    let subscribed = session.request("resources/subscribe", json!({"uri": "code://file/watched.txt"})).await;
    assert!(subscribed.result().is_object(), "{}", subscribed.raw);
    // Each replica watches the files itself.
    let arguments = json!({"file_path": "watched.txt", "content": "2", "overwrite": true});
    let (status, written) = sent(&cluster.replicas[1].url, "write", arguments).await;
    assert_eq!(status, StatusCode::OK, "{written}");
    updated(&mut stream).await;
    cluster.kill(0);
    // Its client notices that the stream ends.
    while let Ok(Some(_)) = stream.chunk().await {}
    cluster.sample.file("watched.txt", "3");
    let mut stream = session.listen().await;
    assert_eq!(stream.status(), StatusCode::OK);
    updated(&mut stream).await;
    cluster.sample.file("watched.txt", "4");
    updated(&mut stream).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn question_of_a_killed_replica_is_asked_again_by_another() {
    let mut cluster = Cluster::over(unwritten(), &["", ""]).await;
    let session = session(&cluster, json!({"sampling": {}})).await;
    let steps = script::steps();
    let mut called = session.begin("noveler_write", json!({"episode": 1})).await;
    let question = called.asked().await;
    session.respond(&question, message(&script::answer(&steps[0]))).await;
    called.asked().await;
    cluster.kill(0);
    let arguments = json!({"episode": 1, "session_id": session_of(&cluster.sample)});
    let mut called = session.begin("write_resume", arguments).await;
    for step in &steps[1..] {
        let question = called.asked().await;
        assert_eq!(question["method"], "sampling/createMessage", "{question}");
        session.respond(&question, message(&script::answer(step))).await;
    }
    let result = called.answered().await;
    assert_eq!(result["isError"], false, "{result}");
    is_written_once(&cluster.sample);
}

/// Calls a tool as a client that answers questions by repeating the call, with what it brings.
async fn ask(client: &Stateless, arguments: &Value, brings: Value) -> Answer {
    let mut params = json!({"name": "noveler_write", "arguments": arguments});
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": {"sampling": {}}});
    params.as_object_mut().unwrap().extend(brings.as_object().unwrap().clone());
    client.request("tools/call", params).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn state_of_a_killed_replica_is_accepted_once_by_another() {
    let mut cluster = Cluster::over(unwritten(), &["", ""]).await;
    let (arguments, steps) = (json!({"episode": 1}), script::steps());
    let asked = ask(&stateless(&cluster, 0), &arguments, json!({})).await;
    assert_eq!(asked.result()["resultType"], "input_required", "{}", asked.raw);
    let state = asked.result()["requestState"].clone();
    cluster.kill(0);
    let brings = json!({"requestState": state, "inputResponses": {"answer": message(&script::answer(&steps[0]))}});
    let client = stateless(&cluster, 1);
    let next = ask(&client, &arguments, brings.clone()).await;
    assert_eq!(next.result()["resultType"], "input_required", "{}", next.raw);
    let twice = ask(&client, &arguments, brings).await;
    assert_eq!(twice.error()["data"]["code"], "REQUEST_STATE_REFUSED", "{}", twice.raw);
}

/// Sends a request of a client that follows tasks and has a model.
async fn follow(client: &Stateless, method: &str, mut params: Value) -> Answer {
    let able = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}, "sampling": {}});
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": able});
    client.request(method, params).await
}

/// Starts the writing of an episode as a task, and returns its id.
async fn task(client: &Stateless, episode: u32) -> String {
    let params = json!({"name": "noveler_write", "arguments": {"episode": episode}});
    let begun = follow(client, "tools/call", params).await;
    assert_eq!(begun.result()["resultType"], "task", "{}", begun.raw);
    begun.result()["taskId"].as_str().unwrap().to_owned()
}

/// Returns a task once it satisfies a condition.
async fn once(client: &Stateless, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let poll = async {
        loop {
            let answer = follow(client, "tasks/get", json!({"taskId": id})).await;
            if wanted(answer.result()) {
                return answer.result().clone();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), poll).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn task_of_a_killed_replica_has_failed_and_its_text_is_kept() {
    let mut cluster = Cluster::over(unwritten(), &["", ""]).await;
    let (first, other) = (stateless(&cluster, 0), stateless(&cluster, 1));
    let cancelled = task(&first, 2).await;
    follow(&other, "tasks/cancel", json!({"taskId": cancelled})).await.result();
    once(&other, &cancelled, |task| task["status"] == "cancelled").await;

    let id = task(&first, 1).await;
    let steps = script::steps();
    once(&other, &id, |task| task["inputRequests"]["answer-1"].is_object()).await;
    let responses = json!({"answer-1": message(&script::answer(&steps[0]))});
    follow(&other, "tasks/update", json!({"taskId": id, "inputResponses": responses})).await.result();
    once(&other, &id, |task| task["inputRequests"]["answer-2"].is_object()).await;
    cluster.kill(0);
    let failed = once(&other, &id, |task| task["status"] != "working").await;
    assert_eq!(
        (&failed["status"], &failed["error"]["data"]["code"]),
        (&json!("failed"), &json!("RESULT_LOST")),
        "{failed}"
    );
    // How a task ended is known although its replica has ended.
    once(&other, &cancelled, |task| task["status"] == "cancelled").await;

    let session = Session::open_at(&other.url, SESSION).await;
    let unfinished = session.call("noveler_write", json!({"episode": 1})).await;
    assert_eq!(write_on(&session, unfinished.called().0.clone()).await, steps[1..]);
    is_written_once(&cluster.sample);
}

/// The lease of a writer that was stopped has ended, and another replica has written since.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn replica_that_was_stopped_past_its_lease_is_refused_at_the_file() {
    let sample = Sample::empty();
    sample.file("a.md", "before\n");
    let cluster = stopping_at(sample, "fsync a.md").await;
    let arguments = |content: &str| json!({"file_path": "a.md", "content": content, "overwrite": true});
    let (url, slow) = (cluster.replicas[0].url.clone(), arguments("the stopped one\n"));
    let late = tokio::spawn(async move { sent(&url, "write", slow).await });
    stopped(Pid::from_child(&cluster.replicas[0].child)).await;
    end_the_lease(&cluster.sample);
    let (status, written) = sent(&cluster.replicas[1].url, "write", arguments("the other one\n")).await;
    assert_eq!(status, StatusCode::OK, "{written}");
    cluster.signal(0, "-CONT");
    let (status, refused) = late.await.unwrap();
    assert_eq!(cluster.sample.read("a.md"), "the other one\n", "an acknowledged write is lost");
    let kind = &refused["error"]["details"]["kind"];
    assert_eq!((status, kind), (StatusCode::SERVICE_UNAVAILABLE, &json!("TURN_LOST")), "{refused}");
}
