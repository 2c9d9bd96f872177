//! Tools that ask the client's model: the three ways a question takes, over HTTP, and what comes back forged.
//!
//! fumi has no such tool yet; this one composes a text of parts, each written by the client's model.

use std::{path::Path, sync::Arc, time::Duration};

use fumi::{
    app::App,
    config::Config,
    mcp::seals::{Bound, Seals},
    tool::{
        Ask, Cx, Effect, Outcome, Render, SharedOption, Spec, Submit, Texts, Tool, ToolError,
        catalogue::{Catalogue, Entry},
    },
    tools::code::{ProjectDeps, SearchDeps, list_files::ListFiles, set_project_path::SetProjectPath},
};
use fumi_base::{pools::Pool, text::Locale};
use proptest::{
    prelude::*,
    sample::Index,
    test_runner::{Config as RunnerConfig, RngSeed, TestRunner},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    catalogue::answers_as_published,
    harness::{Answer, Server, Session, Stateless},
    sample::Sample,
    taught::is_japanese,
};

/// Asks for every part of a text, then gives the text.
struct Compose;

#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    topic: String,
    /// How many parts; one if nothing is said.
    parts: Option<usize>,
    /// Those that were written before.
    #[serde(default)]
    written: Vec<String>,
    /// The part that was asked for.
    content: Option<String>,
    /// A judgement of the text is asked for last.
    #[serde(default)]
    judged: bool,
    verdict: Option<Verdict>,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Verdict {
    score: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
}

const TEXTS: Texts = Texts {
    en: "# Compose\nComposes.\n## topic\nOf what.\n## parts\nHow many.\n## written\nBefore.\n## content\nA part.\n## judged\nJudge it.\n## verdict\nThe judgement.\n## verdict.score\nFrom 0.",
    ja: "# 作文\n書きます。\n## topic\n題。\n## parts\n数。\n## written\n既出。\n## content\n部分。\n## judged\n判定する。\n## verdict\n判定。\n## verdict.score\n0 から。",
};

impl Tool for Compose {
    const SPEC: Spec = Spec {
        name: "compose",
        aliases: &["compose_text"],
        toolset: "code",
        texts: TEXTS,
        example: r#"{"topic": "rain"}"#,
        options: &[SharedOption::Project, SharedOption::Timeout, SharedOption::Delivery],
        rules: &[],
        pool: Pool::Analysis,
        timeout: Duration::from_secs(30),
        cached: true,
        effect: Effect::ReadOnly,
    };
    const ASKS: bool = true;
    type Deps = ();
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, (): &(), _cx: &Cx) -> Result<Outcome<Output>, ToolError> {
        let parts = args.parts.unwrap_or(1);
        let mut written = args.written;
        written.extend(args.content);
        let mut arguments = json!({"topic": args.topic, "parts": parts, "written": written, "judged": args.judged});
        let arguments = std::mem::take(arguments.as_object_mut().unwrap());
        let submit = |answer| Submit {
            tool: "compose",
            arguments,
            answer,
        };
        if written.len() < parts {
            return Ok(Outcome::Ask(Ask {
                step: Some((written.len() + 1).to_string()),
                instruction: format!("Write part {} about {}.", written.len() + 1, args.topic),
                acceptance_criteria: vec!["one sentence".to_owned()],
                submit: submit("content"),
                ..Ask::default()
            }));
        }
        if args.judged && args.verdict.is_none() {
            let schema = json!({"type": "object", "properties": {"score": {"type": "integer"}}});
            return Ok(Outcome::Ask(Ask {
                instruction: format!("Judge this: {}", written.join(" ")),
                response_schema: schema.as_object().cloned(),
                submit: submit("verdict"),
                ..Ask::default()
            }));
        }
        Ok(Outcome::Done(Output {
            text: written.join(" "),
            verdict: args.verdict,
        }))
    }
}

impl Render for Output {
    fn text(&self, _locale: Locale) -> String {
        self.text.clone()
    }
}

