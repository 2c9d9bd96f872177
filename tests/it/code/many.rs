//! One query for many files, and the elements that a query finds most often.

use std::fs;

use fumi_config::Config;
use fumi_kernel::ToolReply;
use serde_json::{Value, json};

use super::text_alone;
use crate::sample::{Sample, call};

async fn ask(sample: &Sample, tool: &str, arguments: Value) -> ToolReply {
    call(&sample.app(), tool, arguments).await
}

fn shop() -> Sample {
    let sample = Sample::empty();
    sample.file("shop/cart.py", "# 小計を計算する\ndef total(items):\n    log.info(\"合計\")\n    return sum(items)\n");
    sample.file("shop/pay.py", "class Pay:\n    def retry(self, n):\n        log.info(n)\n        self.retry(n - 1)\n");
    sample.file("web/app.js", "function go(n) { log.info(n); }\n");
    sample.file("web/style.css", "a { color: red }\n");
    sample.file("bin/run", "#!/usr/bin/env python3\nlog.info(1)\n");
    sample.file("notes.txt", "log.info(x)\n");
    sample
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_is_asked_in_the_language_of_each_file() {
    let sample = shop();
    let reply =
        ask(&sample, "query_code", json!({"roots": ["."], "pattern": "log.info($X)", "output_format": "summary"}))
            .await;
    let result = &reply.structured["query_result"];
    let rows: Vec<String> = result["files"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|file| format!("{} {} {}", file["file_path"], file["language"], file["match_count"]))
        .collect();
    assert_eq!(
        rows,
        [
            r#""bin/run" "python" 1"#,
            r#""shop/cart.py" "python" 1"#,
            r#""shop/pay.py" "python" 1"#,
            r#""web/app.js" "javascript" 1"#,
        ],
        "{result}"
    );
    assert_eq!((&result["total_matches"], &result["total_files"]), (&json!(4), &json!(4)));
}

#[tokio::test(flavor = "multi_thread")]
async fn globs_and_the_language_narrow_and_captures_are_named() {
    let sample = shop();
    let reply = ask(
        &sample,
        "query_code",
        json!({"roots": ["."], "include_globs": ["shop/**"], "exclude_globs": ["cart.py"], "pattern": "log.info($X)"}),
    )
    .await;
    let found = &reply.structured["query_result"]["files"];
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    let row = &found[0]["matches"][0];
    assert_eq!(
        (&row["captures"]["X"], &row["parent"], &row["start_line"]),
        (&json!("n"), &json!("Pay.retry"), &json!(3))
    );
    let scripts = json!({"roots": ["."], "language": "javascript", "query_key": "functions"});
    let reply = ask(&sample, "query_code", scripts).await;
    assert_eq!(reply.structured["query_result"]["searched_files"], 1, "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_fits_no_language_is_refused_and_one_that_fits_some_says_which_it_does_not() {
    let sample = shop();
    let reply = ask(&sample, "query_code", json!({"roots": ["shop"], "pattern": "log.info($X"})).await;
    assert!(reply.is_error, "{}", reply.text);
    assert_eq!(reply.structured["error"]["code"], "INVALID_QUERY");
    let query = json!({"roots": ["shop", "web"], "query_string": "(function_definition) @f"});
    let reply = ask(&sample, "query_code", query).await;
    let result = &reply.structured["query_result"];
    assert_eq!(result["total_matches"], 2, "{result}");
    assert_eq!(result["languages_passed_over"], json!(["css", "javascript"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn several_files_are_measured_in_one_call() {
    let sample = shop();
    let reply =
        ask(&sample, "check_code_scale", json!({"file_paths": ["shop/pay.py", "notes.txt", "web/app.js"]})).await;
    assert_eq!(reply.structured["success"], true, "{}", reply.text);
    let rows: Vec<String> = reply.structured["files"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|file| format!("{} {}", file["file_info"]["path"], file["file_info"]["line_count"]))
        .collect();
    assert_eq!(rows, [r#""shop/pay.py" 4"#, r#""notes.txt" 1"#, r#""web/app.js" 1"#]);
    // The advice is the same for every small file, so it is omitted.
    assert!(reply.structured["files"][0].get("llm_guidance").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn ranked_gives_the_elements_that_the_words_are_about() {
    let sample = shop();
    let reply = ask(&sample, "search_content", json!({"roots": ["."], "query": "retry log", "ranked": true})).await;
    let best = &reply.structured["results"][0];
    assert_eq!((&best["element"], &best["file"]), (&json!("Pay.retry"), &json!("shop/pay.py")), "{}", reply.text);
    assert_eq!(best["terms"], json!({"log": 1, "retry": 2}));
    // A comment belongs to the element that it documents, also in Japanese.
    let reply = ask(&sample, "search_content", json!({"roots": ["."], "query": "小計", "ranked": true})).await;
    assert_eq!(reply.structured["results"][0]["element"], "total", "{}", reply.text);
    assert_eq!(reply.structured["results"][0]["text"], "# 小計を計算する");
    let none = ask(&sample, "search_content", json!({"roots": ["."], "query": "nowhere", "ranked": true})).await;
    assert_eq!((&none.structured["count"], none.is_error), (&json!(0), false));
}

/// Generated declarations of a megabyte each match every query most often, and take seconds to parse.
#[tokio::test(flavor = "multi_thread")]
async fn a_ranking_compares_eight_megabytes_and_a_definition_whatever_its_size() {
    let sample = Sample::empty();
    let text = "retry log\n".repeat(10_000);
    for file in 0..120 {
        sample.file(&format!("many/{file:03}.txt"), &text);
    }
    let ranking = json!({"roots": ["."], "query": "retry log", "ranked": true});
    let reply = ask(&sample, "search_content", ranking.clone()).await;
    assert_eq!(reply.structured["compared_files"], (8 << 20) / text.len(), "{}", reply.text);
    assert_eq!(reply.structured["total_matches"], 120 * 20_000, "{}", reply.text);
    sample.file("large.py", format!("def retry():\n    log()\nX = '''{}'''\n", text.repeat(85)));
    let reply = ask(&sample, "search_content", ranking).await;
    assert_eq!(reply.structured["compared_files"], (8 << 20) / text.len(), "{}", reply.text);
    let name = json!({"roots": ["."], "query": "retry", "ranked": true});
    let reply = ask(&sample, "search_content", name).await;
    assert_eq!(reply.structured["results"][0]["file"], "large.py", "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_adds_query_keys_by_a_folder() {
    let sample = shop();
    let queries = tempfile::tempdir().unwrap();
    let file = queries.path().join("python/log_calls.scm");
    fs::create_dir(queries.path().join("python")).unwrap();
    fs::write(&file, "(call function: (attribute object: (identifier) @_o) (#eq? @_o \"log\")) @call").unwrap();
    let with_folder = |config: &mut Config| config.code.query_folder = queries.path().to_path_buf();
    let app = sample.app_with(&[], with_folder);
    let reply = call(&app, "query_code", json!({"roots": ["."], "query_key": "log_calls"})).await;
    assert_eq!(reply.structured["query_result"]["total_matches"], 3, "{}", reply.text);
    fs::write(&file, "(no_such_node) @x").unwrap();
    let mut config = Config::default();
    with_folder(&mut config);
    let error = config.check().unwrap_err().to_string();
    assert!(error.contains("log_calls.scm") && error.contains("no_such_node"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_found_in_every_file_that_has_it() {
    let sample = shop();
    let query = json!({"roots": ["."], "query_key": "functions", "filter": "name=total"});
    let reply = ask(&sample, "query_code", query).await;
    let result = &reply.structured["query_result"];
    assert_eq!(result["files"][0]["file_path"], "shop/cart.py", "{result}");
    assert_eq!(result["total_matches"], 1);
    let query = json!({"roots": ["."], "query_key": "functions", "filter": "name=nowhere"});
    let reply = ask(&sample, "query_code", query).await;
    assert_eq!(reply.structured["query_result"]["total_matches"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_query_tell_places_elements_and_captures() {
    let sample = shop();
    let app = sample.app();
    let ask = async |arguments: Value| text_alone(&app, "query_code", arguments).await;
    let text = ask(json!({"roots": ["."], "pattern": "log.info($X)"})).await;
    for part in [
        "matches: 4 in 4 of ",
        "\nshop/pay.py (1)\n3 ",
        " log.info(n) in Pay.retry $X=n\n",
        // The column is told where code precedes the match.
        "\nweb/app.js (1)\n1:17 ",
        " log.info(n) in go $X=n",
    ] {
        assert!(text.contains(part), "{part:?} is missing: {text}");
    }
    assert!(!text.contains("Not queried"), "{text}");
    let methods = json!({"file_path": "shop/pay.py", "query_key": "methods"});
    let with_code = "methods: 1 in shop/pay.py\n@@ 2-4 method Pay.retry\n    def retry(self, n):\n        log.info(n)\n        self.retry(n - 1)";
    assert_eq!(ask(methods.clone()).await, with_code);
    let mut summary = methods;
    summary["output_format"] = json!("summary");
    assert_eq!(ask(summary).await, "methods: 1 in shop/pay.py\n2-4 method Pay.retry");
    let names = json!({"file_path": "shop/pay.py", "query_string": "(function_definition name: (identifier) @name)"});
    let names = ask(names).await;
    assert!(names.contains("\n2:8 name retry in Pay"), "{names}");
    let nothing = json!({"roots": ["."], "query_string": "(function_definition) @f", "filter": "name=nowhere"});
    let nothing = ask(nothing).await;
    assert!(
        nothing.starts_with("matches: 0 in 0 of ") && nothing.contains("\nNot queried, since the query does not apply"),
        "{nothing}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_tells_that_more_match_than_are_kept_and_how_much_of_a_code_it_shows() {
    let sample = Sample::empty();
    sample
        .file("many.py", "x\n".repeat(10_001))
        .file("long.py", format!("def long():\n{}", "    value = 1\n".repeat(99)));
    let app = sample.app();
    let query = json!({"file_path": "many.py", "query_string": "(identifier) @x", "output_format": "summary"});
    let text = text_alone(&app, "query_code", query).await;
    assert!(text.starts_with("matches: 10001 in many.py\n1 x x\n"), "{text:.80}");
    assert!(text.contains("\nOnly the first 10000 matches are kept"), "{text:.80}");
    let query = json!({"file_path": "long.py", "query_key": "functions"});
    let text = text_alone(&app, "query_code", query).await;
    // The 500 characters end within the 36th of 100 lines.
    assert!(text.ends_with("… 64 more lines"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ranking_tells_places_and_declarations_once() {
    let sample = shop();
    let app = sample.app();
    let rank = async |query: &str| {
        let arguments = json!({"roots": ["."], "query": query, "ranked": true});
        text_alone(&app, "search_content", arguments).await
    };
    assert_eq!(rank("nowhere").await, "No matches in 6 files");
    let text = rank("retry log").await;
    let mut lines = text.lines();
    assert!(lines.next().unwrap().contains(" elements; "), "{text}");
    assert_eq!(lines.next(), Some("shop/pay.py:2-4 method Pay.retry(self, n)"), "{text}");
    // The text of the best element follows, and only the places of the others.
    assert!(lines.next().unwrap().starts_with("2:"), "{text}");
    let text = rank("小計").await;
    assert!(text.contains("\nshop/cart.py:2-4 function total(items)\n2:def total(items):\n"), "{text}");
}
