//! A provider's model writes an episode of the sample novel, from the plot to the manuscript: one call, over every
//! edge.
//!
//! The model is a server of the test. It answers from the prompt alone, as a real one would: keys by the schema in the
//! prompt, texts from the sample's own manuscript.

use std::{
    fs,
    process::Command,
    sync::{Arc, Mutex},
};

use axum::{Router, body::Bytes, extract::State, http::StatusCode};
use fumi_config::{self, Config};
use regex::Regex;
use serde_json::{Value, json};

use super::{FIRST, shipped, unwritten};
use crate::{
    harness::{Server, Session, Stateless},
    sample::Sample,
};

/// Returns the sample novel without its first manuscript, and that manuscript.
fn novel() -> (Sample, String) {
    let manuscript = fs::read_to_string(shipped().join(FIRST)).unwrap();
    (unwritten(), manuscript)
}

struct Model {
    manuscript: String,
    /// The received prompts, in order.
    prompts: Mutex<Vec<String>>,
    /// The request that the model fails, counted from 1.
    fails: Option<usize>,
    /// The requests that the model answers with a greeting before the manuscript.
    greets: Option<usize>,
}

impl Model {
    async fn start(manuscript: String, change: impl FnOnce(&mut Self)) -> (Arc<Self>, String) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let mut model = Self { manuscript, prompts: Mutex::default(), fails: None, greets: None };
        change(&mut model);
        let model = Arc::new(model);
        let routes = Router::new().fallback(answer).with_state(Arc::clone(&model));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        (model, base)
    }

    fn asked(&self) -> Vec<String> {
        self.prompts.lock().unwrap().clone()
    }

    /// Returns a valid answer.
    fn answer(&self, prompt: &str) -> String {
        let form = "Answer with JSON of this schema only:\n";
        if let Some((_, after)) = prompt.split_once(form) {
            let schema: Value = serde_json::Deserializer::from_str(after).into_iter().next().unwrap().unwrap();
            return keys(&schema);
        }
        let turn = Regex::new(r#"Stage (\d+) of 10, "[^"]*", turn (\d+) of"#).unwrap();
        let turn = turn.captures(prompt).unwrap_or_else(|| panic!("no stage: {prompt}"));
        let [first, middle, last] = self.acts();
        match (&turn[1], &turn[2]) {
            ("8", "1") => first,
            ("8", "2") => middle,
            ("8", "3") => last,
            _ => format!("{first}{middle}{last}"),
        }
    }

    /// Returns the manuscript, cut at lines after about a quarter and three quarters of it.
    fn acts(&self) -> [String; 3] {
        let lines: Vec<&str> = self.manuscript.lines().skip(2).collect();
        let whole: usize = lines.iter().map(|line| line.chars().count()).sum();
        let mut acts = [const { String::new() }; 3];
        let mut written = 0;
        for line in lines {
            let act = match written * 100 / whole {
                0..25 => 0,
                25..75 => 1,
                _ => 2,
            };
            written += line.chars().count();
            acts[act].push_str(line);
            acts[act].push('\n');
        }
        acts
    }
}

/// Returns JSON for a schema.
fn keys(schema: &Value) -> String {
    let value = |schema: &Value| match (schema["type"].as_str(), schema["items"].is_object()) {
        (Some("string"), _) => json!("梶みちるが帆待島の検潮所に着き、十二のこぶを見つけるまで"),
        (_, true) => json!([{"find": "海を止めに来た人ですか", "replace": "海をとめに来た人ですか"}]),
        _ => json!(["梶みちる", "穂刈一平", "穂刈徳次", "鯨井ふさ"]),
    };
    let properties = schema["properties"].as_object().unwrap().iter();
    let answer: Value = properties.map(|(name, schema)| (name.clone(), value(schema))).collect();
    format!("```json\n{answer}\n```")
}