/// Asks without having said that it does.
struct Sudden;

impl Tool for Sudden {
    const SPEC: Spec = Spec {
        name: "sudden",
        aliases: &[],
        ..Compose::SPEC
    };
    type Deps = ();
    type Args = Args;
    type Output = Output;

    async fn call(_args: Args, (): &(), _cx: &Cx) -> Result<Outcome<Output>, ToolError> {
        Ok(Outcome::Ask(Ask::default()))
    }
}

/// The key of these servers, so that a test can seal what a server would.
const KEY: &str = "a key for tests only, which is long enough";

fn app(sample: &Sample, secrets: &[&str], change: impl FnOnce(&mut Config)) -> Arc<App> {
    let app = sample.app_with(secrets, |config| {
        config.server.state_key = KEY.to_owned().into();
        change(config);
    });
    let app = Arc::into_inner(app).expect("nobody else has it yet");
    let project = Arc::new(ProjectDeps {
        roots: Arc::clone(&app.kernel.roots),
        sessions: Arc::clone(&app.sessions),
    });
    let catalogue = Catalogue::new(vec![
        Entry::of::<ListFiles>(Arc::new(SearchDeps::new(&app.config))),
        Entry::of::<SetProjectPath>(project),
        Entry::of::<Compose>(Arc::new(())),
        Entry::of::<Sudden>(Arc::new(())),
    ]);
    Arc::new(App { catalogue, ..app })
}

async fn start(sample: &Sample) -> Server {
    Server::start(app(sample, &[], |_| {})).await
}

fn sampling() -> Value {
    json!({"sampling": {}})
}

/// What a model says, as the protocol carries it.
fn message(text: &str) -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "test"})
}

/// A call of the stateless era by a client that has a model, with what it brings along.
async fn ask(client: &Stateless, arguments: Value, brings: Value) -> Answer {
    let mut params = json!({"name": "compose", "arguments": arguments});
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": sampling()});
    params
        .as_object_mut()
        .unwrap()
        .extend(brings.as_object().unwrap().clone());
    client.request("tools/call", params).await
}

fn brings(state: &str, text: &str) -> Value {
    json!({"requestState": state, "inputResponses": {"answer": message(text)}})
}

/// The prompt and the state of an `InputRequired` result.
#[track_caller]
fn required(answer: &Answer) -> (String, String) {
    let result = answer.result();
    assert_eq!(result["resultType"], "input_required", "{}", answer.raw);
    let request = &result["inputRequests"]["answer"];
    assert_eq!(request["method"], "sampling/createMessage", "{}", answer.raw);
    let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap();
    (prompt.to_owned(), result["requestState"].as_str().unwrap().to_owned())
}

fn published<'a>(server: &'a Server, tool: &str) -> &'a Entry {
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
        assert!(
            prompt.contains(&format!("part {part} about rain")) && prompt.contains("one sentence"),
            "{prompt}"
        );
        session.respond(&request, message(&format!("Drop {part}."))).await;
    }
    let result = called.answered().await;
    assert_eq!(
        result["structuredContent"],
        json!({"text": "Drop 1. Drop 2."}),
        "{result}"
    );
    assert_eq!(server.edge.streams.running_calls(), 0);
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
    assert_eq!(
        called.answered().await["structuredContent"]["verdict"],
        json!({"score": 7})
    );
    // What is no JSON is the tool's to refuse, with its own words.
    let mut called = session.begin("compose", arguments).await;
    let request = called.asked().await;
    session.respond(&request, message("seven")).await;
    let result = called.answered().await;
    assert_eq!(
        result["structuredContent"]["error"]["code"], "INVALID_ARGUMENTS",
        "{result}"
    );
    assert!(
        result["content"][0]["text"].as_str().unwrap().contains("verdict"),
        "{result}"
    );
}

/// Nothing is invented: who declines gets the question.
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
        assert_eq!(
            result["structuredContent"]["status"], "needs_text",
            "{refusal}: {result}"
        );
    }
}

