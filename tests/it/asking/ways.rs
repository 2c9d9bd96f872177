//! The three ways in which a question is sent: to the client's model while the call waits, as a result that the client
//! answers by repeating the call, and to the host, which answers by a call of its own.

use std::{pin::Pin, sync::Arc};

use fumi_config::{AuthMode, ConfiguredToken};
use fumi_kernel::{
    Access, Answerer, CallProgress, Caller,
    catalogue::ToolEntry,
    conversation::{CallRunner, ModelText, NoAnswer, Prompt, TextModel},
};
use reqwest::StatusCode;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{app, ask, bearing, brings, message, required, sampling, start, token};
use crate::{
    catalogue::answers_as_published,
    harness::{Server, Session, Stateless},
    sample::Sample,
};

fn published<'a>(server: &'a Server, tool: &str) -> &'a ToolEntry {
    server.app.catalogue.find(&server.app.scope, tool).unwrap()
}

// --- the session era ---

#[tokio::test(flavor = "multi_thread")]
async fn the_clients_model_is_asked_while_its_call_waits() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let session = Session::open_able(&server, sampling()).await;
    let mut called = session.begin("compose", json!({"topic": "rain", "parts": 2})).await;
    for part in 1..=2 {
        let request = called.asked().await;
        assert_eq!(request["method"], "sampling/createMessage", "{request}");
        let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(prompt.contains(&format!("part {part} about rain")) && prompt.contains("one sentence"), "{prompt}");
        session.respond(&request, message(&format!("Drop {part}."))).await;
    }
    let result = called.answered().await;
    assert_eq!(result["structuredContent"], json!({"text": "Drop 1. Drop 2.", "by": "llm_sampling"}), "{result}");
    assert_eq!(server.edge.sessions.running_calls(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_json_reaches_the_tool_as_json() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let session = Session::open_able(&server, sampling()).await;
    let arguments = json!({"topic": "rain", "written": ["Drop."], "judged": true});
    let mut called = session.begin("compose", arguments.clone()).await;
    let request = called.asked().await;
    let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(prompt.contains(r#""score":{"type":"integer"}"#), "{prompt}");
    session.respond(&request, message("```json\n{\"score\": 7}\n```")).await;
    assert_eq!(called.answered().await["structuredContent"]["verdict"], json!({"score": 7}));
    // A text that is not JSON is refused with the tool's own message, which the model gets.
    let mut called = session.begin("compose", arguments).await;
    for _ in 0..3 {
        let request = called.asked().await;
        session.respond(&request, message("seven")).await;
    }
    let result = called.answered().await;
    assert_eq!(result["structuredContent"]["error"]["code"], "INVALID_ARGUMENTS", "{result}");
    assert!(result["content"][0]["text"].as_str().unwrap().contains("verdict"), "{result}");
}

/// If the user declines, the host gets the question; no answer is invented.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_declines_gets_the_question() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let session = Session::open_able(&server, sampling()).await;
    for refusal in [
        json!({"error": {"code": -1, "message": "the user said no"}}),
        json!({"result": message("  ")}),
        json!({"result": {"role": "assistant", "content": {"type": "image", "data": "", "mimeType": "image/png"}, "model": "test"}}),
    ] {
        let mut called = session.begin("compose", json!({"topic": "rain"})).await;
        let request = called.asked().await;
        session.answer(&request, refusal.clone()).await;
        let result = called.answered().await;
        assert_eq!(result["structuredContent"]["status"], "needs_text", "{refusal}: {result}");
    }
}

/// The model may take minutes. Meanwhile its slot of the pool is free.
#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_model_takes_no_place_in_the_pool() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, &[], |config| config.pools.analysis = 1)).await;
    let session = Session::open_able(&server, sampling()).await;
    let mut called = session.begin("compose", json!({"topic": "rain"})).await;
    let request = called.asked().await;
    let other = Stateless::new(&server).call("list_files", json!({"roots": ["."]})).await;
    assert!(!other.called().2, "{}", other.raw);
    session.respond(&request, message("Drop.")).await;
    assert_eq!(called.answered().await["structuredContent"]["text"], "Drop.");
}

/// Waiting calls have all the slots; the answer that they wait for needs none.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_server_takes_the_answers_that_it_waits_for() {
    const PLACES: usize = 3;
    let sample = Sample::new();
    let server = Server::start(app(&sample, &[], |config| config.limits.requests = PLACES)).await;
    let session = Session::open_able(&server, sampling()).await;
    let mut waiting = Vec::new();
    // As many calls wait without a slot, and as many again hold their slots.
    while waiting.len() < 2 * PLACES {
        let called = session.begin("compose", json!({"topic": "rain"})).await;
        // The slot of a request that was answered just now may still be in use.
        if called.status() == StatusCode::OK {
            waiting.push(called);
        }
    }
    let full = session.call("list_files", json!({"roots": ["."]})).await;
    assert_eq!(full.status, StatusCode::SERVICE_UNAVAILABLE, "{}", full.raw);
    for mut called in waiting {
        let request = called.asked().await;
        session.respond(&request, message("Drop.")).await;
        assert_eq!(called.answered().await["structuredContent"]["text"], "Drop.");
    }
}

