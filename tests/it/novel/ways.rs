//! Four ways to get the texts of an episode, over HTTP: a host that answers each question, a client of the session era
//! whose model is asked, a stateless client that repeats its call with an answer, and a provider that fumi asks itself.
//! The same texts make the same files.

use std::{collections::BTreeMap, sync::Arc};

use axum::{Json, Router, routing::post};
use fumi_novel::writing::StageRoute;
use serde_json::{Value, json};

use super::{FIRST, script, unwritten};
use crate::{
    harness::{Server, Session, Stateless},
    sample::Sample,
};

/// Returns every file that an episode left, by path: hashes of content stand for content, and the parts that differ
/// between sessions (times, names) are left out.
fn left(sample: &Sample) -> BTreeMap<String, String> {
    let root = sample.root();
    let mut files = BTreeMap::new();
    for (path, content) in sample.state() {
        let Ok(path) = path.strip_prefix(&root) else { continue };
        let path = path.to_string_lossy().into_owned();
        if content.is_empty() || path.contains(".noveler/locks") {
            continue;
        }
        let text = String::from_utf8_lossy(&content).into_owned();
        files.insert(without_session(&path), without_session(&text));
    }
    files
}

/// Returns a text with names of sessions, times and durations replaced by words.
fn without_session(text: &str) -> String {
    let session = regex::Regex::new(r"session_\d{8}_\d{6}_[0-9a-f]{8}").unwrap();
    let time = regex::Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z").unwrap();
    let seconds = regex::Regex::new(r"execution_time: [0-9.e-]+").unwrap();
    let tool = regex::Regex::new(r"tool_name: \w+").unwrap();
    let author = regex::Regex::new(r"written_by: \w+").unwrap();
    let text = session.replace_all(text, "SESSION");
    let text = time.replace_all(&text, "TIME");
    let text = seconds.replace_all(&text, "SECONDS");
    let text = tool.replace_all(&text, "TOOL");
    author.replace_all(&text, "AUTHOR").into_owned()
}

/// Returns the step of a prompt: the prompts of the sample differ, and each is found by asking for its words once.
fn step_of(prompt: &str, questions: &BTreeMap<String, String>) -> String {
    let found = questions.iter().find(|(instruction, _)| prompt.contains(instruction.as_str()));
    found.unwrap_or_else(|| panic!("unexpected prompt: {prompt}")).1.clone()
}

/// Returns the arguments of the first call. The sample's own route is the ten stages.
fn first_call(route: StageRoute) -> Value {
    match route {
        StageRoute::Short => json!({"episode": 1, "route": "short"}),
        _ => json!({"episode": 1}),
    }
}

/// A host: it gets the question as the result, and answers by the next call. Also returns every question with its step.
async fn by_a_host(route: StageRoute, sample: &Sample) -> BTreeMap<String, String> {
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    let mut questions = BTreeMap::new();
    let mut asked = client.call("noveler_write", first_call(route)).await;
    loop {
        let structure = asked.result()["structuredContent"].clone();
        if structure["status"] != "needs_text" {
            assert_eq!(structure["final_manuscript_path"], FIRST, "{structure}");
            return questions;
        }
        let step = structure["step"].as_str().unwrap().to_owned();
        questions.insert(structure["instruction"].as_str().unwrap().to_owned(), step.clone());
        let mut arguments = structure["submit"]["arguments"].clone();
        arguments["content"] = json!(script::answer(&step));
        asked = client.call(structure["submit"]["tool"].as_str().unwrap(), arguments).await;
    }
}

async fn by_the_clients_model(route: StageRoute, sample: &Sample, questions: &BTreeMap<String, String>) {
    let server = Server::start(sample.app()).await;
    let session = Session::open_able(&server, json!({"sampling": {}})).await;
    let mut called = session.begin("noveler_write", first_call(route)).await;
    for _ in 0..script::steps_of(route).len() {
        let request = called.asked().await;
        let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap();
        let step = step_of(prompt, questions);
        // A model cannot fetch the material.
        if route == StageRoute::Short && step != "choose_title:1" {
            assert!(prompt.contains("## The plot") && prompt.contains("気象通報の口調で話す小学生"), "{prompt}");
        }
        session.respond(&request, message(&script::answer(&step))).await;
    }
    let result = called.answered().await;
    assert_eq!(result["structuredContent"]["final_manuscript_path"], FIRST, "{result}");
}

