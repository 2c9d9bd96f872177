//! The instructions that a client's model reads first: short, and limited to tools that it can call.
//!
//! A test cannot judge whether they are good advice.

use std::collections::BTreeSet;

use fumi_base::text::Locale;
use regex::Regex;
use serde_json::json;
use tiktoken_rs::o200k_base_singleton;

use crate::{
    harness::{Server, Session, Stateless},
    sample::Sample,
};

/// A longer text is not read with attention, and every conversation pays for it.
const MOST_TOKENS: usize = 500;

/// Returns the tools that a text names.
fn named(text: &str) -> BTreeSet<String> {
    let marked = Regex::new("`([a-z_]+)`").unwrap();
    marked.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn instructions_name_only_tools_that_the_client_can_call() {
    for language in Locale::ALL {
        let sample = Sample::new();
        let server = Server::start(sample.app_with(&[], |config| config.tools.language = language)).await;
        for (path, told, not_told) in [
            ("/all", &["list_files", "noveler_write", "fetch_artifact"][..], &[][..]),
            ("", &["list_files"], &["noveler_write", "browser_navigate"]),
            ("/code", &["list_files", "set_project_path"], &["noveler_write", "fetch_artifact"]),
            ("/novel", &["status", "noveler_write", "fetch_artifact"], &["list_files"]),
            ("/novel,novel-data", &["noveler_write", "fetch_artifact"], &["list_files"]),
            ("/browser", &["browser_navigate", "browser_batch_execute"], &["list_files", "status"]),
            ("/readonly/all", &["list_files", "fetch_artifact"], &["noveler_write"]),
        ] {
            let mut client = Stateless::new(&server);
            client.url = format!("{}/mcp{path}", server.base);
            let discovered = client.request("server/discover", json!({})).await;
            let text = discovered.result()["instructions"].as_str().unwrap().to_owned();
            let listed = client.request("tools/list", json!({})).await;
            let tools = listed.result()["tools"].as_array().unwrap().clone();
            let callable: BTreeSet<String> =
                tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
            let names = named(&text);
            assert!(names.is_subset(&callable), "{path}: {names:?} of {callable:?}");
            assert!(told.iter().all(|tool| names.contains(*tool)), "{path}: {text}");
            assert!(!not_told.iter().any(|tool| names.contains(*tool)), "{path}: {text}");
            assert!(!text.contains('@'), "{path}: {text}");
            // Some clients show only this line.
            let first = named(text.lines().next().unwrap());
            assert!(first.is_subset(&names) && !first.is_empty(), "{path}: {text}");
            let tokens = o200k_base_singleton().encode_ordinary(&text).len();
            assert!(tokens < MOST_TOKENS, "{path} in {}: {tokens} tokens", language.tag());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_with_roots_gets_instructions_for_both_families() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let discovered = Stateless::new(&server).request("server/discover", json!({})).await;
    assert_ne!(discovered.result()["capabilities"]["tools"]["listChanged"], true);
    let session = Session::open_able(&server, json!({"roots": {"listChanged": true}})).await;
    let told = named(session.initialized["instructions"].as_str().unwrap());
    assert!(told.contains("list_files") && told.contains("noveler_write"), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_gets_the_same_instructions() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    let discovered = client.request("server/discover", json!({})).await;
    let session = Session::open(&server).await;
    assert_eq!(session.initialized["instructions"], discovered.result()["instructions"]);
}
