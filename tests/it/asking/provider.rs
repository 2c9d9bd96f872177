//! A provider of models that writes the answers: over every edge, with failures of the provider, and with a key that is
//! never shown.
//!
//! The provider is a server of the test that follows a script, one step for each request.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::{IntoResponse as _, Response},
};
use fumi::app::App;
use fumi_config::{self, AuthorChoice, Config, ProviderKind};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{app, ask, message, refused::is_given_up, required, sampling};
use crate::{
    harness::{Answer, Server, Session, Stateless},
    sample::{Sample, call},
    secrets::listen,
};

/// A key in the form that providers use.
const API_KEY: &str = "canary-of-a-provider-0123456789";

/// The provider's reaction to a request.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A valid answer.
    Say(&'static str),
    /// A valid answer in Anthropic's format.
    SayAsAnthropic(&'static str),
    /// A status with a body and a `Retry-After` header.
    Status(u16, String, Option<&'static str>),
    /// A whole reply with another body.
    Body(String),
    /// The request is never answered.
    Hang,
    /// The connection breaks in the middle of the body.
    Break,
    /// A body that exceeds every limit.
    Huge,
}

/// A received request.
#[derive(Debug)]
struct Heard {
    path: String,
    headers: HeaderMap,
    body: Value,
}

#[derive(Clone)]
pub(super) struct Provider {
    base: String,
    script: Arc<Mutex<VecDeque<Step>>>,
    heard: Arc<Mutex<Vec<Heard>>>,
    /// Gets a permit for each request that hangs.
    hanging: Arc<Semaphore>,
}

impl Provider {
    /// Starts a provider that follows these steps and repeats the last one.
    pub(super) async fn start(script: impl IntoIterator<Item = Step>) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider = Self {
            base: format!("http://{}", listener.local_addr().unwrap()),
            script: Arc::new(Mutex::new(script.into_iter().collect())),
            heard: Arc::default(),
            hanging: Arc::new(Semaphore::new(0)),
        };
        let routes = Router::new().fallback(answer).with_state(provider.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        provider
    }

    /// Waits until a request hangs.
    pub(super) async fn hanging(&self) {
        self.hanging.acquire().await.unwrap().forget();
    }

    fn requests(&self) -> usize {
        self.heard.lock().unwrap().len()
    }

    /// Returns the prompt of a request: the texts of its messages.
    fn prompt(&self, at: usize) -> Vec<String> {
        let heard = self.heard.lock().unwrap();
        let messages = heard[at].body["messages"].as_array().unwrap();
        messages.iter().map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns fumi's parts with this provider.
    pub(super) fn app(&self, sample: &Sample, change: impl FnOnce(&mut Config)) -> Arc<App> {
        app(sample, &[], |config| {
            self.configure(config);
            change(config);
        })
    }

    fn configure(&self, config: &mut Config) {
        config.novel.provider = fumi_config::ProviderConfig {
            base_url: format!("{}/v1", self.base),
            model: "a-model".to_owned(),
            api_key_env: "MODELS_KEY".to_owned(),
            key: API_KEY.to_owned().into(),
            retry_ms: 1,
            retries: 2,
            ..Config::default().novel.provider
        };
    }

    pub(super) async fn server(&self, sample: &Sample) -> Server {
        Server::start(self.app(sample, |_| {})).await
    }
}

async fn answer(State(provider): State<Provider>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    provider.heard.lock().unwrap().push(Heard {
        path: uri.path().to_owned(),
        headers,
        body: serde_json::from_slice(&body).unwrap(),
    });
    let step = {
        let mut script = provider.script.lock().unwrap();
        let step = script.pop_front().expect("a script has a step");
        if script.is_empty() {
            script.push_back(step.clone());
        }
        step
    };
    match step {
        Step::Say(text) => completion(text, "stop").to_string().into_response(),
        Step::SayAsAnthropic(text) => json!({
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 30, "output_tokens": 4},
        })
        .to_string()
        .into_response(),
        Step::Status(status, body, wait) => {
            let mut response = (StatusCode::from_u16(status).unwrap(), body).into_response();
            if let Some(wait) = wait {
                response.headers_mut().insert("retry-after", wait.parse().unwrap());
            }
            response
        }
        Step::Body(body) => body.into_response(),
        Step::Hang => {
            provider.hanging.add_permits(1);
            std::future::pending().await
        }
        Step::Break => {
            let half = completion("It rained.", "stop").to_string();
            let (sent, rest) = half.split_at(20);
            let broken = Err(std::io::Error::other("broken"));
            let parts = [Ok(Bytes::from(sent.to_owned())), broken];
            let mut response = Response::new(Body::from_stream(stream(parts)));
            let length = sent.len() + rest.len();
            response.headers_mut().insert("content-length", length.into());
            response
        }
        Step::Huge => vec![b' '; 5 << 20].into_response(),
    }
}

/// Returns the parts of a body as a stream.
fn stream<T: Send + 'static, const N: usize>(parts: [T; N]) -> impl futures_core::Stream<Item = T> + Send + 'static {
    struct Parts<T>(VecDeque<T>);
    impl<T> Unpin for Parts<T> {}
    impl<T> futures_core::Stream for Parts<T> {
        type Item = T;
        fn poll_next(mut self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<Option<T>> {
            std::task::Poll::Ready(self.0.pop_front())
        }
    }
    Parts(parts.into())
}

fn completion(text: &str, reason: &str) -> Value {
    json!({
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 3},
    })
}

fn rain() -> Value {
    json!({"topic": "rain"})
}

async fn post(server: &Server, arguments: &Value, accept: &str) -> reqwest::Response {
    let url = format!("{}/v1/tools/compose", server.base);
    let request = reqwest::Client::new().post(url).header("Accept", accept);
    request.json(arguments).send().await.unwrap()
}

/// Returns the error of a call over MCP, which has the code of external services.
#[track_caller]
fn failed(answer: &Answer, kind: &str) -> Value {
    let (reply, text, failed) = answer.called();
    let error = &reply["error"];
    assert!(failed, "{kind}: {}", answer.raw);
    assert_eq!((&error["code"], &error["details"]["kind"]), (&json!("R003"), &json!(kind)), "{}", answer.raw);
    // The question is still open, and the error names the call that answers it.
    assert_eq!(error["guidance"]["suggested_action"], "compose", "{}", answer.raw);
    assert_eq!(error["guidance"]["parameters"]["topic"], "rain", "{}", answer.raw);
    assert_eq!(error["details"]["step"], "1", "{}", answer.raw);
    assert!(text.contains("a-model") && text.contains("compose {"), "{text}");
    assert!(!answer.raw.contains(API_KEY), "{}", answer.raw);
    error.clone()
}

// --- who is asked ---

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_answers_whatever_edge_a_call_comes_by() {
    let sample = Sample::new();
    let provider = Provider::start([Step::Say("Drop.")]).await;
    let server = provider.server(&sample).await;
    let two = json!({"topic": "rain", "parts": 2});
    let stateless = Stateless::new(&server).call("compose", two.clone()).await;
    // A client that has a model is not asked.
    let session = Session::open_able(&server, sampling()).await.call("compose", two.clone()).await;
    let sampler = ask(&Stateless::new(&server), two.clone(), json!({})).await;
    for answer in [stateless, session, sampler] {
        let (reply, _, failed) = answer.called();
        assert!(!failed, "{}", answer.raw);
        assert_eq!((&reply["text"], &reply["by"]), (&json!("Drop. Drop."), &json!("llm_provider")));
        let expected = json!({
            "model": "a-model", "answers": 2, "input_tokens": 40, "output_tokens": 6, "estimated": false,
        });
        assert_eq!(answer.result()["_meta"]["fumi/provider"], expected);
    }
    let response = post(&server, &two, "application/json").await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.json::<Value>().await.unwrap()["text"], "Drop. Drop.");
    assert_eq!(provider.requests(), 8);
    let metrics = server.app.metrics.text();
    for expected in [
        "gen_ai_client_token_usage_sum{gen_ai_operation_name=\"chat\",gen_ai_provider_name=\"openai\",gen_ai_request_model=\"a-model\",gen_ai_token_type=\"input\"",
        "gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name=\"chat\"",
    ] {
        assert!(metrics.contains(expected), "{metrics}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_as_its_provider_wants_it() {
    let sample = Sample::new();
    let provider = Provider::start([Step::Say("Drop."), Step::SayAsAnthropic("Drip.")]).await;
    let server = provider.server(&sample).await;
    let answer = Stateless::new(&server).call("compose", rain()).await;
    assert_eq!(answer.called().0["text"], "Drop.", "{}", answer.raw);
    let other = provider.app(&sample, |config| {
        config.novel.provider.kind = ProviderKind::Anthropic;
        config.novel.provider.base_url = format!("{}/", provider.base);
    });
    let answer = Stateless::new(&Server::start(other).await).call("compose", rain()).await;
    assert_eq!(answer.called().0["text"], "Drip.", "{}", answer.raw);
    assert_eq!(answer.result()["_meta"]["fumi/provider"]["input_tokens"], 30);
    let heard = provider.heard.lock().unwrap();
    let header = |at: usize, name: &str| heard[at].headers.get(name).map(|value| value.to_str().unwrap());
    assert_eq!(heard[0].path, "/v1/chat/completions");
    assert_eq!(header(0, "authorization"), Some(&*format!("Bearer {API_KEY}")));
    assert_eq!(heard[1].path, "/v1/messages");
    assert_eq!(header(1, "x-api-key"), Some(API_KEY));
    assert_eq!(header(1, "anthropic-version"), Some("2023-06-01"));
    for at in 0..2 {
        assert_eq!(header(at, "content-type"), Some("application/json"));
        let body = &heard[at].body;
        assert_eq!((&body["model"], &body["max_tokens"]), (&json!("a-model"), &json!(16_384)));
        assert_eq!(body["messages"][0]["role"], "user");
    }
}

/// A model that cannot fetch gets the text itself; a host gets references.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_gets_the_texts_and_a_host_the_references() {
    let sample = Sample::new();
    let provider = Provider::start([Step::Say("Drop.")]).await;
    let secret = "canary-5e11ed-by-the-operator";
    let app = app(&sample, &[secret], |config| provider.configure(config));
    let topic = json!({"topic": format!("rain {secret}")});
    Stateless::new(&Server::start(app).await).call("compose", topic.clone()).await.called();
    let prompt = provider.prompt(0).join("");
    assert!(
        prompt.contains("<material title=\"plot.yaml\">\nThe plot: rain [redacted] falls.\n</material>"),
        "{prompt}"
    );
    assert!(prompt.contains("Write part 1 about rain") && prompt.contains("one sentence"), "{prompt}");
    assert!(!prompt.contains(secret) && !prompt.contains("artifact:"), "{prompt}");
    // The client's own model cannot fetch either.
    let server = super::start(&sample).await;
    let (prompt, _) = required(&ask(&Stateless::new(&server), rain(), json!({})).await);
    assert!(prompt.contains("The plot: rain falls."), "{prompt}");
    let host = Stateless::new(&server).call("compose", rain()).await;
    assert_eq!(host.called().0["context"], json!(["artifact:0123456789ab plot.yaml"]));
    assert!(!host.raw.contains("The plot"), "{}", host.raw);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_selects_the_author() {
    let sample = Sample::new();
    let provider = Provider::start([Step::Say("Drop.")]).await;
    for (author, own, expected) in [
        (AuthorChoice::Auto, false, "provider"),
        (AuthorChoice::Provider, false, "provider"),
        (AuthorChoice::Sampling, false, "sampling"),
        (AuthorChoice::Host, false, "host"),
        // A tool may refuse a provider.
        (AuthorChoice::Auto, true, "sampling"),
        (AuthorChoice::Provider, true, "host"),
    ] {
        let server = Server::start(provider.app(&sample, |config| config.novel.author = author)).await;
        let answer = ask(&Stateless::new(&server), json!({"topic": "rain", "own": own}), json!({})).await;
        let result = answer.result();
        let found = match () {
            () if result["resultType"] == "input_required" => "sampling",
            () if result["structuredContent"]["status"] == "needs_text" => "host",
            () => "provider",
        };
        assert_eq!(found, expected, "{author:?} {own}: {}", answer.raw);
        // The same in a session.
        let session = Session::open_able(&server, sampling()).await;
        let mut called = session.begin("compose", json!({"topic": "rain", "own": own})).await;
        if expected == "sampling" {
            let request = called.asked().await;
            session.respond(&request, message("Drip.")).await;
            assert_eq!(called.answered().await["structuredContent"]["by"], "llm_sampling");
        } else {
            let result = called.answered().await;
            assert_eq!(result["structuredContent"]["status"] == "needs_text", expected == "host", "{result}");
        }
    }
    assert_eq!(provider.requests(), 4);
}

// --- answers that will not do ---

#[tokio::test(flavor = "multi_thread")]
async fn a_providers_model_gets_the_reason_of_a_refusal() {
    let sample = Sample::new();
    let provider = Provider::start([Step::Say("Dry."), Step::Say("Wet.")]).await;
    let server = provider.server(&sample).await;
    let wet = json!({"topic": "rain", "word": "Wet"});
    let answer = Stateless::new(&server).call("compose", wet).await;
    assert_eq!(answer.called().0["text"], "Wet.", "{}", answer.raw);
    // Both answers were paid for.
    assert_eq!(answer.result()["_meta"]["fumi/provider"]["answers"], 2);
    let prompt = provider.prompt(1);
    assert_eq!((prompt.len(), &*prompt[1]), (3, "Dry."));
    assert!(prompt[2].contains("does not have the word Wet"), "{prompt:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_three_refusals_no_more_is_paid() {
    let sample = Sample::new();
    let provider = Provider::start([Step::Say("Dry.")]).await;
    let server = provider.server(&sample).await;
    let wet = json!({"topic": "rain", "word": "wet"});
    let answer = Stateless::new(&server).call("compose", wet.clone()).await;
    let (reply, text, failed) = answer.called();
    assert!(failed, "{}", answer.raw);
    is_given_up(reply, text);
    assert_eq!(answer.result()["_meta"]["fumi/provider"]["answers"], 3);
    assert_eq!(provider.requests(), 3);
    let response = post(&server, &wet, "application/json").await;
    assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY);
}

// --- troubles ---

fn status(status: u16, body: &str) -> Step {
    Step::Status(status, body.to_owned(), None)
}

#[tokio::test(flavor = "multi_thread")]
async fn temporary_errors_are_retried() {
    let sample = Sample::new();
    for script in [
        vec![Step::Status(429, String::new(), Some("0")), Step::Say("Drop.")],
        vec![status(500, "oh"), status(529, "oh"), Step::Say("Drop.")],
        vec![Step::Break, Step::Say("Drop.")],
        // One model uses another name for the limit of its length.
        vec![
            status(400, "{\"error\": {\"message\": \"Use 'max_completion_tokens' instead.\"}}"),
            status(503, ""),
            Step::Say("Drop."),
        ],
    ] {
        let requests = script.len();
        let provider = Provider::start(script.clone()).await;
        let server = provider.server(&sample).await;
        let answer = Stateless::new(&server).call("compose", rain()).await;
        assert_eq!(answer.called().0["text"], "Drop.", "{script:?}: {}", answer.raw);
        assert_eq!(provider.requests(), requests, "{script:?}");
        if requests == 3 && matches!(&script[0], Step::Status(400, ..)) {
            let heard = provider.heard.lock().unwrap();
            let last = &heard[2].body;
            assert!(last["max_tokens"].is_null() && last["max_completion_tokens"] == 16_384, "{last}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn permanent_errors_are_reported_at_once() {
    let lines = listen();
    let sample = Sample::new();
    let wrong_key = format!("{{\"error\": {{\"message\": \"Incorrect API key: {API_KEY}\"}}}}");
    let cases = [
        (status(401, &wrong_key), "PROVIDER_KEY_REFUSED", 1),
        (status(404, "no such model"), "PROVIDER_MODEL_UNKNOWN", 1),
        (Step::Status(307, String::new(), None), "PROVIDER_MODEL_UNKNOWN", 1),
        (status(400, "bad"), "PROVIDER_REQUEST_REFUSED", 1),
        (status(500, "oh"), "PROVIDER_DOWN", 3),
        // Three retries after a second each are worth it, a wait of an hour is not.
        (Step::Status(429, "slow".to_owned(), Some("3600")), "PROVIDER_RATE_LIMITED", 1),
        (Step::Break, "PROVIDER_UNREACHABLE", 3),
        (Step::Body("{\"choices\": [{\"message\": {\"con".to_owned()), "PROVIDER_REPLY_MALFORMED", 1),
        (Step::Body("<html>hello</html>".to_owned()), "PROVIDER_REPLY_MALFORMED", 1),
        (Step::Huge, "PROVIDER_REPLY_TOO_LARGE", 1),
        (Step::Body(completion("It began to", "length").to_string()), "PROVIDER_ANSWER_CUT", 1),
        (Step::Body(completion("", "content_filter").to_string()), "PROVIDER_ANSWER_FILTERED", 1),
        (Step::Body(completion(" \n", "stop").to_string()), "PROVIDER_ANSWER_EMPTY", 1),
    ];
    for (step, kind, requests) in cases {
        let provider = Provider::start([step]).await;
        let server = provider.server(&sample).await;
        let answer = Stateless::new(&server).call("compose", rain()).await;
        let error = failed(&answer, kind);
        assert_eq!(provider.requests(), requests, "{kind}");
        if kind == "PROVIDER_RATE_LIMITED" {
            assert_eq!(error["details"]["retry_after_ms"], 3_600_000);
        }
        let response = post(&server, &rain(), "application/json").await;
        assert_eq!(response.status(), StatusCode::BAD_GATEWAY, "{kind}");
        assert!(!response.text().await.unwrap().contains(API_KEY), "{kind}");
    }
    // At the most verbose level, the log has the failures but not the key.
    let log = lines.text();
    assert!(log.contains("no text was received for a question"), "{log}");
    assert!(!log.contains(API_KEY), "the log contains the key");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_hangs_is_given_up() {
    let sample = Sample::new();
    let provider = Provider::start([Step::Hang]).await;
    let server = Server::start(provider.app(&sample, |config| config.novel.provider.timeout_seconds = 1)).await;
    let answer = Stateless::new(&server).call("compose", rain()).await;
    assert_eq!(failed(&answer, "PROVIDER_TIMEOUT")["details"]["seconds"], "1");
    assert_eq!(provider.requests(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_provider_is_reported() {
    let sample = Sample::new();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let provider = Provider::start([Step::Hang]).await;
    let server = Server::start(provider.app(&sample, |config| config.novel.provider.base_url = nobody)).await;
    let answer = Stateless::new(&server).call("compose", rain()).await;
    failed(&answer, "PROVIDER_UNREACHABLE");
}

/// A client that disconnects ends the work, and waiting for a model does not use a slot of a pool.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_given_up_asks_no_further() {
    let sample = Sample::new();
    let provider = Provider::start([Step::Hang]).await;
    let server = Server::start(provider.app(&sample, |config| config.pools.analysis = 1)).await;
    let base = server.base.clone();
    let waiting = tokio::spawn(async move {
        let url = format!("{base}/v1/tools/compose");
        reqwest::Client::new().post(url).json(&rain()).send().await
    });
    provider.hanging().await;
    let other = Stateless::new(&server).call("list_files", json!({"roots": ["."]})).await;
    assert!(!other.called().2, "{}", other.raw);
    assert_eq!(server.edge.sessions.running_calls(), 1);
    waiting.abort();
    while server.edge.sessions.running_calls() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(provider.requests(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_names_what_is_being_written() {
    let sample = Sample::new();
    let provider = Provider::start([Step::Hang]).await;
    let server = provider.server(&sample).await;
    let url = format!("{}/v1/tools/compose?lang=ja", server.base);
    let request = reqwest::Client::new().post(url).header("Accept", "text/event-stream");
    let mut response = request.json(&rain()).send().await.unwrap();
    let mut read = String::new();
    while !read.contains("部分: モデルが執筆中です") {
        let chunk = tokio::time::timeout(Duration::from_secs(20), response.chunk()).await;
        let chunk = chunk.unwrap_or_else(|_| panic!("nothing names it: {read}"));
        read.push_str(&String::from_utf8_lossy(&chunk.unwrap().unwrap()));
    }
    assert!(read.contains("event: progress"), "{read}");
}

/// A tool without a conversation does not ask: the pipeline itself never waits for a model.
#[tokio::test(flavor = "multi_thread")]
async fn the_pipeline_alone_does_not_ask() {
    let sample = Sample::new();
    let provider = Provider::start([Step::Say("Drop.")]).await;
    let reply = call(&provider.app(&sample, |_| {}), "compose", rain()).await;
    assert_eq!(reply.structured["status"], "needs_text");
    assert_eq!(provider.requests(), 0);
}
