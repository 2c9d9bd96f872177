//! Properties of every search and list, on random projects: all formats report the same totals, and the pages of a
//! cursor are the whole list.
//!
//! The test counts the totals from the texts that it writes. Equal runs use equal projects; `FUMI_PROPERTY_SEED`
//! selects others.

use std::collections::BTreeMap;

use fumi::app::App;
use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    strategy::ValueTree as _,
    test_runner::{Config, RngSeed, TestRunner},
};
use serde_json::{Value, json};

use crate::sample::{Sample, call};

/// Each is a project of its own; together below ten seconds.
const PROJECTS: usize = 40;

fn runner() -> TestRunner {
    let seed = std::env::var("FUMI_PROPERTY_SEED").ok().and_then(|seed| seed.parse().ok());
    TestRunner::new(Config { rng_seed: RngSeed::Fixed(seed.unwrap_or(5)), ..Config::default() })
}

/// Files with their texts: Python definitions, and lines with `needle` none, one or several times.
fn projects() -> impl Strategy<Value = BTreeMap<String, String>> {
    let folder = select(vec!["", "src/", "src/a/", "src/名前/", "lib/"]);
    let line = select(vec![
        "",
        "needle",
        "needle and needle, needleneedle",
        "    # 針 needle 針",
        "hay",
        "def needle_one(): pass",
        "def two(): pass",
        "class Needle: pass",
    ]);
    let end = select(vec!["\n", "\r\n"]);
    let text = (vec(line, 0..40), end).prop_map(|(lines, end)| lines.join(end));
    vec((folder, 0..6_u8, text), 1..12).prop_map(|files| {
        let named = files.into_iter().map(|(folder, n, text)| (format!("{folder}f{n}.py"), text));
        named.collect()
    })
}

/// Returns the rows of a reply in any format that lists them, each as one line.
fn rows(structured: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let root = text(&structured["root"]);
    let mut found = Vec::new();
    for row in list(&structured["results"]) {
        if row["path"].is_string() {
            found.push(text(&row["path"]));
        } else {
            found.push(format!("{root}{}:{}:{}", text(&row["file"]), row["line"], text(&row["text"])));
        }
    }
    for (file, count) in structured["file_counts"].as_object().into_iter().flatten() {
        found.push(format!("{file}:{count}"));
    }
    for file in list(&structured["files"]) {
        for row in list(&file["matches"]) {
            found.push(format!("{}:{}:{}", text(&file["file"]), row["line"], text(&row["text"])));
        }
    }
    for file in list(&structured["query_result"]["files"]) {
        for row in list(&file["matches"]) {
            found.push(format!("{}:{row}", text(&file["file_path"])));
        }
    }
    found
}

/// Returns the number of matches in the rows of a reply.
fn places(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(places).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| match value {
                Value::Array(items)
                    if matches!(name.as_str(), "matches" | "positions") && items.iter().all(Value::is_array) =>
                {
                    items.len() as u64
                }
                value => places(value),
            })
            .sum(),
        _ => 0,
    }
}

async fn ask(app: &App, tool: &str, arguments: &Value, more: (&str, Value)) -> Value {
    let mut arguments = arguments.clone();
    if !more.0.is_empty() {
        arguments[more.0] = more.1;
    }
    let reply = call(app, tool, arguments.clone()).await;
    assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text);
    reply.structured
}

#[tokio::test(flavor = "multi_thread")]
async fn every_format_tells_the_same_totals() {
    let mut runner = runner();
    for _ in 0..PROJECTS {
        let project = projects().new_tree(&mut runner).unwrap().current();
        let sample = Sample::empty();
        for (path, text) in &project {
            sample.file(path, text);
        }
        let app = sample.app();
        let counts: BTreeMap<&String, u64> = project
            .iter()
            .map(|(path, text)| (path, text.matches("needle").count() as u64))
            .filter(|(_, count)| *count > 0)
            .collect();
        let total: u64 = counts.values().sum();
        let lines = project.values().flat_map(|text| text.lines());
        let lines = lines.filter(|line| line.contains("needle")).count();
        for tool in ["search_content", "find_and_grep"] {
            let arguments = json!({"query": "needle", "roots": ["."], "case": "sensitive"});
            let format = async |name| ask(&app, tool, &arguments, (name, json!(true))).await;
            let told = json!({"total_matches": total});
            assert_eq!(format("total_only").await["total_matches"], told["total_matches"], "{project:?}");
            let counted = format("count_only_matches").await;
            assert_eq!(counted["total_matches"], total, "{project:?}");
            assert_eq!(counted["file_counts"], json!(counts), "{project:?}");
            let summary = &format("summary_only").await["summary"];
            assert_eq!(
                (&summary["total_matches"], &summary["total_files"]),
                (&json!(total), &json!(counts.len())),
                "{project:?}"
            );
            for name in ["", "group_by_file", "optimize_paths"] {
                let listed = format(name).await;
                assert_eq!(listed["total_matches"], total, "{tool} {name} {project:?}");
                assert_eq!(rows(&listed).len(), lines, "{tool} {name} {project:?}");
                assert_eq!(places(&listed), total, "{tool} {name} {project:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_of_a_cursor_are_the_whole() {
    let mut runner = runner();
    let mut turned = 0;
    for step in 0..PROJECTS {
        let project = projects().new_tree(&mut runner).unwrap().current();
        let sample = Sample::empty();
        for (path, text) in &project {
            sample.file(path, text);
        }
        let whole = sample.app();
        // The limit of rows or of tokens cuts.
        let paged = sample.app_with(&[], |config| {
            if step % 2 == 0 {
                config.limits.reply_rows = 1 + step % 7;
            } else {
                config.limits.reply_tokens = 300 + 20 * step;
            }
        });
        let searched = json!({"query": "needle", "roots": ["."]});
        let calls = [
            ("search_content", searched.clone(), ""),
            ("search_content", searched.clone(), "group_by_file"),
            ("search_content", searched.clone(), "optimize_paths"),
            ("search_content", searched.clone(), "count_only_matches"),
            ("find_and_grep", searched, ""),
            ("list_files", json!({"roots": ["."], "absolute": false}), ""),
            ("query_code", json!({"roots": ["."], "query_key": "functions"}), ""),
        ];
        for (tool, arguments, format) in calls {
            let mut arguments = arguments;
            if !format.is_empty() {
                arguments[format] = json!(true);
            }
            let expected = rows(&ask(&whole, tool, &arguments, ("", Value::Null)).await);
            let mut page = ask(&paged, tool, &arguments, ("", Value::Null)).await;
            let mut found = rows(&page);
            while page["next"]["cursor"].is_string() {
                let cursor = page["next"]["cursor"].clone();
                page = ask(&paged, tool, &arguments, ("cursor", cursor)).await;
                let more = rows(&page);
                assert!(!more.is_empty(), "{tool} {arguments}: an empty page of {project:?}");
                found.extend(more);
                turned += 1;
            }
            assert_eq!(found, expected, "{tool} {arguments} {project:?}");
        }
    }
    assert!(turned > 500, "only {turned} pages were turned");
}
