//! Prompts as seen by clients, in both eras: which are offered, their texts, and that they name only existing tools.

use std::sync::Arc;

use fumi::app::App;
use fumi_base::text::Locale;
use fumi_config::Config;
use fumi_kernel::prompts::named;
use serde_json::{Value, json};

use crate::{
    harness::{Answer, Server, Session, Stateless},
    sample::Sample,
};

fn app(sample: &Sample, change: impl FnOnce(&mut Config)) -> Arc<App> {
    sample.app_with(&[], change)
}

async fn get(client: &Stateless, name: &str, arguments: Value) -> Answer {
    client.request("prompts/get", json!({"name": name, "arguments": arguments})).await
}

fn text(answer: &Answer) -> String {
    let message = &answer.result()["messages"][0];
    assert_eq!(message["role"], "user", "{}", answer.raw);
    message["content"]["text"].as_str().unwrap().to_owned()
}

fn names(answer: &Answer) -> Vec<String> {
    let prompts = answer.result()["prompts"].as_array().unwrap();
    prompts.iter().map(|prompt| prompt["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_are_offered_in_both_eras() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, |_| {})).await;
    let (stateless, session) = (Stateless::new(&server), Session::open(&server).await);
    let discovered = stateless.request("server/discover", json!({})).await;
    assert!(discovered.result()["capabilities"]["prompts"].is_object(), "{}", discovered.raw);
    assert!(session.initialized["capabilities"]["prompts"].is_object());
    let listed = stateless.request("prompts/list", json!({})).await;
    let again = session.request("prompts/list", json!({})).await;
    assert_eq!(names(&listed), names(&again));
    assert_eq!(listed.result()["cacheScope"], "private", "{}", listed.raw);
    let write = &listed.result()["prompts"][0];
    assert_eq!((&write["name"], &write["title"]), (&json!("write"), &json!("Write an episode")));
    assert_eq!(write["arguments"][0]["name"], "episode");
    assert_eq!((&write["arguments"][0]["required"], &write["arguments"][1]["required"]), (&json!(true), &json!(false)));
    let params = json!({"name": "write", "arguments": {"episode": "2"}});
    for answer in [stateless.request("prompts/get", params.clone()).await, session.request("prompts/get", params).await]
    {
        let text = text(&answer);
        assert!(text.starts_with("Write episode 2 of this novel"), "{text}");
        assert!(text.contains("Call `noveler_write` with {\"episode\": 2}"), "{text}");
        assert!(!text.contains("word_count_target"), "an argument that was not given is in the text: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_read_as_people_write_them() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, |_| {})).await;
    let client = Stateless::new(&server);
    let answer = get(&client, "write", json!({"episode": " 第三話 ", "length": "5000"})).await;
    let text = text(&answer);
    assert!(text.contains("{\"episode\": 3}") && text.contains("\"word_count_target\": 5000"), "{text}");
    for (name, arguments, said) in [
        ("write", json!({}), "it is required"),
        ("write", json!({"episode": "last"}), "not an episode number"),
        ("write", json!({"episode": "1", "length": "12"}), "from 1000 to 20000"),
        ("write", json!({"episode": "1", "tone": "dry"}), "it does not exist"),
        ("write", json!({"episode": ["1"]}), "it is not a string"),
        ("init", json!({"title": "x".repeat(5_000)}), "longer than 4000"),
        ("no_such", json!({}), "Unknown prompt: \"no_such\""),
    ] {
        let answer = get(&client, name, arguments.clone()).await;
        let error = answer.error();
        let message = error["message"].as_str().unwrap();
        assert_eq!(
            (&error["code"], &error["data"]["code"]),
            (&json!(-32602), &json!("INVALID_ARGUMENTS")),
            "{arguments}"
        );
        assert!(message.contains(said), "{arguments}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_speaks_the_callers_language() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, |_| {})).await;
    let mut client = Stateless::new(&server);
    client.url.push_str("?lang=ja");
    let listed = client.request("prompts/list", json!({})).await;
    assert_eq!(listed.result()["prompts"][0]["title"], "話を執筆する", "{}", listed.raw);
    let answer = get(&client, "init", json!({"title": "帆待島"})).await;
    assert!(text(&answer).contains("小説『帆待島』"), "{}", answer.raw);
}

/// A caller that may not write is offered only prompts that do not write; if none is left, the method is unknown.
#[tokio::test(flavor = "multi_thread")]
async fn only_usable_prompts_are_offered() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, |_| {})).await;
    let mut client = Stateless::new(&server);
    client.url = format!("{}/mcp/code", server.base);
    let answer = client.request("prompts/list", json!({})).await;
    assert_eq!(answer.error()["code"], -32601, "{}", answer.raw);
    client.url = format!("{}/mcp/readonly/novel", server.base);
    let answer = client.request("prompts/list", json!({})).await;
    assert_eq!(names(&answer), ["check", "status"], "{}", answer.raw);
}

/// Every tool that a text names is in the catalogue.
#[tokio::test(flavor = "multi_thread")]
async fn prompts_name_only_existing_tools() {
    let sample = Sample::new();
    let app = app(&sample, |_| {});
    let has = |tool: &str| app.catalogue.find(&app.scope, tool).is_some();
    for spec in app.catalogue.prompts() {
        for locale in Locale::ALL {
            for tool in named(spec.texts(locale).1) {
                assert!(has(tool), "{}: {tool}", spec.name);
            }
        }
    }
    let server = Server::start(Arc::clone(&app)).await;
    let client = Stateless::new(&server);
    let listed = client.request("prompts/list", json!({})).await;
    assert!(names(&listed).contains(&"write".to_owned()));
    for name in names(&listed) {
        let arguments = match name.as_str() {
            "init" => json!({"title": "x"}),
            "status" => json!({}),
            _ => json!({"episode": "1"}),
        };
        let text = text(&get(&client, &name, arguments).await);
        assert!(!text.contains(['@', '{']) || text.contains("{\"episode\": 1}"), "{name}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn episodes_are_completed_from_the_project() {
    let sample = Sample::new();
    sample.file("40_原稿/第001話_朝.md", "# 朝\n").file("40_原稿/第012話_夜.md", "# 夜\n");
    let server = Server::start(app(&sample, |_| {})).await;
    let client = Stateless::new(&server);
    let complete = async |prompt: &str, argument: &str, typed: &str| {
        let params = json!({
            "ref": {"type": "ref/prompt", "name": prompt},
            "argument": {"name": argument, "value": typed},
        });
        let answer = client.request("completion/complete", params).await;
        answer.result()["completion"]["values"].clone()
    };
    assert_eq!(complete("write", "episode", "").await, json!(["1", "12"]));
    assert_eq!(complete("write", "episode", "12").await, json!(["12"]));
    assert_eq!(complete("write", "length", "").await, json!([]));
    assert_eq!(complete("no_such", "episode", "").await, json!([]));
}
