//! URLs and headers: toolsets, read-only mode, projects by name, mapping between the client's paths and the server's.

use std::sync::Arc;

use fumi::app::App;
use fumi_config::PathMapping;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{app, listed};
use crate::{
    harness::{SESSION, Server, Session, Stateless},
    sample::{NOVEL, Sample},
};

fn at(server: &Server, path: &str) -> Stateless {
    Stateless { url: format!("{}{path}", server.base), ..Stateless::new(server) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_url_bounds_what_is_listed_and_what_can_be_called() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, |_| {})).await;
    let code = ["list_files", "set_project_path"];
    for (path, expected) in [
        ("/mcp", vec!["list_files", "set_project_path", "write_note"]),
        ("/mcp/code", code.to_vec()),
        ("/mcp/notes", vec!["write_note"]),
        ("/mcp/notes,code", vec!["list_files", "set_project_path", "write_note"]),
        ("/mcp/readonly", code.to_vec()),
        ("/mcp/readonly/code", code.to_vec()),
        ("/mcp/readonly/notes", vec![]),
    ] {
        assert_eq!(listed(&at(&server, path)).await, expected, "{path}");
        // The session era lists the same.
        let session = Session::open_at(&format!("{}{path}", server.base), SESSION).await;
        let list = session.request("tools/list", json!({})).await;
        assert_eq!(list.result()["tools"].as_array().unwrap().len(), expected.len(), "{path}");
    }
    // A tool of another toolset is unknown here, by any name.
    for name in ["write_note", "mcp__fumi__write_note"] {
        let answer = at(&server, "/mcp/code").call(name, json!({})).await;
        assert_eq!(answer.error()["code"], -32602, "{}", answer.raw);
        assert!(!answer.error()["data"]["tools"].to_string().contains("write_note"));
    }
    assert!(!at(&server, "/mcp/notes").call("write_note", json!({})).await.called().2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_annotated_by_what_its_steps_may_do() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    for (path, writes, is_open) in
        [("/mcp", true, true), ("/mcp/code", false, false), ("/mcp/readonly", false, true), ("/mcp/novel", true, false)]
    {
        let answer = at(&server, path).request("tools/list", json!({})).await;
        let tools = answer.result()["tools"].as_array().unwrap().clone();
        let batch = tools.iter().find(|tool| tool["name"] == "batch_execute").unwrap();
        let expected = json!({"title": batch["title"], "readOnlyHint": !writes, "destructiveHint": writes, "idempotentHint": !writes, "openWorldHint": is_open});
        assert_eq!(batch["annotations"], expected, "{path}");
    }
}

