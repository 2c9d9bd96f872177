//! Signing in, in ten steps: what a person does on the pages of `tests/fixtures/browser/login`, and how it is seen that it was
//! done.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{
    client::{Reply, Session},
    site::Site,
};

/// Who signs in; the last page greets by this name.
const USER: &str = "Ada Lovelace";

/// A call.
pub(crate) struct Step {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
}

/// What a flow cost.
pub(crate) struct Cost {
    pub(crate) took: Duration,
    /// Of all replies.
    pub(crate) tokens: usize,
}

fn step(tool: &'static str, arguments: Value) -> Step {
    Step { tool, arguments }
}

/// The ten steps.
pub(crate) fn steps(site: &Site) -> Vec<Step> {
    vec![
        step("browser_navigate", json!({"url": site.url("/login/")})),
        step("browser_click", json!({"target": "#accept"})),
        step("browser_type", json!({"target": "#user", "text": USER})),
        step("browser_type", json!({"target": "#password", "text": "correct horse"})),
        step("browser_click", json!({"target": "#remember"})),
        step(
            "browser_select_option",
            json!({"target": "#language", "values": ["ja"]}),
        ),
        step("browser_click", json!({"target": "#enter"})),
        step("browser_type", json!({"target": "#code", "text": "246810"})),
        step("browser_click", json!({"target": "#confirm"})),
        step("browser_snapshot", json!({"target": "#account"})),
    ]
}

/// The first of them, one call after the other, each with this `expectation` if there is one.
pub(crate) async fn sequential(session: &Session, site: &Site, count: usize, expectation: Option<&Value>) -> Cost {
    let began = Instant::now();
    let mut replies = Vec::new();
    for Step { tool, mut arguments } in steps(site).into_iter().take(count) {
        // What was asked for is not left out.
        let is_left_out = |all: &Value| tool == "browser_snapshot" && all["includeSnapshot"] == false;
        if let Some(expectation) = expectation.filter(|all| !is_left_out(all)) {
            arguments["expectation"] = expectation.clone();
        }
        replies.push(session.done(tool, &arguments).await);
    }
    let took = began.elapsed();
    if count == steps(site).len() {
        greeted(replies.last().expect("ten"));
    }
    Cost {
        took,
        tokens: replies.iter().map(Reply::tokens).sum(),
    }
}

/// What the replies of all ten cost a model that looks at each snapshot, those in files too.
pub(crate) async fn looked_at(session: &Session, site: &Site) -> usize {
    let mut tokens = 0;
    for Step { tool, arguments } in steps(site) {
        tokens += session.done(tool, &arguments).await.tokens_with_links();
    }
    tokens
}

/// The first of them in one call. Nothing is included but what the last step asks for itself, which is the snapshot.
pub(crate) async fn batch(session: &Session, site: &Site, count: usize) -> Cost {
    let steps = steps(site).into_iter().take(count);
    let steps: Vec<Value> = steps
        .map(|step| match step.tool {
            "browser_snapshot" => {
                json!({"tool": step.tool, "arguments": step.arguments, "expectation": {"includeSnapshot": true}})
            }
            _ => json!({"tool": step.tool, "arguments": step.arguments}),
        })
        .collect();
    let is_whole = count == self::steps(site).len();
    let arguments = json!({"steps": steps, "globalExpectation": {"includeSnapshot": false}});
    let began = Instant::now();
    let reply = session.done("browser_batch_execute", &arguments).await;
    let took = began.elapsed();
    assert_eq!(reply.structure["succeeded"], count, "not all steps: {}", reply.all());
    if is_whole {
        greeted(&reply);
    }
    Cost {
        took,
        tokens: reply.tokens(),
    }
}

/// The last reply tells who signed in and in which language: nobody went blind.
fn greeted(reply: &Reply) {
    let all = reply.all();
    assert!(
        all.contains("Welcome") && all.contains(USER),
        "nobody is greeted:\n{all}"
    );
    assert!(all.contains("ja"), "the language is missing:\n{all}");
}