async fn by_repeated_calls(route: StageRoute, sample: &Sample, questions: &BTreeMap<String, String>) {
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    let mut brings = json!({});
    for _ in 0..=script::steps_of(route).len() {
        let mut params = json!({"name": "noveler_write", "arguments": first_call(route)});
        params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": {"sampling": {}}});
        params.as_object_mut().unwrap().extend(brings.as_object().unwrap().clone());
        let answer = client.request("tools/call", params).await;
        let result = answer.result();
        if result["resultType"] != "input_required" {
            assert_eq!(result["structuredContent"]["final_manuscript_path"], FIRST, "{result}");
            return;
        }
        let prompt = result["inputRequests"]["answer"]["params"]["messages"][0]["content"]["text"].as_str().unwrap();
        let text = script::answer(&step_of(prompt, questions));
        brings = json!({"requestState": result["requestState"], "inputResponses": {"answer": message(&text)}});
    }
    panic!("it asked more often than the number of steps");
}

/// Starts a model with the API that most providers have, on this machine.
async fn provider(questions: BTreeMap<String, String>) -> String {
    let questions = Arc::new(questions);
    let answer = move |Json(request): Json<Value>| {
        let questions = Arc::clone(&questions);
        async move {
            let messages = request["messages"].as_array().unwrap();
            let prompt = messages.last().unwrap()["content"].as_str().unwrap();
            let text = script::answer(&step_of(prompt, &questions));
            Json(json!({
                "id": "1", "object": "chat.completion", "model": request["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
                "usage": {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30},
            }))
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let routes = Router::new().route("/v1/chat/completions", post(answer));
    tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
    format!("http://{address}/v1")
}

async fn by_a_provider(route: StageRoute, sample: &Sample, questions: &BTreeMap<String, String>) {
    let url = provider(questions.clone()).await;
    let app = sample.app_with(&[], |config| super::with_provider(config, &url));
    let server = Server::start(app).await;
    let result = Stateless::new(&server).call("noveler_write", first_call(route)).await;
    let structure = &result.result()["structuredContent"];
    assert_eq!(structure["final_manuscript_path"], FIRST, "{structure}");
}

fn message(text: &str) -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "test"})
}

#[tokio::test(flavor = "multi_thread")]
async fn four_ways_to_the_same_files() {
    // 20 answers and their prompts, 10 outputs, a trace and a session.
    write_in_four_ways(StageRoute::Whole, &script::manuscript(), 52).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_ways_to_the_same_files_by_the_short_route() {
    // The material, 7 answers and their prompts, 5 outputs, a trace and a session.
    write_in_four_ways(StageRoute::Short, &script::manuscript_by_scenes(), 22).await;
}

async fn write_in_four_ways(route: StageRoute, manuscript: &str, files: usize) {
    let samples = [(); 4].map(|()| unwritten());
    let questions = by_a_host(route, &samples[0]).await;
    assert_eq!(questions.len(), script::steps_of(route).len());
    by_the_clients_model(route, &samples[1], &questions).await;
    by_repeated_calls(route, &samples[2], &questions).await;
    by_a_provider(route, &samples[3], &questions).await;
    let expected = left(&samples[0]);
    for (sample, author) in samples.iter().zip(["host", "llm_sampling", "llm_sampling", "llm_provider"]) {
        let session =
            sample.state().into_iter().find(|(path, _)| path.to_string_lossy().contains(".noveler/sessions/"));
        let said = String::from_utf8(session.unwrap().1).unwrap();
        assert!(said.contains(&format!("written_by: {author}\n")), "{author}");
    }
    let own = expected.keys().filter(|path| path.starts_with(".noveler/")).count();
    assert_eq!(own, files, "{:?}", expected.keys());
    assert!(expected[FIRST].ends_with(manuscript.trim_start_matches('\n')));
    for (number, sample) in samples.iter().enumerate().skip(1) {
        let found = left(sample);
        let other: Vec<_> = expected.keys().filter(|path| found.get(*path) != expected.get(*path)).collect();
        assert!(other.is_empty() && found.len() == expected.len(), "way {number}: {other:?}");
    }
}