/// What can be expected of pages is listed only with the tools for pages, and accepted everywhere.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_without_the_browser_shows_no_expectation_of_pages() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let whole = server.app.catalogue.find(&server.app.scope, "batch_execute").unwrap();
    let whole = whole.input["properties"]["globalExpectation"]["properties"].as_object().unwrap();
    let all: Vec<&str> = whole.keys().map(String::as_str).collect();
    assert!(all.len() > 5, "{all:?}");
    for (path, expected) in [
        ("/mcp", vec!["fields", "maxTokens"]),
        ("/mcp/code", vec!["fields", "maxTokens"]),
        ("/mcp/code,novel", vec!["fields", "maxTokens"]),
        ("/mcp/browser", all.clone()),
        ("/mcp/code,browser", all),
    ] {
        let client = at(&server, path);
        let answer = client.request("tools/list", json!({})).await;
        let tools = answer.result()["tools"].as_array().unwrap().clone();
        let batch = tools.iter().find(|tool| tool["name"] == "batch_execute").unwrap();
        let parts = batch["inputSchema"]["properties"]["globalExpectation"]["properties"].as_object().unwrap();
        assert_eq!(parts.keys().collect::<Vec<_>>(), expected, "{path}");
        let steps = json!([{"tool": "batch_execute_is_no_step"}]);
        let of_pages = json!({"includeTabs": false, "snapshotOptions": {"format": "aria"}});
        let answer = client.call("batch_execute", json!({"steps": steps, "globalExpectation": of_pages})).await;
        let problems = &answer.called().0["error"]["details"]["problems"];
        assert_eq!(problems.as_array().map(Vec::len), Some(1), "{path}: {problems}");
        assert_eq!(problems[0]["parameter"], "steps[0].tool", "{path}: {problems}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_url_says_what_is_known() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, |config| {
        config.projects.named.insert("shop".to_owned(), sample.root());
    }))
    .await;
    for (path, code, known) in [
        ("/mcp/cod", "UNKNOWN_TOOLSET", "code, notes"),
        ("/mcp/code,", "UNKNOWN_TOOLSET", "code, notes"),
        ("/mcp/readonly/x", "UNKNOWN_TOOLSET", "code, notes"),
        ("/projects/shopp/mcp", "UNKNOWN_PROJECT", "shop"),
        ("/projects/shop/mcp/x", "UNKNOWN_TOOLSET", "code, notes"),
    ] {
        let answer = at(&server, path).request("tools/list", json!({})).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        let told = &answer.error()["data"];
        assert_eq!(told["code"], code, "{path}");
        assert_eq!(told["details"]["known"], known, "{path}");
    }
    for path in ["/mcp/code/readonly", "/mcp//", "/projects/shop", "/elsewhere"] {
        let answer = at(&server, path).request("tools/list", json!({})).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_narrow_and_never_widen() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, |_| {})).await;
    for (path, header, value, expected) in [
        ("/mcp", "X-Fumi-Toolsets", "notes", Ok(1)),
        ("/mcp", "X-Fumi-Toolsets", "notes, code", Ok(3)),
        ("/mcp/code", "X-Fumi-Toolsets", "notes", Ok(0)),
        ("/mcp", "X-Fumi-Toolsets", "nots", Err(StatusCode::BAD_REQUEST)),
        ("/mcp", "X-Fumi-Readonly", "true", Ok(2)),
        ("/mcp/readonly", "X-Fumi-Readonly", "false", Ok(2)),
        ("/mcp", "X-Fumi-Readonly", "1", Ok(2)),
        ("/mcp", "X-Fumi-Readonly", "True", Ok(2)),
        ("/mcp", "X-Fumi-Readonly", "False", Ok(3)),
        ("/mcp", "X-Fumi-Toolsets", "", Ok(3)),
        // A restriction that cannot be parsed is refused: it must not be ignored.
        ("/mcp", "X-Fumi-Readonly", "no", Err(StatusCode::BAD_REQUEST)),
        ("/mcp", "X-Fumi-Readonly", "", Err(StatusCode::BAD_REQUEST)),
        ("/mcp", "X-Fumi-Readonly", "はい", Err(StatusCode::BAD_REQUEST)),
        ("/mcp", "X-Fumi-Toolsets", "コード", Err(StatusCode::BAD_REQUEST)),
    ] {
        let client = at(&server, path);
        // Sent as bytes, because a header may contain bytes that are not ASCII.
        let request = client.prepare(1, "tools/list", None, json!({}));
        let request = request.header(header, value.as_bytes());
        let response = request.send().await.unwrap();
        let status = response.status();
        let messages = crate::harness::messages(&response.text().await.unwrap());
        let count = messages[0]["result"]["tools"].as_array().map(Vec::len);
        assert_eq!(count.ok_or(status), expected, "{path} {header}: {value}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_of_the_routes_has_what_is_offered() {
    let sample = Sample::new();
    for offered in ["code", "notes"] {
        let app = Arc::into_inner(app(&sample, |_| {})).expect("no other reference exists yet");
        let scope = app.catalogue.scope([offered]).unwrap();
        let server = Server::start(Arc::new(App { scope, ..app })).await;
        let document = reqwest::get(format!("{}/openapi.json", server.base)).await.unwrap();
        let document: Value = document.json().await.unwrap();
        for (tool, toolset) in [("list_files", "code"), ("write_note", "notes")] {
            let is_there = document["paths"].get(format!("/v1/tools/{tool}")).is_some();
            assert_eq!(is_there, toolset == offered, "{tool} with {offered}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn read_only_refuses_whatever_writes_and_keeps_the_rest() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, |_| {})).await;
    let (open, closed) = (at(&server, "/mcp"), at(&server, "/mcp/readonly"));
    let before = sample.state();
    for (tool, arguments) in
        [("write_note", json!({})), ("list_files", json!({"roots": ["."], "output_file": "files.json"}))]
    {
        let answer = closed.call(tool, arguments.clone()).await;
        let (structured, text, failed) = answer.called();
        assert!(failed, "{tool}: {text}");
        assert_eq!(structured["error"]["code"], "READ_ONLY", "{tool}");
        assert_eq!(structured["error"]["type"], "FileRestrictionError", "{tool}");
        assert_eq!(sample.state(), before, "{tool} wrote");
        assert!(!open.call(tool, arguments).await.called().2, "{tool}");
        assert_ne!(sample.state(), before, "{tool} writes where it may");
        std::fs::remove_file(sample.root().join("note.txt")).ok();
        std::fs::remove_dir_all(sample.root().join(".fumi")).ok();
    }
    assert!(!closed.call("list_files", json!({"roots": ["."]})).await.called().2);
    let chosen = closed.call("set_project_path", json!({"project_path": sample.root()})).await;
    assert!(!chosen.called().2, "{}", chosen.raw);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_can_make_everything_read_only() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, |config| config.tools.readonly = true)).await;
    let client = at(&server, "/mcp");
    assert_eq!(listed(&client).await, ["list_files", "set_project_path"]);
    let answer = client.call("write_note", json!({})).await;
    assert_eq!(answer.called().0["error"]["code"], "READ_ONLY");
}

async fn count(client: &Stateless, arguments: Value) -> Value {
    let answer = client.call("list_files", arguments).await;
    answer.called().0["total_count"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_by_name_is_the_default_and_the_session_may_choose_another() {
    let sample = Sample::empty();
    sample.file("one/a.py", "").file("two/b.py", "").file("two/c.py", "");
    let server = Server::start(app(&sample, |config| {
        config.projects.named.insert("第一".to_owned(), sample.root().join("one"));
        config.projects.named.insert("two".to_owned(), sample.root().join("two"));
    }))
    .await;
    let files = json!({"roots": ["."], "types": ["f"], "count_only": true});
    for (path, expected) in [
        ("/mcp", 3),
        ("/projects/%E7%AC%AC%E4%B8%80/mcp", 1),
        ("/projects/two/mcp/code", 2),
        ("/projects/two/mcp/readonly", 2),
    ] {
        assert_eq!(count(&at(&server, path), files.clone()).await, expected, "{path}");
    }
    // The argument wins over the session, and the session over the URL.
    let mut named = files.clone();
    named["project_root"] = json!(sample.root().join("one"));
    assert_eq!(count(&at(&server, "/projects/two/mcp"), named).await, 1);
    let session = Session::open_at(&format!("{}/projects/two/mcp", server.base), SESSION).await;
    let of_session = async || session.call("list_files", files.clone()).await.called().0["total_count"].clone();
    assert_eq!(of_session().await, 2);
    session.call("set_project_path", json!({"project_path": sample.root().join("one")})).await;
    assert_eq!(of_session().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clients_paths_are_translated_both_ways() {
    let sample = Sample::empty();
    sample.file("app/src/a.py", "x = 1\n").file("app/b.py", "");
    for (client, root, file) in [
        ("/home/me/work", "/home/me/work/app", "/home/me/work/app/src/a.py"),
        (r"C:\Users\me\work", r"C:\Users\me\work\app", r"C:\Users\me\work\app\src\a.py"),
    ] {
        let server = Server::start(app(&sample, |config| {
            config.path_map.push(PathMapping { client: client.to_owned(), server: sample.root() });
        }))
        .await;
        let session = Session::open(&server).await;
        let chosen = session.call("set_project_path", json!({"project_path": root})).await;
        let (structured, text, failed) = chosen.called();
        assert!(!failed, "{text}");
        assert_eq!(structured["project_path"], root);
        assert_eq!(structured["previous_path"], client);
        let answer = session.call("list_files", json!({"roots": ["."], "types": ["f"]})).await;
        let paths: Vec<_> =
            answer.called().0["results"].as_array().unwrap().iter().map(|row| row["path"].clone()).collect();
        assert!(paths.contains(&json!(file)), "{paths:?}");
        // A path that was shown can be passed back, and so can the server's own path.
        let folder = &file[..file.len() - "/a.py".len()];
        for folder in [folder.to_owned(), sample.root().join("app/src").to_string_lossy().into_owned()] {
            let answer = session.call("list_files", json!({"roots": [folder], "count_only": true})).await;
            assert_eq!(answer.called().0["total_count"], 1, "{folder}: {}", answer.raw);
        }
        let stateless = Stateless::new(&server);
        let arguments = json!({"roots": ["."], "types": ["f"], "count_only": true, "project_root": root});
        assert_eq!(count(&stateless, arguments).await, 2);
        // A mapping does not lead out of the project, and the error shows the client's path.
        for outside in [format!("{client}/../.."), "/etc".to_owned(), "/home/me/workshop".to_owned()] {
            let answer = session.call("set_project_path", json!({"project_path": outside})).await;
            let (structured, text, failed) = answer.called();
            assert!(failed, "{outside}");
            assert_eq!(structured["error"]["code"], "ROOT_NOT_ALLOWED", "{text}");
            assert!(text.contains(client), "{text}");
            assert!(!text.contains(&*sample.root().to_string_lossy()), "{text}");
        }
    }
}

/// Every conversation pays for the tool list.
#[tokio::test(flavor = "multi_thread")]
async fn a_url_without_toolsets_lists_what_the_project_is() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let all = listed(&at(&server, "/mcp/all")).await;
    let code = listed(&at(&server, "/mcp")).await;
    assert_eq!(code, listed(&at(&server, "/mcp/code")).await);
    assert!(code.len() < all.len() && all.iter().any(|name| name == "browser_navigate"));
    // A tool that is not listed can be called.
    assert!(!at(&server, "/mcp").call("status", json!({"project_root": sample.root().join(NOVEL)})).await.called().2);

    let session = Session::open(&server).await;
    assert_eq!(session.initialized["capabilities"]["tools"]["listChanged"], true);
    let mut told = session.listen().await;
    let chosen = json!({"project_path": sample.root().join(NOVEL)});
    assert!(!session.call("set_project_path", chosen).await.called().2);
    let mut heard = String::new();
    while !heard.contains("notifications/tools/list_changed") {
        heard += &String::from_utf8_lossy(&told.chunk().await.unwrap().unwrap());
    }
    let list = session.request("tools/list", json!({})).await;
    let tools = list.result()["tools"].as_array().unwrap().clone();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, listed(&at(&server, "/mcp/novel")).await);
    assert!(["noveler_write", "set_project_path", "batch_execute"].iter().all(|name| names.contains(name)));
    assert!(!names.contains(&"list_files"));
    for tool in &tools {
        assert!(tool["_meta"]["anthropic/maxResultSizeChars"].as_u64() > Some(50_000), "{tool}");
    }
}