/// The model may take minutes. Meanwhile its place in the pool is free.
#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_model_takes_no_place_in_the_pool() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, &[], |config| config.pools.analysis = 1)).await;
    let session = Session::open_able(&server, sampling()).await;
    let mut called = session.begin("compose", json!({"topic": "rain"})).await;
    let request = called.asked().await;
    let other = Stateless::new(&server)
        .call("list_files", json!({"roots": ["."]}))
        .await;
    assert!(!other.called().2, "{}", other.raw);
    session.respond(&request, message("Drop.")).await;
    assert_eq!(called.answered().await["structuredContent"]["text"], "Drop.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_does_not_wait_for_the_model() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let session = Session::open_able(&server, sampling()).await;
    let mut called = session.begin("compose", json!({"topic": "rain"})).await;
    called.asked().await;
    assert_eq!(server.edge.streams.running_calls(), 1);
    session
        .notify("notifications/cancelled", json!({"requestId": called.id}))
        .await;
    while server.edge.streams.running_calls() > 0 {
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
    assert!(
        prompt.contains("part 1 about rain") && prompt.contains("one sentence"),
        "{prompt}"
    );
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
    // Responses to more than was asked are passed over, and so are responses to nothing.
    let more = json!({"requestState": state, "inputResponses": {"answer": message("Drop."), "more": 1}});
    assert_eq!(ask(&client, arguments.clone(), more).await.called().0["text"], "Drop.");
    let nothing = json!({"inputResponses": {"answer": message("Drop.")}});
    required(&ask(&client, arguments, nothing).await);
}

/// A state that the server would make for a call with these arguments, or for another.
fn sealed<'a>(server: &'a Server, ttl: Duration, arguments: &'a Value, change: impl FnOnce(&mut Bound<'a>)) -> String {
    let mut bound = Bound {
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
    Seals::new(&server.app.state_key, ttl).seal(question, &bound)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_opens_for_its_own_call_within_its_time_and_once() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let client = Stateless::new(&server);
    let long = Duration::from_mins(10);
    let rain = json!({"topic": "rain"});
    let other_key = Seals::new(&Config::default().state_key().unwrap(), long);
    let other_key = other_key.seal(
        json!({}),
        &Bound {
            principal: "",
            project: Path::new("/"),
            method: "tools/call",
            name: "compose",
            arguments: &Map::new(),
        },
    );
    let outside = sample.outside();
    let snow = json!({"topic": "snow"});
    // What is made here the same way is taken: otherwise the refusals below would prove nothing.
    let good = sealed(&server, long, &rain, |_| {});
    assert_eq!(
        ask(&client, rain.clone(), brings(&good, "Drop.")).await.called().0["text"],
        "Drop."
    );
    for (what, state) in [
        ("replayed", good.clone()),
        ("expired", sealed(&server, Duration::ZERO, &rain, |_| {})),
        (
            "of another caller",
            sealed(&server, long, &rain, |bound| bound.principal = "alice"),
        ),
        (
            "of another project",
            sealed(&server, long, &rain, |bound| bound.project = &outside),
        ),
        (
            "of another method",
            sealed(&server, long, &rain, |bound| bound.method = "prompts/get"),
        ),
        (
            "of another tool",
            sealed(&server, long, &rain, |bound| bound.name = "list_files"),
        ),
        (
            "of other arguments",
            sealed(&server, long, &rain, |bound| {
                bound.arguments = snow.as_object().unwrap()
            }),
        ),
        ("under another key", other_key),
        ("changed", format!("{good}-TAMPERED")),
        ("cut", good[..good.len() - 1].to_owned()),
        ("no seal", "aGVsbG8".to_owned()),
        ("empty", String::new()),
    ] {
        let answer = ask(&client, rain.clone(), brings(&state, "Drop.")).await;
        let error = answer.error();
        assert_eq!(
            (&error["code"], &error["data"]["code"]),
            (&json!(-32602), &json!("REQUEST_STATE_REFUSED")),
            "{what}"
        );
        let said = error["message"].as_str().unwrap();
        assert!(
            said.contains("within 10 minutes") && is_japanese(said),
            "{what}: {said}"
        );
    }
    // An alias is the same tool, and the order of arguments is nothing.
    let (_, state) = required(&ask(&client, json!({"topic": "rain", "parts": 1}), json!({})).await);
    let mut params = brings(&state, "Drop.");
    params["name"] = json!("compose_text");
    let answer = ask(&client, json!({"parts": 1, "topic": "rain"}), params).await;
    assert_eq!(answer.called().0["text"], "Drop.", "{}", answer.raw);
    // A tool that asks nothing refuses it too.
    let listed = json!({"name": "list_files", "arguments": {"roots": ["."]}, "requestState": good});
    let answer = client.request("tools/call", listed).await;
    assert_eq!(
        answer.error()["data"]["code"],
        "REQUEST_STATE_REFUSED",
        "{}",
        answer.raw
    );
}

/// The session era knows no such state: what it does not know it ignores.
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
    let asked = [
        stateless.call("compose", arguments.clone()).await,
        session.call("compose", arguments).await,
    ];
    for answer in &asked {
        let (question, text, failed) = answer.called();
        assert!(!failed, "{}", answer.raw);
        answers_as_published(published(&server, "compose"), question);
        assert_eq!(question["status"], "needs_text");
        assert_eq!(question["step"], "1");
        assert!(
            text.contains("Write part 1 about rain.") && text.contains("one sentence"),
            "{text}"
        );
        let submit = &question["submit"];
        assert!(
            text.contains(submit["tool"].as_str().unwrap()) && text.contains("\"content\":\"…\""),
            "{text}"
        );
    }
    // A question is no result: nothing was written, though a file was asked for.
    assert!(!sample.root().join(".fumi/output/rain.json").exists());
    let submit = &asked[0].called().0["submit"];
    let mut arguments = submit["arguments"].clone();
    arguments[submit["answer"].as_str().unwrap()] = json!("Drop.");
    let done = stateless.call(submit["tool"].as_str().unwrap(), arguments).await;
    assert_eq!(done.called().0["text"], "Drop.", "{}", done.raw);
    // What the caller said of this call holds for its continuation.
    assert!(sample.read(".fumi/output/rain.json").contains("Drop."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_does_not_say_so_may_not_ask() {
    let sample = Sample::new();
    let server = start(&sample).await;
    let answer = Stateless::new(&server).call("sudden", json!({"topic": "rain"})).await;
    assert_eq!(
        answer.called().0["error"]["code"],
        "TOOL_EXECUTION_FAILED",
        "{}",
        answer.raw
    );
}

/// The model is no way out for what results may not show.
#[tokio::test(flavor = "multi_thread")]
async fn secrets_do_not_reach_the_clients_model() {
    let sample = Sample::new();
    let canary = "canary-5e11ed-by-the-operator";
    let server = Server::start(app(&sample, &[canary], |_| {})).await;
    let asked = ask(
        &Stateless::new(&server),
        json!({"topic": format!("{canary} {KEY}")}),
        json!({}),
    )
    .await;
    let (prompt, state) = required(&asked);
    assert!(prompt.contains("Write part 1 about"), "{prompt}");
    assert!(!asked.raw.contains(canary) && !asked.raw.contains(KEY), "{}", asked.raw);
    // The state can be read, if not changed.
    let content = state.split('.').nth(1).unwrap();
    let content = base64(content);
    assert!(
        content.contains("Write part 1 about") && !content.contains(canary),
        "{content}"
    );
}

fn base64(text: &str) -> String {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

// --- seals ---

/// What an attacker may do to a seal.
#[derive(Clone, Debug)]
enum Change {
    Replace(Index, char),
    Insert(Index, char),
    Remove(Index),
    Cut(Index),
    Swap(Index, Index),
    /// A part of another seal in the place of its own.
    Splice(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    let sign = prop_oneof![
        proptest::char::range('a', 'z'),
        proptest::char::range('0', '9'),
        proptest::sample::select(vec!['.', '-', '_', '=', '+', '/', ' ', '\n', '\0', '日']),
    ];
    prop_oneof![
        4 => (index(), sign.clone()).prop_map(|(at, sign)| Change::Replace(at, sign)),
        2 => (index(), sign).prop_map(|(at, sign)| Change::Insert(at, sign)),
        1 => index().prop_map(Change::Remove),
        1 => index().prop_map(Change::Cut),
        1 => (index(), index()).prop_map(|(one, other)| Change::Swap(one, other)),
        1 => (0..3_usize).prop_map(Change::Splice),
    ]
}

fn changed(seal: &str, other: &str, change: &Change) -> String {
    let mut signs: Vec<char> = seal.chars().collect();
    match change {
        Change::Replace(at, sign) => signs[at.index(seal.len())] = *sign,
        Change::Insert(at, sign) => signs.insert(at.index(seal.len() + 1), *sign),
        Change::Remove(at) => drop(signs.remove(at.index(seal.len()))),
        Change::Cut(at) => signs.truncate(at.index(seal.len())),
        Change::Swap(one, other) => signs.swap(one.index(seal.len()), other.index(seal.len())),
        Change::Splice(part) => {
            let mut parts: Vec<_> = seal.split('.').collect();
            parts[*part] = other.split('.').nth(*part).unwrap();
            return parts.join(".");
        }
    }
    signs.into_iter().collect()
}

#[test]
fn no_change_of_a_seal_opens() {
    let key = Config::default().state_key().unwrap();
    let seals = Seals::new(&key, Duration::from_mins(10));
    let arguments = json!({"topic": "rain"});
    let bound = Bound {
        principal: "alice",
        project: Path::new("/srv/novel"),
        method: "tools/call",
        name: "compose",
        arguments: arguments.as_object().unwrap(),
    };
    let changes = proptest::collection::vec(change(), 1..4);
    let seed = std::env::var("FUMI_PROPERTY_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let config = RunnerConfig {
        cases: 2_000,
        rng_seed: RngSeed::Fixed(seed.unwrap_or(5)),
        ..RunnerConfig::default()
    };
    TestRunner::new(config)
        .run(&(changes, "[a-z]{0,40}"), |(changes, content)| {
            let seal = seals.seal(&content, &bound);
            let other = seals.seal("another", &bound);
            let forged = changes.iter().fold(seal.clone(), |seal, change| {
                if seal.split('.').count() == 3 && !seal.is_empty() {
                    changed(&seal, &other, change)
                } else {
                    seal
                }
            });
            let is_same = forged == seal || forged == other;
            prop_assert_eq!(seals.open::<String>(&forged, &bound).is_ok(), is_same, "{}", forged);
            Ok(())
        })
        .unwrap();
    // The seals themselves do open.
    for content in ["", "rain", "日本語"] {
        let seal = seals.seal(content, &bound);
        assert_eq!(seals.open::<String>(&seal, &bound).unwrap(), content);
    }
}

/// Two calls never have the same bytes, however their parts are cut.
#[test]
fn parts_of_a_call_do_not_run_together() {
    let seals = Seals::new(&Config::default().state_key().unwrap(), Duration::from_mins(10));
    let nothing = Map::new();
    let bound = |principal, name| Bound {
        principal,
        project: Path::new("/"),
        method: "tools/call",
        name,
        arguments: &nothing,
    };
    let seal = seals.seal(1, &bound("ab", "c"));
    assert!(seals.open::<i32>(&seal, &bound("a", "bc")).is_err());
    assert_eq!(seals.open::<i32>(&seal, &bound("ab", "c")).unwrap(), 1);
    assert!(seals.open::<i32>(&seal, &bound("ab", "c")).is_err(), "a second time");
}