async fn answer(State(model): State<Arc<Model>>, body: Bytes) -> (StatusCode, String) {
    let body: Value = serde_json::from_slice(&body).unwrap();
    let turns = body["messages"].as_array().unwrap();
    let prompt = turns[0]["content"].as_str().unwrap();
    let count = {
        let mut prompts = model.prompts.lock().unwrap();
        prompts.push(turns.last().unwrap()["content"].as_str().unwrap().to_owned());
        prompts.len()
    };
    if model.fails == Some(count) {
        return (StatusCode::UNAUTHORIZED, String::new());
    }
    let mut text = model.answer(prompt);
    if model.greets == Some(count) {
        text.insert_str(0, "承知しました。\n");
    }
    let reply = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
    (StatusCode::OK, reply.to_string())
}

/// Starts a server with this provider.
async fn server(sample: &Sample, base: &str) -> Server {
    let configure = |config: &mut Config| {
        config.novel.provider = fumi_config::ProviderConfig {
            base_url: base.to_owned(),
            model: "a-model".to_owned(),
            retry_ms: 1,
            ..Config::default().novel.provider
        };
    };
    Server::start(sample.app_with(&[], configure)).await
}

/// Asserts that the episode exists, as the reply says.
#[track_caller]
fn is_written(sample: &Sample, reply: &Value) {
    let path = reply["final_manuscript_path"].as_str();
    let text = sample.read(path.unwrap_or_else(|| panic!("no manuscript: {reply}")));
    assert!(text.contains("海をとめに来た人ですか") && text.starts_with("# 第1話"), "{reply}");
    assert_eq!(reply["total_stages_completed"], 10, "{reply}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_episode_takes_one_call() {
    let (sample, manuscript) = novel();
    let (model, base) = Model::start(manuscript, |_| {}).await;
    let server = server(&sample, &base).await;
    let answer = Stateless::new(&server).call("noveler_write", json!({"episode": 1})).await;
    is_written(&sample, answer.called().0);
    let usage = &answer.result()["_meta"]["fumi/provider"];
    let asked = model.asked();
    assert_eq!((&usage["answers"], &usage["estimated"]), (&json!(asked.len()), &json!(true)), "{usage}");
    // Later stages read the results of earlier ones in full, because this model cannot fetch.
    let draft = asked.iter().find(|prompt| prompt.contains("Stage 8 of 10")).unwrap();
    let plot = sample.root().join("20_プロット/話別/第001話.yaml");
    assert!(draft.contains("<material title=") && draft.contains("十二のこぶを見つけるまで"), "{draft}");
    assert!(plot.is_file() && !draft.contains("artifact:"), "{draft}");
}

#[tokio::test(flavor = "multi_thread")]
async fn over_plain_json_and_in_a_session_it_is_the_same() {
    for is_rest in [true, false] {
        let (sample, manuscript) = novel();
        let (_, base) = Model::start(manuscript, |_| {}).await;
        let server = server(&sample, &base).await;
        let reply = if is_rest {
            let url = format!("{}/v1/tools/noveler_write", server.base);
            let request = reqwest::Client::new().post(url).json(&json!({"episode": 1}));
            request.send().await.unwrap().json().await.unwrap()
        } else {
            let session = Session::open(&server).await;
            session.call("noveler_write", json!({"episode": 1})).await.called().0.clone()
        };
        is_written(&sample, &reply);
    }
}

/// A greeting is not part of a manuscript: the model is asked again, and the episode is written.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_answer_costs_one_more() {
    let (sample, manuscript) = novel();
    let (undisturbed, base) = Model::start(manuscript.clone(), |_| {}).await;
    let first = server(&sample, &base).await;
    Stateless::new(&first).call("noveler_write", json!({"episode": 1, "restart": true})).await.called();
    let draft = undisturbed.asked().iter().position(|prompt| prompt.contains("Stage 8 of 10")).unwrap() + 1;
    let (sample, _) = novel();
    let (model, base) = Model::start(manuscript, |model| model.greets = Some(draft)).await;
    let server = server(&sample, &base).await;
    let answer = Stateless::new(&server).call("noveler_write", json!({"episode": 1})).await;
    is_written(&sample, answer.called().0);
    assert_eq!(model.asked().len(), undisturbed.asked().len() + 1);
    assert!(model.asked()[draft].contains("This answer was rejected"), "{}", model.asked()[draft]);
}

