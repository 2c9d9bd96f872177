//! Requests in everyday words, without knowledge of fumi: each finds its tool in clients that search among tools by
//! words.
//!
//! Such clients show a model only tools that it searched for, and compare words of the name, the description and
//! `anthropic/searchHint`. The first nine are requests of which Claude Code's search missed five.

use serde_json::{Value, json};

use crate::{
    harness::{SESSION, Server, Session, Stateless},
    sample::Sample,
};

const WISHES: [(&str, &str); 29] = [
    ("read part of a source file", "extract_code_section"),
    ("outline of the classes", "analyze_code_structure"),
    ("how complex is a file", "check_code_scale"),
    ("open a web page", "browser_navigate"),
    ("export a novel as EPUB", "noveler_complete"),
    ("find text in files", "search_content"),
    ("list files by name", "list_files"),
    ("take a screenshot", "browser_take_screenshot"),
    ("write an episode of a novel", "noveler_write"),
    ("where is a function defined", "query_code"),
    ("find files by size and search in them", "find_and_grep"),
    ("switch to another project", "set_project_path"),
    ("run several calls at once", "batch_execute"),
    ("click a button on a web page", "browser_click"),
    ("fill in a form", "browser_fill_form"),
    ("read a web page", "browser_snapshot"),
    ("execute JavaScript", "browser_evaluate"),
    ("log in with cookies", "browser_cookies"),
    ("see console errors", "browser_console_messages"),
    ("save the page as PDF", "browser_pdf_save"),
    ("upload a file", "browser_file_upload"),
    ("switch the browser tab", "browser_tabs"),
    ("network requests of a page", "browser_network_requests"),
    ("plan the plot of an episode", "noveler_plot"),
    ("proofread a manuscript", "check_basic"),
    ("correct typos", "check_fix"),
    ("restore a backup", "backup_management"),
    ("progress of the novel", "status"),
    ("continue an interrupted session", "write_resume"),
];

/// Words that do not help a search.
const EMPTY: [&str; 18] = [
    "a", "an", "the", "of", "in", "on", "is", "as", "by", "to", "at", "how", "where", "with", "and", "them", "once",
    "see",
];

/// Returns a word without its ending.
fn stem(word: &str) -> &str {
    let endings = ["ing", "ed", "es", "s", "e"];
    let cut = endings.iter().find_map(|ending| word.strip_suffix(ending));
    cut.filter(|stem| stem.len() >= 3).unwrap_or(word)
}

fn missed(tools: &[Value]) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_lowercase();
    let lacks = |(wish, name): &(&str, &str)| {
        let tool = tools.iter().find(|tool| tool["name"] == *name);
        let tool = tool.unwrap_or_else(|| panic!("{name} is not listed"));
        let words = [&tool["name"], &tool["description"], &tool["_meta"]["anthropic/searchHint"]].map(text);
        let words = words.join(" ");
        let lacking = wish.split(' ').filter(|word| !EMPTY.contains(word));
        let lacking: Vec<_> = lacking.filter(|word| !words.contains(stem(&word.to_lowercase()))).collect();
        (!lacking.is_empty()).then(|| format!("{name} has no {} ({wish})", lacking.join(", ")))
    };
    WISHES.iter().filter_map(lacks).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn everyday_requests_find_their_tool_in_both_eras() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let url = format!("{}/mcp/all", server.base);
    let stateless = Stateless { url: url.clone(), ..Stateless::new(&server) };
    let session = Session::open_at(&url, SESSION).await;
    let lists = [stateless.request("tools/list", json!({})).await, session.request("tools/list", json!({})).await];
    for list in lists {
        let tools = list.result()["tools"].as_array().unwrap();
        assert_eq!(missed(tools), [""; 0]);
        // A request may be in any language.
        let hints = tools.iter().filter_map(|tool| tool["_meta"]["anthropic/searchHint"].as_str());
        for hint in hints {
            assert!(!hint.is_ascii() && hint.contains(|letter: char| letter.is_ascii_lowercase()), "{hint}");
        }
    }
}
