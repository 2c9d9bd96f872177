//! The index through the tools: the same replies as without it, and what `_meta` says of its use.

use std::time::{Duration, Instant};

use fumi::app::App;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::sample::{Sample, call};

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

/// The state of the index, which no file's change tells, is never taken from a cache.
#[tokio::test(flavor = "multi_thread")]
async fn operators_see_the_state_of_the_index() {
    let sample = project();
    let off = sample.app_with(&[], |config| config.code.index.enabled = false);
    let on = sample.app();
    let state = |app: &std::sync::Arc<App>| {
        let project = fumi_base::project::Project::open(&sample.root()).expect("a project");
        let (text, _) =
            fumi::mcp::statistics::load(app, &project, "index", &CancellationToken::new()).expect("counted");
        serde_json::from_str::<Value>(&text).expect("JSON")
    };
    assert_eq!(state(&off)["state"], "off");
    assert_eq!(state(&on)["state"], "closed");
    once_whole(&on, "search_content", &json!({"query": "unit_7", "count_only_matches": true})).await;
    let ready = state(&on);
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
