//! The index through the tools: the same replies as without it, and what `_meta` says of its use.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use fumi::{app::App, state::State};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    program::parsers_by,
    sample::{Sample, call},
};

fn project() -> Sample {
    let sample = Sample::empty();
    for n in 0..40 {
        sample.file(&format!("src/m{n}.py"), format!("def unit_{n}():\n    return {n}\n"));
    }
    sample
}

/// Calls until the index is used for every file. Returns the last structure.
async fn once_whole(app: &App, tool: &str, arguments: &Value) -> Value {
    let end = Instant::now() + Duration::from_mins(1);
    for limit in 1_000.. {
        let mut arguments = arguments.clone();
        // Another call, which is not answered from the cache.
        arguments["max_count"] = json!(limit);
        let reply = call(app, tool, arguments).await;
        if reply.meta()["fumi/index"] == "whole" {
            return reply.structured;
        }
        assert!(Instant::now() < end, "the index is not used: {}", reply.meta());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    unreachable!("the range has no end")
}

#[tokio::test(flavor = "multi_thread")]
async fn search_with_the_index_has_the_same_reply_and_says_so() {
    let sample = project();
    let off = sample.app_with(&[], |config| config.code.index.enabled = false);
    let on = sample.app();
    for tool in ["search_content", "find_and_grep"] {
        let arguments = json!({"query": "unit_7", "count_only_matches": true});
        let scanned = call(&off, tool, arguments.clone()).await;
        assert_eq!(scanned.meta().get("fumi/index"), None);
        let indexed = once_whole(&on, tool, &arguments).await;
        assert_eq!(indexed["total_matches"], scanned.structured["total_matches"], "{tool}");
        assert_eq!(indexed["file_counts"], json!({"src/m7.py": 1}), "{tool}");
    }
    // A listing, once the folders are known.
    let arguments = json!({"extensions": ["py"], "count_only": true});
    assert_eq!(call(&off, "list_files", arguments.clone()).await.structured["total_count"], 40);
    let listed = call(&on, "list_files", arguments).await;
    assert_eq!((&listed.structured["total_count"], &listed.meta()["fumi/index"]), (&json!(40), &json!("whole")));
    // A change is found by the next call.
    sample.file("src/m3.py", "unit_7 = 3\n");
    let arguments = json!({"query": "unit_7", "total_only": true});
    let found = call(&on, "search_content", arguments.clone()).await;
    assert_eq!(found.structured["total_matches"], 2);
    assert_eq!(found.meta()["fumi/index"], "part");
    // A cached reply has read nothing.
    let again = call(&on, "search_content", arguments).await;
    assert_eq!(again.meta().get("fumi/index"), None);
    assert_eq!(again.meta()["cache_hit"], true);
}

/// Returns `code://stats/index`.
fn state(sample: &Sample, app: &Arc<App>) -> Value {
    let project = fumi_base::project::Project::open(&sample.root()).expect("a project");
    let (text, _) = fumi::mcp::statistics::load(app, &project, "index", &CancellationToken::new()).expect("counted");
    serde_json::from_str::<Value>(&text).expect("JSON")
}

/// Afterwards no question about elements needs a parser, also in the next process, unless a file has changed.
#[tokio::test(flavor = "multi_thread")]
async fn elements_are_extracted_before_a_call_asks_for_them() {
    let sample = project();
    let program = sample.outside().join("parser");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fumi"), &program).expect("a link");
    let start = || {
        let state = State { folder: Some(sample.outside().join("state")), ..State::in_memory() };
        sample.app_by(state, parsers_by(&program), &[], |_| {})
    };
    let app = start();
    once_whole(&app, "search_content", &json!({"query": "unit_7", "count_only_matches": true})).await;
    eventually(async || state(&sample, &app)["unparsed_files"] == 0).await;
    // The process that parsed the last file has ended with the work.
    std::fs::remove_file(&program).expect("removed");
    let parses = async |app: &App, path: &str| {
        let read = call(app, "analyze_code_structure", json!({"file_path": path})).await;
        read.structured["error"]["details"]["kind"] != "PARSER_UNAVAILABLE"
    };
    for number in [7, 8] {
        let query = format!("unit_{number} unit_{}", number + 1);
        let ranked = call(&app, "search_content", json!({"query": query, "ranked": true})).await;
        assert_eq!(ranked.structured["count"], 2, "{}", ranked.structured);
        for (key, total) in [("functions", 1), ("classes", 0)] {
            let arguments = json!({"roots": ["."], "query_key": key, "filter": format!("name=unit_{number}")});
            let found = call(&app, "query_code", arguments).await;
            assert_eq!(found.structured["query_result"]["total_matches"], total, "{key}: {}", found.structured);
        }
    }
    sample.file("src/m9.py", "def unit_9():\n    return 10\n");
    assert!(parses(&app, "src/m8.py").await && !parses(&app, "src/m9.py").await);
    drop(app);
    // The folder is locked until the work of the first process has ended.
    eventually(async || parses(&start(), "src/m8.py").await).await;
    assert!(!parses(&start(), "src/m9.py").await);
}

/// Waits until something is true.
async fn eventually(is_true: impl AsyncFn() -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !is_true().await {
        assert!(Instant::now() < end, "it does not become true");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The state of the index, which no file's change tells, is never taken from a cache.
#[tokio::test(flavor = "multi_thread")]
async fn operators_see_the_state_of_the_index() {
    let sample = project();
    let off = sample.app_with(&[], |config| config.code.index.enabled = false);
    let on = sample.app();
    assert_eq!(state(&sample, &off)["state"], "off");
    assert_eq!(state(&sample, &on)["state"], "closed");
    once_whole(&on, "search_content", &json!({"query": "unit_7", "count_only_matches": true})).await;
    let ready = state(&sample, &on);
    assert_eq!((&ready["state"], &ready["indexed_files"]), (&json!("ready"), &json!(40)), "{ready}");
    let metrics = on.metrics.text();
    let value = |name: &str| {
        let line = metrics.lines().find(|line| line.starts_with(name));
        let line = line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
        line.unwrap_or_else(|| panic!("{name} in {metrics}"))
    };
    assert!((value("fumi_index_files") - 40.0).abs() < 0.1);
    assert!(value("fumi_index_memory_bytes") > 1_000.0);
    assert!(value("fumi_unopened_total") >= 39.0);
}
