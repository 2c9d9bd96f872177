//! The whole plan is checked first: the problems of each step are reported, and no step runs.

use fumi_base::text::Locale;
use fumi_kernel::{Caller, ToolReply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{batch, good, ran};
use crate::{
    sample::{Sample, call_as, whole},
    taught::{is_japanese, refused},
};

/// Returns the parameters that a refusal reports problems of.
fn parameters(reply: &ToolReply) -> Vec<&str> {
    let problems = reply.structured["error"]["details"]["problems"].as_array();
    let problems = problems.into_iter().flatten();
    problems.map(|problem| problem["parameter"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn problems_are_reported_for_each_step_and_no_step_runs() {
    let sample = Sample::new();
    let app = sample.app();
    let before = sample.state();
    let steps = json!([
        {"tool": "search_content", "arguments": {"query": "def", "roots": ["src"], "output_file": "first.txt"}},
        {"tool": "search_contents", "arguments": {}},
        {"tool": "search_content", "arguments": {"qury": "x", "roots": ["src"]}},
        {"tool": "list_files", "arguments": {"roots": ["${steps[3].result.x}"]}},
        {"tool": "list_files", "arguments": {"roots": ["${steps[9].result.x}"]}},
        {"tool": "list_files", "arguments": {"roots": ["${steps[0].reslt}"]}},
        {"tool": "list_files", "arguments": {"roots": ["."]}, "expectation": {"snapshotOptions": {"format": "htm"}}},
        {"tool": "list_files", "arguments": {"roots": ["."], "expectation": {"fields": ["x"]}}},
        {"tool": "list_files", "arguments": {"roots": ["."], "count_only": "${steps[0].success}", "limit": "many"}},
        {"tool": "batch_execute", "arguments": {"steps": []}},
        {"tool": "browser_batch_execute", "arguments": {"steps": []}},
    ]);
    let reply = batch(&app, json!({"steps": steps})).await;
    let message = refused(&app, &reply, &["INVALID_ARGUMENTS"]);
    let found = parameters(&reply);
    for parameter in [
        "steps[1].tool",
        "steps[2].arguments.qury",
        "steps[2].arguments.query",
        "steps[3].arguments.roots[0]",
        "steps[4].arguments.roots[0]",
        "steps[5].arguments.roots[0]",
        "steps[6].expectation.snapshotOptions.format",
        "steps[7].arguments.expectation.fields[0]",
        "steps[8].arguments.limit",
        "steps[9].tool",
        "steps[10].tool",
    ] {
        assert!(found.contains(&parameter), "{parameter}: {message}");
    }
    assert!(!found.iter().any(|parameter| parameter.starts_with("steps[0]")), "{message}");
    assert!(!found.contains(&"steps[8].arguments.count_only"), "the value is not known yet: {message}");
    for hint in ["nearest: search_content", "did you mean query?", "not earlier", "do not nest", "did you mean html?"] {
        assert!(message.contains(hint), "{hint}: {message}");
    }
    assert_eq!(sample.state(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn problems_are_reported_in_japanese_too() {
    let sample = Sample::new();
    let app = sample.app();
    let caller = Caller { locale: Locale::Ja, ..whole(&app) };
    let steps = json!([{"tool": "nothing"}, {"tool": "batch_execute"}, {"tool": "list_files", "arguments": {"roots": ["${steps[5].result}"]}}]);
    let reply = call_as(&app, "batch_execute", json!({"steps": steps}), caller, CancellationToken::new()).await;
    let message = refused(&app, &reply, &["INVALID_ARGUMENTS"]);
    let lines: Vec<&str> = message.lines().filter(|line| line.starts_with("- steps[")).collect();
    assert_eq!(lines.len(), 3, "{message}");
    assert!(lines.iter().all(|line| is_japanese(line)), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn there_are_at_most_fifty_steps_or_as_many_as_are_configured() {
    let sample = Sample::new();
    let app = sample.app();
    let of = |count: usize| json!({"steps": vec![good(); count], "globalExpectation": {"fields": ["/success"]}});
    assert_eq!(ran(&batch(&app, of(50)).await)["succeeded"], 50);
    let reply = batch(&app, of(51)).await;
    let message = refused(&app, &reply, &["INVALID_ARGUMENTS"]);
    assert!(message.contains("51 steps; at most 50"), "{message}");
    let app = sample.app_with(&[], |config| config.batch.max_steps = 2);
    refused(&app, &batch(&app, of(3)).await, &["INVALID_ARGUMENTS"]);
    let reply = batch(&app, json!({"steps": []})).await;
    refused(&app, &reply, &["INVALID_ARGUMENTS"]);
    let app = sample.app_with(&[], |config| config.batch.enabled = false);
    assert!(app.catalogue.find(&app.scope, "batch_execute").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn patterns_and_pointers_of_the_whole_are_checked_too() {
    let sample = Sample::new();
    let app = sample.app();
    for (said, code, parameter) in [
        (json!({"fields": ["x"]}), "INVALID_ARGUMENTS", "globalExpectation.fields[0]"),
        (
            json!({"consoleOptions": {"patterns": ["("]}}),
            "INVALID_QUERY",
            "globalExpectation.consoleOptions.patterns[0]",
        ),
        (json!({"includeTab": true}), "INVALID_ARGUMENTS", "globalExpectation.includeTab"),
    ] {
        let reply = batch(&app, json!({"steps": [good()], "globalExpectation": said})).await;
        refused(&app, &reply, &[code]);
        assert_eq!(parameters(&reply), [parameter]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tool_for_browsers_takes_no_others() {
    let sample = Sample::new();
    let app = sample.app();
    let arguments = json!({"steps": [good()], "globalExpectation": {"fields": ["x"]}});
    let reply = crate::sample::call(&app, "browser_batch_execute", arguments).await;
    let message = refused(&app, &reply, &["INVALID_ARGUMENTS"]);
    assert_eq!(parameters(&reply), ["globalExpectation.fields[0]", "steps[0].tool"]);
    assert!(message.contains("batch_execute takes every tool"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_reading_steps_without_references_run_in_parallel() {
    let sample = Sample::new();
    let app = sample.app();
    let root = sample.root();
    let steps: Value = json!([
        good(),
        {"tool": "set_project_path", "arguments": {"project_path": root}},
        {"tool": "list_files", "arguments": {"roots": ["${steps[0].tool}"]}},
    ]);
    let reply = batch(&app, json!({"steps": steps, "parallel": true})).await;
    refused(&app, &reply, &["INVALID_ARGUMENTS"]);
    assert_eq!(parameters(&reply), ["steps[1].tool", "steps[2].arguments"]);
    let reply = batch(&app, json!({"steps": [good()], "parallel": true, "stopOnFirstError": true})).await;
    refused(&app, &reply, &["INVALID_ARGUMENTS"]);
}
