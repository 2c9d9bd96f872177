//! The form of results: by URL, header, configuration and client, in both eras, with lists and calls that agree.

use fumi_kernel::{Caller, ResultForm};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    harness::{Answer, SESSION, Server, Session, Stateless},
    sample::{Sample, call_as, whole},
};

const SEARCH: &str = r#"{"query": "def", "roots": ["src"]}"#;

fn search() -> Value {
    serde_json::from_str(SEARCH).unwrap()
}

/// Checks that a list and a call have the form.
fn assert_form(list: &Answer, called: &Answer, form: ResultForm) {
    let tools = list.result()["tools"].as_array().unwrap();
    assert!(!tools.is_empty());
    for tool in tools {
        assert_eq!(tool.get("outputSchema").is_some(), form.has_structure(), "{form:?}: {tool}");
    }
    let result = called.result();
    assert_eq!(result.get("structuredContent").is_some(), form.has_structure(), "{form:?}: {result}");
    let texts = result["content"].as_array().unwrap().len();
    assert_eq!(texts, usize::from(form != ResultForm::Structured), "{form:?}: {result}");
    assert_eq!(result["isError"], false, "{result}");
}

async fn assert_session(session: &Session, form: ResultForm) {
    let list = session.request("tools/list", json!({})).await;
    assert_form(&list, &session.call("search_content", search()).await, form);
}

async fn assert_stateless(client: &Stateless, meta: &Value, form: ResultForm) {
    let list = client.request("tools/list", json!({"_meta": meta})).await;
    let call = json!({"name": "search_content", "arguments": search(), "_meta": meta});
    assert_form(&list, &client.request("tools/call", call).await, form);
}

