//! Tools that ask a model: the ways in which a question is sent, who answers it, refused answers, and forged states.
//!
//! The tool of these tests composes a text of parts, each written by a model or a person.

mod provider;
mod refused;
mod seals;
mod states;
mod tasks;
mod ways;

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use fumi::{
    app::App,
    http::auth::tokens::sha256_of,
    mcp::request_state::{self as own_seals, RequestStateCodec},
};
use fumi_base::{
    errors::{ErrorCatalog, UserError},
    pools::Pool,
    store::Store,
    text::{BilingualText, Locale},
};
use fumi_code::index::CodeIndexes;
use fumi_config::{Config, ConfiguredToken, StateKey};
use fumi_kernel::{
    AnswerCall, AnswerMaterial, Audience, Cx, Effect, QuestionReply, Render, SharedOption, Tool, ToolError,
    ToolOutcome, ToolSpec, ToolTextFiles,
    catalogue::{Catalogue, ToolEntry},
};
use fumi_tools::code::{ProjectDeps, SearchDeps, list_files::ListFiles, set_project_path::SetProjectPath};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    harness::{Answer, Server, Stateless},
    sample::Sample,
};

/// Asks for every part of a text, then returns the text.
struct Compose;

#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    topic: String,
    /// The number of parts; one by default.
    parts: Option<usize>,
    /// The parts that were written before.
    #[serde(default)]
    written: Vec<String>,
    /// The answer: the requested part.
    content: Option<String>,
    /// True if a judgement of the text is requested last.
    #[serde(default)]
    judged: bool,
    verdict: Option<Verdict>,
    /// A word that every part must contain.
    #[serde(default)]
    word: String,
    /// True if a provider must not write the text.
    #[serde(default)]
    own: bool,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Verdict {
    score: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    text: String,
    /// The author of the last answer.
    by: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
}

const TEXTS: ToolTextFiles = ToolTextFiles {
    en: "# Compose\nsummary: Compose a text.\nComposes.\n## topic\nOf what.\n## parts\nHow many.\n## written\nBefore.\n## content\nA part.\n## judged\nJudge it.\n## verdict\nThe judgement.\n## verdict.score\nFrom 0.\n## word\nIn all.\n## own\nNo provider.",
    ja: "# 作文\nsummary: 文章を書く。\n書きます。\n## topic\n題。\n## parts\n数。\n## written\n既出。\n## content\n部分。\n## judged\n判定する。\n## verdict\n判定。\n## verdict.score\n0 から。\n## word\n必須語。\n## own\n外部に頼まない。",
};

impl Tool for Compose {
    const SPEC: ToolSpec = ToolSpec {
        name: "compose",
        aliases: &["compose_text"],
        toolset: "code",
        other_toolsets: &[],
        family: &fumi_tools::code::FAMILY,
        listed: true,
        texts: TEXTS,
        example: r#"{"topic": "rain"}"#,
        options: &[SharedOption::Project, SharedOption::Timeout, SharedOption::Delivery],
        rules: &[],
        pool: Pool::Analysis,
        exclusive: false,
        timeout: Duration::from_secs(30),
        cached: true,
        effect: Effect::ReadOnly,
    };
    const ASKS: bool = true;
    type Deps = ();
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, (): &(), cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        if args.content.as_ref().is_some_and(|content| !content.contains(&args.word)) {
            return Err(Missed { word: args.word }.into());
        }
        let parts = args.parts.unwrap_or(1);
        let mut written = args.written;
        written.extend(args.content);
        let mut arguments = json!({
            "topic": args.topic,
            "parts": parts,
            "written": written,
            "judged": args.judged,
            "word": args.word,
            "own": args.own,
        });
        let audience = if args.own { Audience::Client } else { Audience::AnyModel };
        let arguments = std::mem::take(arguments.as_object_mut().unwrap());
        let submit = |answer| AnswerCall { tool: "compose", arguments, answer, sample: None };
        if written.len() < parts {
            return Ok(ToolOutcome::Ask(Box::new(QuestionReply {
                step: (written.len() + 1).to_string(),
                instruction: format!("Write part {} about {}.", written.len() + 1, args.topic),
                context: vec!["artifact:0123456789ab plot.yaml".to_owned()],
                acceptance_criteria: vec!["one sentence".to_owned()],
                material: vec![AnswerMaterial {
                    title: "plot.yaml".to_owned(),
                    text: format!("The plot: {} falls.", args.topic),
                }],
                audience,
                title: Some(BilingualText::new("Part", "部分")),
                submit: submit("content"),
                ..QuestionReply::default()
            })));
        }
        if args.judged && args.verdict.is_none() {
            let schema = json!({"type": "object", "properties": {"score": {"type": "integer"}}});
            return Ok(ToolOutcome::Ask(Box::new(QuestionReply {
                instruction: format!("Judge this: {}", written.join(" ")),
                response_schema: schema.as_object().cloned(),
                audience,
                submit: submit("verdict"),
                ..QuestionReply::default()
            })));
        }
        Ok(ToolOutcome::Done(Output { text: written.join(" "), by: cx.answerer.method(), verdict: args.verdict }))
    }
}