/// A call is counted when it arrives; the answer that it waits for is not counted again.
#[tokio::test(flavor = "multi_thread")]
async fn answers_are_not_counted_as_calls() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, &[], |config| {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = vec![ConfiguredToken {
            // Three requests: `initialize`, `initialized` and one call.
            rate_per_minute: Some(3),
            ..token("alice")
        }];
    }))
    .await;
    let session = Session::open_bearing(&server, bearing("alice"), sampling()).await;
    let mut called = session.begin("compose", json!({"topic": "rain"})).await;
    let request = called.asked().await;
    session.respond(&request, message("Drop.")).await;
    assert_eq!(called.answered().await["structuredContent"]["text"], "Drop.");
    let too_many = session.call("list_files", json!({"roots": ["."]})).await;
    assert_eq!(too_many.status, StatusCode::TOO_MANY_REQUESTS, "{}", too_many.raw);
}

/// A model that answers after the operator has changed the rights of the caller.
struct LateModel(CancellationToken);

impl TextModel for LateModel {
    fn answerer(&self) -> Answerer {
        Answerer::Sampling
    }

    fn write<'a>(&'a self, _: &'a Prompt) -> Pin<Box<dyn Future<Output = Result<ModelText, NoAnswer>> + Send + 'a>> {
        self.0.cancel();
        Box::pin(async { Ok(ModelText { text: "Drop.".to_owned(), usage: None }) })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_after_a_change_of_rights_is_refused() {
    let sample = Sample::new();
    let app = app(&sample, &[], |_| {});
    let model = LateModel(CancellationToken::new());
    let access = Access { revoked: model.0.clone(), ..Access::full(app.scope.clone()) };
    let caller = Caller { access: Arc::new(access), ..Caller::default() };
    let (cancel, progress) = (CancellationToken::new(), CallProgress::default());
    let talk = CallRunner {
        kernel: &app.kernel,
        catalogue: &app.catalogue,
        caller: &caller,
        project: app.kernel.roots.default_project(),
        cancel: &cancel,
        progress: &progress,
    };
    let entry = app.catalogue.find(&app.scope, "compose").unwrap();
    let arguments = json!({"topic": "rain"}).as_object().unwrap().clone();
    let reply = talk.call(entry, arguments, |_| Some(&model as &dyn TextModel)).await;
    assert_eq!(reply.error_code().as_deref(), Some("INSUFFICIENT_SCOPE"), "{}", reply.structured);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_does_not_wait_for_the_model() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let session = Session::open_able(&server, sampling()).await;
    let mut called = session.begin("compose", json!({"topic": "rain"})).await;
    called.asked().await;
    assert_eq!(server.edge.sessions.running_calls(), 1);
    session.notify("notifications/cancelled", json!({"requestId": called.id})).await;
    while server.edge.sessions.running_calls() > 0 {
        tokio::task::yield_now().await;
    }
}

// --- the stateless era ---

#[tokio::test(flavor = "multi_thread")]
async fn a_stateless_client_repeats_its_call_with_the_answer() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let client = Stateless::new(&server);
    let arguments = json!({"topic": "rain", "parts": 2});
    let (prompt, first) = required(&ask(&client, arguments.clone(), json!({})).await);
    assert!(prompt.contains("part 1 about rain") && prompt.contains("one sentence"), "{prompt}");
    let (prompt, second) = required(&ask(&client, arguments.clone(), brings(&first, "Drop 1.")).await);
    assert!(prompt.contains("part 2 about rain"), "{prompt}");
    assert_ne!(first, second);
    let answer = ask(&client, arguments, brings(&second, "Drop 2.")).await;
    assert_eq!(answer.called().0["text"], "Drop 1. Drop 2.", "{}", answer.raw);
    assert_eq!(answer.result()["resultType"], "complete");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_without_an_answer_is_asked_again() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let client = Stateless::new(&server);
    let arguments = json!({"topic": "rain"});
    let (asked, mut state) = required(&ask(&client, arguments.clone(), json!({})).await);
    for responses in [
        json!({}),
        json!({"other": message("Drop.")}),
        json!({"answer": 7}),
        json!({"answer": {"action": "decline"}}),
        json!({"answer": message(" ")}),
    ] {
        let brought = json!({"requestState": state, "inputResponses": responses});
        let (again, next) = required(&ask(&client, arguments.clone(), brought).await);
        assert_eq!(again, asked);
        assert_ne!(next, state);
        state = next;
    }
    // Responses to other or no questions are ignored.
    let more = json!({"requestState": state, "inputResponses": {"answer": message("Drop."), "more": 1}});
    assert_eq!(ask(&client, arguments.clone(), more).await.called().0["text"], "Drop.");
    let nothing = json!({"inputResponses": {"answer": message("Drop.")}});
    required(&ask(&client, arguments, nothing).await);
}

/// The session era ignores the unknown field for the state.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_carries_no_state() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let session = Session::open(&server).await;
    let params = json!({"name": "compose", "arguments": {"topic": "rain"}, "requestState": "x", "inputResponses": {}});
    let answer = session.request("tools/call", params).await;
    assert_eq!(answer.called().0["status"], "needs_text", "{}", answer.raw);
}

