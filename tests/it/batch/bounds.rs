//! The bounds of a batch: it can do no more than its caller can by single calls, and its reply is no longer than one
//! reply.

use std::sync::Arc;

use fumi_base::{text::Locale, tokens};
use fumi_kernel::{Access, Caller};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{batch, counts, good, ran};
use crate::{
    sample::{NOVEL, Sample, call, call_as, whole},
    taught::refused,
};

#[tokio::test(flavor = "multi_thread")]
async fn every_toolset_has_the_batch_tool_and_steps_stay_in_scope() {
    let sample = Sample::new();
    let app = sample.app();
    for toolset in app.catalogue.toolsets() {
        let scope = app.catalogue.scope([toolset]).unwrap();
        let access = Access::full(scope.clone());
        let listed: Vec<&str> = app.catalogue.list(&access).map(|entry| entry.spec.name).collect();
        assert!(listed.contains(&"batch_execute"), "{toolset}");
        let caller = Caller { access: Arc::new(access), ..Caller::default() };
        let arguments = json!({"steps": [good()]});
        let reply = call_as(&app, "batch_execute", arguments, caller, CancellationToken::new()).await;
        let entry = app.catalogue.find(&scope, "check_code_scale");
        if entry.is_some() {
            assert_eq!(counts(ran(&reply)), [1, 1, 0, 0], "{toolset}");
        } else {
            refused(&app, &reply, &["INVALID_ARGUMENTS"]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_read_only_mode_a_batch_is_listed_and_refuses_writing_steps_before_it_runs() {
    let sample = Sample::new();
    let app = sample.app();
    let access = Access { read_only: true, ..Access::full(app.scope.clone()) };
    assert!(app.catalogue.list(&access).any(|entry| entry.spec.name == "batch_execute"));
    let caller = Caller { access: Arc::new(access), ..Caller::default() };
    let novel = sample.root().join(NOVEL);
    let write = json!({"tool": "write", "arguments": {"file_path": "a.md", "content": "x", "project_root": novel}});
    let delivered = json!({"tool": "list_files", "arguments": {"roots": ["."], "output_file": "a.txt"}});
    // The novel tools accept `output_file`, but their schemas do not list it.
    let unlisted = json!({"episode": 1, "output_file": "a.json", "project_root": novel});
    let unlisted = json!({"tool": "check_basic", "arguments": unlisted});
    let before = sample.state();
    for step in [write, delivered, unlisted] {
        let arguments = json!({"steps": [good(), step]});
        let reply = call_as(&app, "batch_execute", arguments, caller.clone(), CancellationToken::new()).await;
        refused(&app, &reply, &["READ_ONLY"]);
        assert_eq!(reply.structured["error"]["details"]["stepIndex"], 1);
    }
    assert_eq!(sample.state(), before);
    let arguments = json!({"steps": [good()]});
    let reply = call_as(&app, "batch_execute", arguments, caller, CancellationToken::new()).await;
    assert_eq!(counts(ran(&reply)), [1, 1, 0, 0]);
}

/// What stays of a step whose result is left out takes room too.
#[tokio::test(flavor = "multi_thread")]
async fn the_status_of_each_step_stays_in_both_languages() {
    let sample = Sample::new();
    sample.file("rows.txt", format!("line {}\n", "a".repeat(70)).repeat(102));
    let app = sample.app();
    let search = json!({"query": "line", "roots": ["rows.txt"], "max_count": 10_000});
    let steps = vec![json!({"tool": "search_content", "arguments": search}); 50];
    for locale in Locale::ALL {
        let caller = Caller { locale, ..whole(&app) };
        let arguments = json!({"steps": steps});
        let reply = call_as(&app, "batch_execute", arguments, caller, CancellationToken::new()).await;
        let steps = ran(&reply)["steps"].as_array().unwrap();
        assert_eq!(steps.len(), 50, "{locale:?}: {}", reply.structured["left_out"]);
        let whole = steps.iter().filter(|step| step["result"].is_object()).count();
        assert!(whole > 0, "{locale:?}: no result stays");
    }
}

fn size(text: &str, structured: &Value) -> usize {
    tokens::estimate(text).max(tokens::estimate(&structured.to_string()))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_stays_within_the_caps_and_says_what_it_leaves_out() {
    let sample = Sample::large(20, 50);
    let app = sample.app();
    let list = json!({"tool": "list_files", "arguments": {"roots": ["."], "absolute": false}});
    let single = call(&app, "list_files", list["arguments"].clone()).await;
    let alone = size(&single.text, &single.structured);
    let reply = batch(&app, json!({"steps": [list, list, good(), list]})).await;
    let structured = ran(&reply);
    assert!(alone * 3 > 25_000, "the listing has only {alone} tokens");
    assert!(size(&reply.text, structured) <= 25_000, "{}", size(&reply.text, structured));
    assert_eq!(counts(structured), [4, 4, 0, 0]);
    let omitted: Vec<bool> =
        structured["steps"].as_array().unwrap().iter().map(|step| step["omitted"].is_string()).collect();
    assert!(omitted.contains(&true) && !omitted[2], "{omitted:?}");
    for step in structured["steps"].as_array().unwrap().iter().filter(|step| step["omitted"].is_string()) {
        let note = step["omitted"].as_str().unwrap();
        assert!(note.contains("expectation fields") && reply.text.contains(note), "{note}");
        assert!(step.get("result").is_none() && step["success"] == true);
    }
    // The caller's own limit for the whole reply, and one for each step.
    let small = json!({"steps": [list, good()], "expectation": {"maxTokens": 900}});
    let reply = batch(&app, small).await;
    assert!(size(&reply.text, ran(&reply)) <= 900, "{}", reply.structured);
    assert!(reply.structured["steps"][0]["omitted"].is_string());
    assert!(reply.structured["steps"][1]["result"].is_object());
    let each = json!({"steps": [list, list], "globalExpectation": {"maxTokens": 500}});
    let reply = batch(&app, each).await;
    for step in ran(&reply)["steps"].as_array().unwrap() {
        assert!(step["tokens"].as_u64().unwrap() <= 500, "{step}");
        assert_eq!(step["result"]["next"]["limit"], "tokens");
    }
}

/// A step wins over the batch, and the batch over the expectation of the call itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_wins_over_its_arguments_and_both_over_the_batch() {
    let sample = Sample::new();
    let app = sample.app();
    let step = |of_step: Value, of_arguments: Value| {
        let mut step = good();
        step["expectation"] = of_step;
        step["arguments"]["expectation"] = of_arguments;
        step
    };
    let fields = |field: &str| json!({"fields": [field]});
    let reply = batch(
        &app,
        json!({
            "steps": [
                step(fields("/file_info/path"), fields("/success")),
                step(json!({}), fields("/success")),
                step(json!({}), json!({})),
            ],
            "globalExpectation": fields("/scale_assessment"),
        }),
    )
    .await;
    let kept: Vec<Vec<String>> = ran(&reply)["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["result"].as_object().unwrap().keys().cloned().collect())
        .collect();
    assert_eq!(kept[1], ["success"]);
    assert_eq!(kept[2], ["scale_assessment"]);
    assert_eq!(kept[0], ["file_info"]);
    // Fields for the whole select from the batch's own reply.
    let reply = batch(&app, json!({"steps": [good()], "expectation": fields("/steps/*/success")})).await;
    assert_eq!(ran(&reply), &json!({"steps": [{"success": true}]}));
}

/// A value passes from step to step without the server's own secrets.
#[tokio::test(flavor = "multi_thread")]
async fn secrets_stay_inside_also_by_way_of_references() {
    let sample = Sample::new();
    sample.file("src/key.py", "KEY = 'canary-0123456789'\n");
    let app = sample.app_with(&["canary-0123456789"], |_| {});
    let steps = json!([
        {"tool": "search_content", "arguments": {"query": "KEY = ", "roots": ["src"]}, "expectation": {"fields": ["/count"]}},
        {"tool": "search_content", "arguments": {"query": "${steps[0].result.results[0].text}", "roots": ["src"]}, "continueOnError": true},
        {"tool": "list_files", "arguments": {"roots": ["${steps[0].result.results[0].text}"]}},
    ]);
    let reply = batch(&app, json!({"steps": steps})).await;
    let all = format!("{}{}", reply.text, ran(&reply));
    assert!(!all.contains("canary"), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn values_that_a_step_repeats_are_added_up_before_they_are_copied() {
    let sample = Sample::new();
    sample.file("big.txt", "x".repeat(200 * 1024));
    let app = sample.app();
    // Without a limit: 4,000 times 200 KiB in a request of 80 KB.
    let read = json!({"tool": "extract_code_section", "arguments": {"file_path": "big.txt", "start_line": 1, "format": "raw"}});
    let value = "${steps[0].result.partial_content_result.content}";
    for repeated in
        [json!({"roots": ["."], "query": value.repeat(900)}), json!({"roots": vec![value; 900], "query": "x"})]
    {
        let steps = json!([read, {"tool": "search_content", "arguments": repeated}]);
        let reply = batch(&app, json!({"steps": steps})).await;
        let error = &ran(&reply)["steps"][1]["error"];
        assert_eq!(error["code"], "INVALID_ARGUMENTS", "{}", reply.text);
        assert!(error["message"].as_str().unwrap().contains("4 MiB"), "{error}");
    }
    let many = json!([read, {"tool": "search_content", "arguments": {"roots": ["."], "query": value.repeat(1_001)}}]);
    let reply = batch(&app, json!({"steps": many})).await;
    assert!(reply.is_error && reply.text.contains("1001 references"), "{}", reply.text);
}
