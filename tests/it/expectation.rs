//! `expectation` on calls of code tools: refused values, selected fields, cuts, and that none of it is cached.

use fumi_base::{expectation::ExpectationProfile, text::Locale, tokens};
use fumi_kernel::{Caller, ToolReply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    catalogue::answers_as_published,
    harness::{Server, Stateless},
    sample::{Sample, call, call_as, only_teaches},
    taught::{is_japanese, refused},
};

#[expect(clippy::needless_pass_by_value, reason = "callers write it in place")]
fn search(expectation: Value) -> Value {
    json!({"query": "def ", "roots": ["src"], "include_globs": ["*.py"], "expectation": expectation})
}

#[track_caller]
fn served(reply: &ToolReply) -> &Value {
    assert!(!reply.is_error, "{}", reply.text);
    &reply.structured
}

/// Returns the parameters that a refusal reports problems of.
fn parameters(reply: &ToolReply) -> Vec<&str> {
    let problems = reply.structured["error"]["details"]["problems"].as_array();
    let problems = problems.into_iter().flatten();
    problems.map(|problem| problem["parameter"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_takes_an_expectation_and_refuses_a_wrong_one_with_all_problems() {
    let sample = Sample::new();
    let app = sample.app();
    for entry in app.catalogue.entries() {
        assert_eq!(entry.input["properties"]["expectation"], json!({"type": "object"}));
        let mut arguments = sample.example(entry);
        arguments.insert(
            "expectation".to_owned(),
            json!({
                "includeSnapshots": true,
                "maxTokens": 0,
                "snapshotOptions": {"format": "htm"},
                "consoleOptions": {"levels": ["warning"]},
            }),
        );
        let reply = call(&app, entry.spec.name, Value::Object(arguments)).await;
        let message = refused(&app, &reply, &["INVALID_ARGUMENTS"]);
        for parameter in [
            "expectation.includeSnapshots",
            "expectation.maxTokens",
            "expectation.snapshotOptions.format",
            "expectation.consoleOptions.levels[0]",
        ] {
            assert!(parameters(&reply).contains(&parameter), "{}: {message}", entry.spec.name);
        }
        for hint in ["did you mean includeSnapshot?", "did you mean html?", "did you mean warn?"] {
            assert!(message.contains(hint), "{message}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pointers_and_patterns_are_refused_before_anything_runs() {
    let sample = Sample::new();
    let app = sample.app();
    let reply = call(&app, "search_content", search(json!({"fields": ["/results", "results/0"]}))).await;
    refused(&app, &reply, &["INVALID_ARGUMENTS"]);
    assert_eq!(parameters(&reply), ["expectation.fields[1]"]);
    let patterns = json!({"consoleOptions": {"patterns": ["ok", "("]}});
    let reply = call(&app, "search_content", search(patterns)).await;
    let message = refused(&app, &reply, &["INVALID_QUERY"]);
    assert!(message.contains("expectation.consoleOptions.patterns[1]"), "{message}");
    let both = json!({"fields": ["x"], "consoleOptions": {"patterns": ["("]}});
    let reply = call(&app, "search_content", search(both)).await;
    refused(&app, &reply, &["INVALID_ARGUMENTS"]);
    assert_eq!(parameters(&reply).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_serves_an_empty_expectation_and_one_of_includes_as_none() {
    let sample = Sample::new();
    let app = sample.app();
    for entry in app.catalogue.entries().iter().filter(|entry| !only_teaches(entry)) {
        for said in [json!({}), json!({"includeSnapshot": true, "imageOptions": {"quality": 3}})] {
            let mut arguments = sample.example(entry);
            arguments.insert("expectation".to_owned(), said);
            let reply = call(&app, entry.spec.name, Value::Object(arguments)).await;
            answers_as_published(entry, served(&reply));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_fields_asked_for_are_kept_and_the_text_is_the_same() {
    let sample = Sample::new();
    let app = sample.app();
    let all = call(&app, "search_content", search(json!({}))).await;
    let lines: Vec<Value> =
        all.structured["results"].as_array().unwrap().iter().map(|row| json!({"line": row["line"]})).collect();
    assert!(lines.len() > 3);
    let fields = json!({"fields": ["/results/*/line", "/total_matches"]});
    let reply = call(&app, "search_content", search(fields)).await;
    let expected = json!({"total_matches": all.structured["total_matches"], "results": lines});
    assert_eq!(served(&reply), &expected);
    assert_eq!(serde_json::from_str::<Value>(&reply.text).unwrap(), expected);
    let entry = app.catalogue.find(&app.scope, "search_content").unwrap();
    answers_as_published(entry, &reply.structured);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_field_is_named_with_the_existing_ones() {
    let sample = Sample::new();
    let app = sample.app();
    let fields = json!({"fields": ["/results/*/lines", "/success"]});
    let reply = call(&app, "search_content", search(fields)).await;
    let unknown = served(&reply)["unknown_fields"].as_array().unwrap();
    assert_eq!(unknown.len(), 1);
    let said = unknown[0].as_str().unwrap();
    assert!(said.starts_with("/results/*/lines: ") && said.contains("line, "), "{said}");
    assert!(reply.text.contains(said), "{}", reply.text);
    assert_eq!(reply.structured["success"], true);
    let entry = app.catalogue.find(&app.scope, "search_content").unwrap();
    answers_as_published(entry, &reply.structured);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_is_never_filtered() {
    let sample = Sample::new();
    let app = sample.app();
    let arguments = json!({"file_path": "src/none.py", "expectation": {"fields": ["/success"], "maxTokens": 1}});
    let reply = call(&app, "check_code_scale", arguments).await;
    refused(&app, &reply, &["FILE_NOT_FOUND"]);
}

fn size(reply: &ToolReply) -> usize {
    tokens::estimate(&reply.text).max(tokens::estimate(&reply.structured.to_string()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_smaller_cap_wins_and_says_how_to_go_on() {
    let sample = Sample::large(10, 30);
    let app = sample.app();
    let list = |said: Value| json!({"roots": ["."], "absolute": false, "expectation": said});
    let whole = call(&app, "list_files", list(json!({}))).await;
    assert!(size(&whole) > 2_000);
    let cut = call(&app, "list_files", list(json!({"maxTokens": 600}))).await;
    assert!(size(&cut) <= 600, "{}", size(&cut));
    assert_eq!(served(&cut)["next"]["limit"], "tokens");
    // Omitted fields take no room: more rows fit, and the reply is still marked as cut.
    let narrow = call(&app, "list_files", list(json!({"maxTokens": 600, "fields": ["/results/*/path"]}))).await;
    assert!(size(&narrow) <= 600, "{}", size(&narrow));
    let shown = |reply: &ToolReply| reply.structured["next"]["shown"].as_u64().unwrap();
    assert!(shown(&narrow) > shown(&cut), "{} and {}", shown(&narrow), shown(&cut));
    // The cursor of a cut reply is valid for a call with another expectation.
    let mut next = list(json!({"maxTokens": 900}));
    next["cursor"] = cut.structured["next"]["cursor"].clone();
    let page = call(&app, "list_files", next).await;
    assert!(shown(&page) > shown(&cut));
    // The server's own cap is not raised.
    let all = call(&app, "list_files", list(json!({"maxTokens": 1_000_000}))).await;
    assert_eq!(all.structured["results"], whole.structured["results"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_indivisible_part_is_omitted_with_a_note() {
    let sample = Sample::new();
    sample.file("src/long.py", format!("x = '{}'\n", "word ".repeat(4_000)));
    let app = sample.app();
    let arguments =
        |said: Value| json!({"file_path": "src/long.py", "start_line": 1, "end_line": 1, "expectation": said});
    let whole = call(&app, "extract_code_section", arguments(json!({}))).await;
    assert!(size(&whole) > 3_000);
    let reply = call(&app, "extract_code_section", arguments(json!({"maxTokens": 300}))).await;
    assert!(size(&reply) <= 300, "{}", reply.structured);
    let note = served(&reply)["left_out"].as_str().unwrap();
    assert!(note.contains("allows 300") && reply.text.contains(note), "{note}");
    let entry = app.catalogue.find(&app.scope, "extract_code_section").unwrap();
    answers_as_published(entry, &reply.structured);
    let caller = Caller { locale: Locale::Ja, ..crate::sample::whole(&app) };
    let small = arguments(json!({"maxTokens": 300}));
    let reply = call_as(&app, "extract_code_section", small, caller, CancellationToken::new()).await;
    assert!(is_japanese(served(&reply)["left_out"].as_str().unwrap()));
}

/// A reply may be longer than usual if the caller allows it.
#[tokio::test(flavor = "multi_thread")]
async fn parts_within_the_callers_limit_are_not_omitted() {
    let sample = Sample::new();
    sample.file("src/long.py", format!("x = '{}'\n", "word ".repeat(12_000)));
    let app = sample.app();
    let arguments =
        json!({"file_path": "src/long.py", "start_line": 1, "end_line": 1, "expectation": {"maxTokens": 50_000}});
    let reply = call(&app, "extract_code_section", arguments).await;
    assert!(served(&reply)["left_out"].is_null(), "{}", reply.text);
}

/// One cached reply serves every expectation.
#[tokio::test(flavor = "multi_thread")]
async fn an_expectation_is_not_part_of_the_cached_reply() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    let wishes = [
        json!({}),
        json!({"fields": ["/total_matches"]}),
        json!({}),
        json!({"fields": ["/count"]}),
        json!({"maxTokens": 150}),
        json!({}),
    ];
    let mut answers = Vec::new();
    for (at, wish) in wishes.into_iter().enumerate() {
        let answer = client.call("search_content", search(wish)).await;
        let hit = answer.result()["_meta"]["cache_hit"] == true;
        assert_eq!(hit, at > 0, "{}", answer.raw);
        answers.push(answer.called().0.clone());
    }
    assert_eq!(answers[1], json!({"total_matches": answers[0]["total_matches"]}));
    assert_eq!(answers[3], json!({"count": answers[0]["count"]}));
    assert!(answers[4]["results"].as_array().unwrap().len() < answers[0]["results"].as_array().unwrap().len());
    for at in [2, 5] {
        assert_eq!(answers[at]["results"], answers[0]["results"]);
    }
    // Without the argument the cached reply is the whole one.
    let plain = json!({"query": "def ", "roots": ["src"], "include_globs": ["*.py"]});
    for _ in 0..3 {
        let answer = client.call("search_content", plain.clone()).await;
        assert_eq!(answer.called().0["results"], answers[0]["results"]);
    }
    let answer = client.call("search_content", search(json!({"fields": ["/count"]}))).await;
    assert_eq!(answer.called().0, &json!({"count": answers[0]["count"]}));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_can_switch_it_off_and_calls_are_told() {
    let sample = Sample::new();
    let app = sample.app_with(&[], |config| config.browser.expectation.enabled = false);
    let reply = call(&app, "search_content", search(json!({}))).await;
    let message = refused(&app, &reply, &["INVALID_ARGUMENTS"]);
    assert!(message.contains("disables expectation"), "{message}");
    let steps = json!([{"tool": "search_content", "arguments": search(json!({}))}]);
    let reply = call(&app, "batch_execute", json!({"steps": steps})).await;
    refused(&app, &reply, &["INVALID_ARGUMENTS"]);
    let plain = json!({"query": "def ", "roots": ["src"]});
    served(&call(&app, "search_content", plain).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn profiles_change_nothing_for_tools_without_a_page() {
    let sample = Sample::new();
    let app = sample.app_with(&[], |config| {
        config.browser.expectation.profile = ExpectationProfile::Compat;
    });
    let reply = call(&app, "check_code_scale", json!({"file_path": "src/main.py"})).await;
    assert!(served(&reply).get("snapshot").is_none());
}