impl Render for Output {
    fn text(&self, _locale: Locale) -> String {
        self.text.clone()
    }
}

/// The error for a part without the word, as a domain defines it.
#[derive(Debug, UserError)]
#[fact(plain(word))]
#[entry("PART_MISSED")]
struct Missed {
    word: String,
}

static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| {
    ErrorCatalog::embedded(
        r#"
[PART_MISSED]
type = "MCPToolError"
code = "S005"
en = "The part does not have the word {word}."
ja = "「{word}」という語がありません。"
next_en = "Write it again."
next_ja = "書き直してください。"
"#,
    )
});

/// A tool that asks although it does not declare that it does.
struct Sudden;

impl Tool for Sudden {
    const SPEC: ToolSpec = ToolSpec { name: "sudden", aliases: &[], ..Compose::SPEC };
    type Deps = ();
    type Args = Args;
    type Output = Output;

    async fn call(_args: Args, (): &(), _cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        Ok(ToolOutcome::Ask(Box::default()))
    }
}

/// The key of these servers, so that a test can seal a state as a server would.
const KEY: &str = "a key for tests only, which is long enough";

fn app(sample: &Sample, secrets: &[&str], change: impl FnOnce(&mut Config)) -> Arc<App> {
    Arc::new(parts(sample, secrets, change))
}

/// Returns fumi's parts over a store that others may share.
fn app_over(store: Arc<dyn Store>, sample: &Sample) -> Arc<App> {
    let app = parts(sample, &[], |_| {});
    let seals = RequestStateCodec::new(&own_key(), own_seals::TTL, Arc::clone(&store));
    Arc::new(App { store, seals, ..app })
}

/// Returns the key of a server with the same configured key.
fn own_key() -> StateKey {
    StateKey::from_config(&KEY.to_owned().into()).unwrap()
}

fn parts(sample: &Sample, secrets: &[&str], change: impl FnOnce(&mut Config)) -> App {
    let app = sample.app_with(secrets, |config| {
        config.server.state_key = KEY.to_owned().into();
        change(config);
    });
    let app = Arc::into_inner(app).expect("no other reference exists yet");
    let project = Arc::new(ProjectDeps { roots: Arc::clone(&app.kernel.roots), sessions: Arc::clone(&app.sessions) });
    let catalogue = Catalogue::new(vec![
        ToolEntry::for_tool::<ListFiles>(Arc::new(SearchDeps::new(
            &app.config,
            Arc::clone(&app.parsers),
            CodeIndexes::new(Arc::default(), None, None, None),
        ))),
        ToolEntry::for_tool::<SetProjectPath>(project),
        ToolEntry::for_tool::<Compose>(Arc::new(())),
        ToolEntry::for_tool::<Sudden>(Arc::new(())),
    ]);
    App { catalogue, ..app }
}

async fn start(sample: &Sample) -> Server {
    Server::start(app(sample, &[], |_| {})).await
}

fn sampling() -> Value {
    json!({"sampling": {}})
}

/// Returns a text of a model in the form of the protocol.
fn message(text: &str) -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "test"})
}

/// Sends a stateless call of a client that has a model, with its responses.
async fn ask(client: &Stateless, arguments: Value, brings: Value) -> Answer {
    let mut params = json!({"name": "compose", "arguments": arguments});
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": sampling()});
    params.as_object_mut().unwrap().extend(brings.as_object().unwrap().clone());
    client.request("tools/call", params).await
}

fn brings(state: &str, text: &str) -> Value {
    json!({"requestState": state, "inputResponses": {"answer": message(text)}})
}

/// Returns the prompt and the state of an `InputRequired` result.
#[track_caller]
fn required(answer: &Answer) -> (String, String) {
    let result = answer.result();
    assert_eq!(result["resultType"], "input_required", "{}", answer.raw);
    let request = &result["inputRequests"]["answer"];
    assert_eq!(request["method"], "sampling/createMessage", "{}", answer.raw);
    let prompt = request["params"]["messages"][0]["content"]["text"].as_str().unwrap();
    (prompt.to_owned(), result["requestState"].as_str().unwrap().to_owned())
}

/// Returns the entry of a principal's token, without bounds.
fn token(name: &str) -> ConfiguredToken {
    ConfiguredToken {
        name: name.to_owned(),
        sha256: sha256_of(&format!("token of {name}")),
        toolsets: Vec::new(),
        roots: Vec::new(),
        readonly: false,
        rate_per_minute: None,
    }
}

/// Returns a client that sends that token with every request.
fn bearing(name: &str) -> reqwest::Client {
    let value = HeaderValue::from_str(&format!("Bearer token of {name}")).unwrap();
    let headers = HeaderMap::from_iter([(AUTHORIZATION, value)]);
    reqwest::Client::builder().default_headers(headers).build().unwrap()
}