#[tokio::test(flavor = "multi_thread")]
async fn known_clients_get_texts_and_others_both() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    for (name, form) in [
        ("claude-code", ResultForm::Text),
        ("codex-mcp-client", ResultForm::Text),
        ("gemini-cli-mcp-client", ResultForm::Text),
        ("another", ResultForm::Both),
    ] {
        assert_session(&Session::open_named(&server, name).await, form).await;
        let meta = json!({"io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"}});
        assert_stateless(&Stateless::new(&server), &meta, form).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn url_and_header_ask_for_a_form() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    for form in ResultForm::ALL {
        let url = format!("{}?result={}", server.url(), form.name());
        assert_session(&Session::open_at(&url, SESSION).await, form).await;
        let mut client = Stateless::new(&server);
        client.url = url;
        assert_stateless(&client, &json!({}), form).await;
        let headers =
            [("x-fumi-result", form.name())].map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        let http = reqwest::Client::builder().default_headers(headers.into_iter().collect()).build().unwrap();
        let session = Session::open_bearing(&server, http.clone(), json!({})).await;
        assert_session(&session, form).await;
        // The header is the nearer choice.
        let url = format!("{}?result=both", server.url());
        assert_stateless(&Stateless { http, url }, &json!({}), form).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn form_of_a_session_is_that_of_its_first_request() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let mut session = Session::open_at(&format!("{}?result=text", server.url()), SESSION).await;
    assert_session(&session, ResultForm::Text).await;
    session.url = format!("{}?result=structured", server.url());
    assert_session(&session, ResultForm::Text).await;
    // The client of a session is that of its `initialize`, whatever a request says.
    let session = Session::open(&server).await;
    let meta = json!({"io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "1"}});
    let list = session.request("tools/list", json!({"_meta": meta})).await;
    let call = json!({"name": "search_content", "arguments": search(), "_meta": meta});
    assert_form(&list, &session.request("tools/call", call).await, ResultForm::Both);
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_with_which_tasks_begin_are_always_loaded() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let mut client = Stateless::new(&server);
    client.url = format!("{}/all", server.url());
    let list = client.request("tools/list", json!({})).await;
    let tools = list.result()["tools"].as_array().unwrap();
    let always = tools.iter().filter(|tool| tool["_meta"]["anthropic/alwaysLoad"] == true);
    let names: Vec<_> = always.map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 10, "{names:?}");
    assert!(names.contains(&"search_content"));
}

#[tokio::test(flavor = "multi_thread")]
async fn configuration_precedes_what_is_known_of_a_client() {
    let sample = Sample::new();
    let app = sample.app_with(&[], |config| {
        let results = &mut config.tools.results;
        results.insert("claude-code".to_owned(), ResultForm::Structured);
        results.insert("my-client".to_owned(), ResultForm::Text);
    });
    let server = Server::start(app).await;
    for (name, form) in [("claude-code", ResultForm::Structured), ("my-client", ResultForm::Text)] {
        assert_session(&Session::open_named(&server, name).await, form).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_form_is_refused_with_the_known_ones() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let answer =
        Session::initialize(&reqwest::Client::new(), &format!("{}?result=json", server.url()), SESSION, None).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    for word in ["\\\"json\\\"", "both, text, structured"] {
        assert!(answer.raw.contains(word), "{}", answer.raw);
    }
}

/// A failure is a text in every form: clients show nothing else of it.
#[tokio::test(flavor = "multi_thread")]
async fn errors_are_texts_in_every_form() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    for form in ResultForm::ALL {
        let session = Session::open_at(&format!("{}?result={}", server.url(), form.name()), SESSION).await;
        let answer = session.call("extract_code_section", json!({"file_path": "nothing.py", "start_line": 1})).await;
        let result = answer.result();
        assert_eq!(result["isError"], true, "{result}");
        assert!(result["content"][0]["text"].as_str().unwrap().contains("nothing.py"), "{result}");
        assert_eq!(result.get("structuredContent").is_some(), form.has_structure(), "{result}");
    }
}

/// Clients on the official TypeScript SDK take a text that is JSON for the structure, and refuse it.
#[tokio::test(flavor = "multi_thread")]
async fn texts_alone_are_not_json() {
    let sample = Sample::new();
    sample.file("number.txt", "42\n");
    let server = Server::start(sample.app()).await;
    let session = Session::open_named(&server, "claude-code").await;
    for (tool, arguments, expected) in [
        ("search_content", json!({"query": "42", "files": ["number.txt"], "total_only": true}), "1 match in 1 file"),
        ("search_content", json!({"query": "43", "files": ["number.txt"], "total_only": true}), "No matches in 1 file"),
        (
            "search_content",
            json!({"query": "42", "files": ["number.txt"], "expectation": {"fields": ["/total_matches"]}}),
            "total_matches: 1",
        ),
        // A list of rows has its names once.
        (
            "search_content",
            json!({"query": "4", "roots": ["."], "include_globs": ["*.txt"],
                "expectation": {"fields": ["/results/*/file", "/results/*/line"]}}),
            "results: file\tline\nnumber.txt\t1",
        ),
        (
            "search_content",
            json!({"query": "42", "files": ["number.txt"], "suppress_output": true}),
            "Result suppressed. count: 1, total_matches: 1, total_files: 1, truncated: false",
        ),
    ] {
        let answer = session.call(tool, arguments).await;
        assert_eq!(answer.result()["content"][0]["text"], expected, "{}", answer.raw);
    }
    let arguments = json!({"file_path": "number.txt", "start_line": 1, "format": "raw"});
    let answer = session.call("extract_code_section", arguments).await;
    let text = answer.result()["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("42") && serde_json::from_str::<Value>(text).is_err(), "{text}");
}

/// The caps count what the client gets: the text has room for more rows than the structure.
#[tokio::test(flavor = "multi_thread")]
async fn caps_count_the_form_that_the_client_gets() {
    let sample = Sample::empty();
    sample.file("many.txt", "one line of many\n".repeat(3_000));
    let app = sample.app();
    let mut shown = Vec::new();
    // The second round is answered from the cache.
    for _ in 0..2 {
        for form in [ResultForm::Both, ResultForm::Text] {
            let caller = Caller { form, ..whole(&app) };
            let arguments = json!({"query": "many", "roots": ["."]});
            let reply = call_as(&app, "search_content", arguments, caller, CancellationToken::new()).await;
            assert!(!reply.is_error, "{}", reply.text);
            let got = if form == ResultForm::Text { reply.text.len() } else { reply.structured.to_string().len() };
            assert!(got <= app.kernel.caps.bytes, "{form:?}: {got}");
            shown.push(reply.structured["count"].as_u64().unwrap());
        }
    }
    assert!(shown[1] > shown[0] * 3 / 2, "{shown:?}");
    assert_eq!(shown[..2], shown[2..]);
}