/// The stages that were written before the provider failed are stored, and the call that the error names continues from
/// there.
#[tokio::test(flavor = "multi_thread")]
async fn finished_stages_survive_a_failing_provider() {
    let (sample, manuscript) = novel();
    let (model, base) = Model::start(manuscript, |model| model.fails = Some(12)).await;
    let server = server(&sample, &base).await;
    let client = Stateless::new(&server);
    let failed = client.call("noveler_write", json!({"episode": 1})).await;
    let error = failed.called().0["error"].clone();
    assert_eq!(error["code"], "R003", "{}", failed.raw);
    assert_eq!(error["details"]["kind"], "PROVIDER_KEY_REFUSED");
    assert!(error["details"]["session_id"].is_string() && error["details"]["step"].is_string(), "{error}");
    let tool = error["guidance"]["suggested_action"].as_str().unwrap();
    let answer = client.call(tool, error["guidance"]["parameters"].clone()).await;
    is_written(&sample, answer.called().0);
    // Only the question that failed was asked again.
    let asked = model.asked();
    assert_eq!(asked[11], asked[12]);
    let mut others = asked.clone();
    others.remove(12);
    others.dedup();
    assert_eq!(others.len(), asked.len() - 1);
}

/// The command line asks the provider too. The key comes from the environment, is read once, and is not in the
/// program's output.
#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_writes_an_episode_too() {
    const KEY: &str = "canary-key-of-the-command-line";
    let (sample, manuscript) = novel();
    let (model, base) = Model::start(manuscript, |_| {}).await;
    let provider = |url: &str| {
        format!("[novel.provider]\nbase_url = \"{url}\"\nmodel = \"a-model\"\napi_key_env = \"A_MODELS_KEY\"\n")
    };
    sample.file("good.toml", provider(&base)).file("nobody.toml", provider("http://127.0.0.1:9"));
    let root = sample.root();
    let run = async |config: &str, key: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fumi"));
        command.current_dir(&root).args(["call", "noveler_write", "{\"episode\": 1}", "--config", config]);
        command.env_remove("A_MODELS_KEY").env("FUMI__LOG__FILTER", "trace");
        command.env("FUMI__NOVEL__PROVIDER__RETRIES", "0").envs(key.map(|key| ("A_MODELS_KEY", key)));
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let (code, out, err) = (output.status.code(), text(output.stdout), text(output.stderr));
        assert!(!out.contains(KEY) && !err.contains(KEY), "the output contains the key");
        (code, out, err)
    };
    // The program does not start without its key.
    let (code, out, err) = run("good.toml", None).await;
    assert_eq!((code, &*out), (Some(2), ""), "{err}");
    assert!(err.contains("novel.provider.api_key_env names A_MODELS_KEY"), "{err}");
    let (code, out, _) = run("nobody.toml", Some(KEY)).await;
    assert_eq!(code, Some(1), "{out}");
    assert_eq!(
        serde_json::from_str::<Value>(&out).unwrap()["error"]["details"]["kind"],
        "PROVIDER_UNREACHABLE",
        "{out}"
    );
    assert!(model.asked().is_empty());
    let (code, out, err) = run("good.toml", Some(KEY)).await;
    assert_eq!(code, Some(0), "{out} {err}");
    is_written(&sample, &serde_json::from_str(&out).unwrap());
}

/// Without a provider the caller gets the question.
#[tokio::test(flavor = "multi_thread")]
async fn writing_in_one_go_never_asks_a_provider() {
    let (sample, manuscript) = novel();
    let (model, base) = Model::start(manuscript, |_| {}).await;
    let server = server(&sample, &base).await;
    let answer = Stateless::new(&server).call("write_with_claude", json!({"episode": 1})).await;
    assert_eq!(answer.called().0["status"], "needs_text", "{}", answer.raw);
    assert!(model.asked().is_empty());
}
