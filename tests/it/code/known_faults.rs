//! Faults that were measured in other servers of this kind. Each test is named after the symptom.

use std::{fs, os::unix::fs::symlink};

use fumi_kernel::Effect;
use serde_json::{Value, json};

use super::text_alone;
use crate::{
    sample::{Sample, call},
    taught::refused,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_looks_like_an_option_is_a_query() {
    let sample = Sample::empty();
    sample.file("a.txt", "x --pre=cat y\n-e\n");
    let app = sample.app();
    for (query, matches) in [("--pre=cat", 1), ("-e", 1), ("--files", 0), ("--hostname-bin=/bin/sh", 0)] {
        let reply = call(&app, "search_content", json!({"query": query, "roots": ["."], "total_only": true})).await;
        assert_eq!(reply.structured, json!({"total_matches": matches}), "{query}");
    }
    let reply =
        call(&app, "find_and_grep", json!({"roots": ["."], "pattern": "--exec", "query": "x", "total_only": true}))
            .await;
    assert_eq!(reply.structured, json!({"total_matches": 0, "no_file_searched": true}));
}

#[tokio::test(flavor = "multi_thread")]
async fn overlapping_roots_count_each_match_once() {
    let sample = Sample::empty();
    sample.file("src/deep/a.py", "needle\n").file("src/b.py", "needle\n");
    let app = sample.app();
    let roots = json!([".", "src", "src/deep", "src/deep/a.py", "./src"]);
    for tool in ["search_content", "find_and_grep"] {
        let reply = call(&app, tool, json!({"roots": roots, "query": "needle", "count_only_matches": true})).await;
        assert_eq!(reply.structured["file_counts"], json!({"src/b.py": 1, "src/deep/a.py": 1}), "{tool}");
        assert_eq!(reply.structured["total_matches"], 2, "{tool}");
    }
    let reply = call(&app, "list_files", json!({"roots": roots, "types": ["f"], "count_only": true})).await;
    assert_eq!(reply.structured["total_count"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn followed_links_stay_inside_and_loops_end() {
    let sample = Sample::empty();
    sample.file("real/a.txt", "needle\n");
    fs::write(sample.outside().join("secret.txt"), "needle\n").unwrap();
    symlink(sample.outside(), sample.root().join("out")).unwrap();
    symlink("..", sample.root().join("real/loop")).unwrap();
    symlink("real", sample.root().join("alias")).unwrap();
    let app = sample.app();
    let found =
        call(&app, "list_files", json!({"roots": ["."], "types": ["f"], "follow_symlinks": true, "absolute": false}))
            .await;
    let paths: Vec<&str> =
        found.structured["results"].as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["alias/a.txt", "real/a.txt"]);
    let reply = call(
        &app,
        "search_content",
        json!({"roots": ["."], "query": "needle", "follow_symlinks": true, "count_only_matches": true}),
    )
    .await;
    assert_eq!(reply.structured["file_counts"], json!({"alias/a.txt": 1, "real/a.txt": 1}));
    assert!(!reply.text.contains("secret"), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn hidden_finds_hidden_files() {
    let sample = Sample::empty();
    sample.file(".env", "needle\n").file("a.txt", "needle\n");
    let app = sample.app();
    for (hidden, expected) in [(false, json!({"a.txt": 1})), (true, json!({".env": 1, "a.txt": 1}))] {
        let reply = call(
            &app,
            "search_content",
            json!({"roots": ["."], "query": "needle", "hidden": hidden, "count_only_matches": true}),
        )
        .await;
        assert_eq!(reply.structured["file_counts"], expected);
        let list = call(&app, "list_files", json!({"roots": ["."], "hidden": hidden, "count_only": true})).await;
        assert_eq!(list.structured["total_count"], if hidden { 2 } else { 1 });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_minified_line_is_cut_around_the_match() {
    let sample = Sample::empty();
    sample.file("app.min.js", format!("{}needle{}\n", "a;".repeat(150_000), "b;".repeat(150_000)));
    let app = sample.app();
    let reply = call(&app, "search_content", json!({"roots": ["."], "query": "needle"})).await;
    let row = &reply.structured["results"][0];
    let (text, span) = (row["text"].as_str().unwrap(), &row["matches"][0]);
    assert!(text.chars().count() <= 1_000 && reply.text.len() < 2_000, "{} characters", text.chars().count());
    assert_eq!(row["line_truncated"], true);
    let at = |n: usize| usize::try_from(span[n].as_u64().unwrap()).unwrap();
    let matched: String = text.chars().skip(at(0)).take(at(1) - at(0)).collect();
    assert_eq!(matched, "needle");
    // The text tells the column of the match, from which it is read.
    assert_eq!(row["start_column"], 300_000 - span[0].as_u64().unwrap());
    let place = "app.min.js\n1@300000:…";
    assert!(reply.text.starts_with(place) && reply.text.contains("b;…\n"), "{}", reply.text);
    assert!(reply.text.contains("\nline@column: the start_column of the match"), "{}", reply.text);
    let columns = json!({"file_path": "app.min.js", "start_line": 1, "end_line": 1, "start_column": 300_000, "end_column": 300_006, "format": "raw"});
    assert_eq!(call(&app, "extract_code_section", columns).await.text, "needle");
    // Without a section it comes in pages that say so.
    let reply =
        call(&app, "extract_code_section", json!({"file_path": "app.min.js", "start_line": 1, "format": "raw"})).await;
    assert!(reply.text.len() <= 36_000 && reply.structured["truncated"] == true);
}

/// The first character that is not ASCII decides, wherever it stands.
#[tokio::test(flavor = "multi_thread")]
async fn japanese_after_a_long_beginning_in_ascii_is_found() {
    let sample = Sample::empty();
    let ascii = "2026-11-30 12:00:00 INFO request served in 12 ms\n".repeat(2_000);
    for encoding in [encoding_rs::SHIFT_JIS, encoding_rs::EUC_JP] {
        let (bytes, _, _) = encoding.encode("受付に失敗しました：見当違いの入力\n");
        sample.file(&format!("{}.log", encoding.name()), [ascii.as_bytes(), &bytes].concat());
    }
    let reply =
        call(&sample.app(), "search_content", json!({"roots": ["."], "query": "見当", "total_only": true})).await;
    assert_eq!(reply.text, "2");
}

/// Components of Vue and Svelte are markup with scripts and styles.
#[tokio::test(flavor = "multi_thread")]
async fn components_of_vue_and_svelte_are_read() {
    let sample = Sample::empty();
    let component = "<template>\n  <main id=\"top\">{{ count }}</main>\n</template>\n\n<script>\nfunction increment() {\n  return 1;\n}\n</script>\n";
    sample.file("Counter.vue", component).file("Counter.svelte", component);
    let arguments =
        json!({"query_key": "functions", "include_globs": ["*.vue", "*.svelte"], "output_format": "summary"});
    let reply = call(&sample.app(), "query_code", arguments).await;
    assert!(reply.text.contains("Counter.vue") && reply.text.contains("Counter.svelte"), "{}", reply.text);
    assert_eq!(reply.text.matches("increment").count(), 2, "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn shift_jis_is_text() {
    let sample = Sample::empty();
    let source = "# 吾輩は猫である\ndef 名前():\n    return \"まだ無い。どこで生れたか頓と見当がつかぬ\"\n";
    let (bytes, _, _) = encoding_rs::SHIFT_JIS.encode(source);
    sample.file("猫.py", bytes);
    let app = sample.app();
    let reply = call(&app, "search_content", json!({"roots": ["."], "query": "見当"})).await;
    let row = &reply.structured["results"][0];
    assert_eq!(row["text"], "    return \"まだ無い。どこで生れたか頓と見当がつかぬ\"");
    assert_eq!(row["matches"], json!([[26, 28]]));
    assert!(reply.text.starts_with("猫.py [shift_jis]\n 名前\n3 string:"), "{}", reply.text);
    let reply =
        call(&app, "extract_code_section", json!({"file_path": "猫.py", "element": "名前", "format": "raw"})).await;
    assert_eq!(reply.text, "def 名前():\n    return \"まだ無い。どこで生れたか頓と見当がつかぬ\"\n");
    assert_eq!(reply.structured["partial_content_result"]["encoding"], "shift_jis");
    let arguments = json!({"file_path": "猫.py", "element": "名前"});
    let text = text_alone(&app, "extract_code_section", arguments).await;
    assert!(text.starts_with("猫.py:2-3 of 3 名前 [shift_jis]\n2:def"), "{text}");
    let reply = call(&app, "analyze_code_structure", json!({"file_path": "猫.py", "format_type": "signatures"})).await;
    assert!(
        reply.text.starts_with("# 猫.py (Python, 3 lines) [shift_jis]\n")
            && reply.text.contains("名前")
            && !reply.text.contains('\u{fffd}'),
        "{}",
        reply.text
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_query_is_an_error_and_errors_are_not_reported_as_successes() {
    let sample = Sample::new();
    let app = sample.app();
    for (tool, arguments) in [
        ("query_code", json!({"file_path": "src/main.py", "query_string": "(no_such_node) @x"})),
        ("query_code", json!({"file_path": "src/main.py", "query_string": "(identifier"})),
        ("query_code", json!({"file_path": "src/main.py", "query_key": "functions", "filter": "nmae=x"})),
        ("search_content", json!({"roots": ["."], "query": "a("})),
        ("search_content", json!({"roots": ["."], "query": "x", "include_globs": ["["]})),
        ("find_and_grep", json!({"roots": ["."], "query": "[z-a]"})),
        ("list_files", json!({"roots": ["."], "pattern": "*.py"})),
    ] {
        let message = refused(&app, &call(&app, tool, arguments.clone()).await, &["INVALID_QUERY"]);
        assert!(!message.is_empty(), "{arguments}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_appears_in_the_project() {
    let sample = Sample::new();
    let app = sample.app();
    let entries = app.catalogue.entries().iter();
    let reading = entries.filter(|entry| !matches!(entry.spec.effect, Effect::Write | Effect::Records));
    // An example may need a file that a call creates first.
    let calls: Vec<_> = reading.map(|entry| (entry.spec.name, Value::Object(sample.example(entry)))).collect();
    let before = sample.state();
    for (name, arguments) in calls {
        call(&app, name, arguments).await;
    }
    assert_eq!(sample.state(), before, "a call without output_file left something behind");
}

#[tokio::test(flavor = "multi_thread")]
async fn file_limit_is_applied_after_sorting() {
    let sample = Sample::empty();
    for (name, size) in [("a.txt", 1), ("b.txt", 3), ("c.txt", 2)] {
        sample.file(name, "needle\n".repeat(size));
    }
    let app = sample.app();
    let reply = call(
        &app,
        "find_and_grep",
        json!({"roots": ["."], "query": "needle", "sort": "size", "file_limit": 1, "count_only_matches": true}),
    )
    .await;
    assert_eq!(reply.structured["file_counts"], json!({"b.txt": 3}));
    assert_eq!(reply.structured["meta"]["truncated"], true);
    let list = call(&app, "list_files", json!({"roots": ["."], "sort": "size", "limit": 2, "absolute": false})).await;
    let paths: Vec<_> = list.structured["results"].as_array().unwrap().iter().map(|row| &row["path"]).collect();
    assert_eq!(paths, ["b.txt", "c.txt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_name_exactly_one_file() {
    let sample = Sample::empty();
    sample.file("a/__init__.py", "needle\n").file("b/__init__.py", "needle\n").file("__init__.py", "needle\n");
    let app = sample.app();
    let reply = call(
        &app,
        "search_content",
        json!({"files": ["a/__init__.py"], "query": "needle", "count_only_matches": true}),
    )
    .await;
    assert_eq!(reply.structured["file_counts"], json!({"a/__init__.py": 1}));
}