// --- the host ---

#[tokio::test(flavor = "multi_thread")]
async fn a_host_without_sampling_answers_by_the_call_that_is_named() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let (stateless, session) = (Stateless::new(&server), Session::open(&server).await);
    let arguments = json!({"topic": "rain", "output_file": "rain.json", "project_root": sample.root()});
    let asked = [stateless.call("compose", arguments.clone()).await, session.call("compose", arguments).await];
    for answer in &asked {
        let (question, text, failed) = answer.called();
        assert!(!failed, "{}", answer.raw);
        answers_as_published(published(&server, "compose"), question);
        assert_eq!(question["status"], "needs_text");
        assert_eq!(question["step"], "1");
        assert!(text.contains("Write part 1 about rain.") && text.contains("one sentence"), "{text}");
        let submit = &question["submit"];
        assert!(text.contains(submit["tool"].as_str().unwrap()) && text.contains("\"content\":\"…\""), "{text}");
    }
    // A question is not a result: no file was written, though one was requested.
    assert!(!sample.root().join(".fumi/output/rain.json").exists());
    let submit = &asked[0].called().0["submit"];
    let mut arguments = submit["arguments"].clone();
    arguments[submit["answer"].as_str().unwrap()] = json!("Drop.");
    let done = stateless.call(submit["tool"].as_str().unwrap(), arguments).await;
    assert_eq!(done.called().0["text"], "Drop.", "{}", done.raw);
    // The options of this call apply to its continuation.
    assert!(sample.read(".fumi/output/rain.json").contains("Drop."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_does_not_say_so_may_not_ask() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let answer = Stateless::new(&server).call("sudden", json!({"topic": "rain"})).await;
    assert_eq!(answer.called().0["error"]["code"], "TOOL_EXECUTION_FAILED", "{}", answer.raw);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_waits_for_its_clients_model_takes_no_place() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, &[], |config| config.limits.requests = 1)).await;
    let session = Session::open_able(&server, sampling()).await;
    let mut called = session.begin("compose", json!({"topic": "rain"})).await;
    let question = called.asked().await;
    let other = Stateless::new(&server);
    assert_eq!(other.request("tools/list", json!({})).await.status, StatusCode::OK);
    session.respond(&question, message("Drop.")).await;
    called.answered().await;
    called.ended().await;
    // The slot was released once.
    assert_eq!(other.request("tools/list", json!({})).await.status, StatusCode::OK);
}
