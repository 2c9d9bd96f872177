//! The bounds of a principal: toolsets, roots, write access, calls a minute.

use fumi_config::{AuthMode, ConfiguredToken, PathMapping};
use reqwest::StatusCode;
use serde_json::json;

use super::{app, bearing, entry, listed};
use crate::{
    harness::{Answer, SESSION, Server, Session, Stateless},
    sample::Sample,
};

async fn server(sample: &Sample, tokens: Vec<ConfiguredToken>) -> Server {
    let app = app(sample, |config| {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = tokens;
        config.projects.named.insert("one".to_owned(), sample.root().join("one"));
        config.projects.named.insert("two".to_owned(), sample.root().join("two"));
    });
    Server::start(app).await
}

fn with(server: &Server, token: &str, path: &str) -> Stateless {
    Stateless { http: bearing(token), url: format!("{}{path}", server.base) }
}

fn two_projects() -> Sample {
    let sample = Sample::empty();
    sample.file("one/a.py", "").file("two/b.py", "").file("two/c.py", "");
    sample
}

#[tokio::test(flavor = "multi_thread")]
async fn toolsets_of_a_token_bound_every_url() {
    let sample = two_projects();
    let mut coder = entry("coder", "t");
    coder.toolsets = vec!["code".to_owned()];
    let server = server(&sample, vec![coder]).await;
    assert_eq!(listed(&with(&server, "t", "/mcp")).await, ["list_files", "set_project_path"]);
    let unknown = with(&server, "t", "/mcp").call("write_note", json!({})).await;
    assert_eq!(unknown.error()["code"], -32602);
    for path in ["/mcp/notes", "/mcp/code,notes", "/projects/one/mcp/notes"] {
        let answer = with(&server, "t", path).request("tools/list", json!({})).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
        let told = &answer.error()["data"];
        assert_eq!(told["code"], "INSUFFICIENT_SCOPE");
        assert_eq!(told["details"]["has"], "code");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn toolsets_of_a_token_are_listed_in_every_project() {
    let sample = two_projects();
    let mut tester = entry("tester", "t");
    tester.toolsets = vec!["code".to_owned(), "browser".to_owned()];
    let app = sample.app_with(&[], |config| {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = vec![tester];
    });
    let server = Server::start(app).await;
    let names = listed(&with(&server, "t", "/mcp")).await;
    assert!(names.iter().any(|name| name == "list_files") && names.iter().any(|name| name == "browser_navigate"));
    assert!(!names.iter().any(|name| name == "noveler_write"), "{names:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn roots_of_a_token_bound_every_way_to_a_project() {
    let sample = two_projects();
    let mut bound = entry("bound", "t");
    bound.roots = vec![sample.root().join("two")];
    let server = server(&sample, vec![bound]).await;
    let files = json!({"roots": ["."], "types": ["f"], "count_only": true});
    // Its own root is the default, and the only project that it can name.
    let client = with(&server, "t", "/mcp");
    assert_eq!(client.call("list_files", files.clone()).await.called().0["total_count"], 2);
    let named = with(&server, "t", "/projects/two/mcp");
    assert_eq!(named.call("list_files", files.clone()).await.called().0["total_count"], 2);
    let other = with(&server, "t", "/projects/one/mcp").call("list_files", files.clone()).await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);
    assert!(!other.raw.contains("one,") && other.raw.contains("two"), "{}", other.raw);
    // By argument, by session and by resource. The parent is refused too.
    let one = sample.root().join("one");
    for root in [one.clone(), sample.root()] {
        let mut elsewhere = files.clone();
        elsewhere["project_root"] = json!(root);
        let answer = client.call("list_files", elsewhere).await;
        assert_eq!(answer.called().0["error"]["code"], "ROOT_NOT_ALLOWED", "{}", answer.raw);
        let session = session(&server, "t").await;
        let answer = session.call("set_project_path", json!({"project_path": root})).await;
        assert_eq!(answer.called().0["error"]["code"], "ROOT_NOT_ALLOWED", "{}", answer.raw);
        let uri = format!("code://file/a.py?project_root={}", root.display());
        let read = client.request("resources/read", json!({"uri": uri})).await;
        assert!(read.response().get("error").is_some(), "{}", read.raw);
        let listen = json!({"notifications": {"resourceSubscriptions": [uri]}});
        let told = client.request("subscriptions/listen", listen).await;
        assert!(!told.raw.contains("a.py?project_root"), "{}", told.raw);
        assert!(session.request("resources/subscribe", json!({"uri": uri})).await.response().get("error").is_some());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_root_lists_only_the_tokens_own_roots() {
    let sample = two_projects();
    let mut bound = entry("bound", "t");
    bound.roots = vec![sample.root().join("two")];
    let app = app(&sample, |config| {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = vec![bound, entry("whole", "u")];
        config.path_map = ["one", "two"]
            .map(|name| PathMapping { client: format!("/home/me/{name}"), server: sample.root().join(name) })
            .to_vec();
    });
    let server = Server::start(app).await;
    for (token, sees) in [("t", false), ("u", true)] {
        let arguments = json!({"roots": ["."], "project_root": "/nowhere"});
        let refused = with(&server, token, "/mcp").call("list_files", arguments).await;
        let error = refused.called().0["error"].to_string();
        assert!(error.contains("/home/me/two"), "{error}");
        assert_eq!(error.contains("/home/me/one"), sees, "{error}");
    }
}

async fn session(server: &Server, token: &str) -> Session {
    let http = bearing(token);
    let answer = Session::initialize(&http, &server.url(), SESSION, None).await;
    let id = answer.headers["mcp-session-id"].to_str().unwrap().to_owned();
    let initialized = answer.result().clone();
    let session = Session { http, url: server.url(), id, initialized };
    session.notify("notifications/initialized", json!({})).await;
    session
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_may_only_read_writes_nothing() {
    let sample = two_projects();
    let mut reader = entry("reader", "t");
    reader.readonly = true;
    let server = server(&sample, vec![reader]).await;
    let before = sample.state();
    let client = with(&server, "t", "/mcp");
    assert_eq!(listed(&client).await, ["list_files", "set_project_path"]);
    let answer = client.call("write_note", json!({})).await;
    assert_eq!(answer.called().0["error"]["code"], "READ_ONLY");
    assert_eq!(sample.state(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_a_minute_are_counted_for_each_principal() {
    let sample = two_projects();
    let mut slow = entry("slow", "slow");
    slow.rate_per_minute = Some(3);
    let server = server(&sample, vec![slow, entry("other", "other")]).await;
    let client = with(&server, "slow", "/mcp");
    let list = async |client: &Stateless| client.request("tools/list", json!({})).await;
    for _ in 0..3 {
        assert_eq!(list(&client).await.status, StatusCode::OK);
    }
    let refused = list(&client).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    let wait: u64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=20).contains(&wait), "{wait}");
    assert!(refused.raw.contains("RATE_LIMITED"), "{}", refused.raw);
    assert_eq!(list(&with(&server, "other", "/mcp")).await.status, StatusCode::OK);
    let tools = bearing("slow").get(format!("{}/v1/tools", server.base)).send().await.unwrap();
    assert_eq!(tools.status(), StatusCode::TOO_MANY_REQUESTS);
    // The rate limit hides neither a 401, nor a 403, nor a 404; probes are not counted.
    let status = async |answer: Answer| answer.status;
    assert_eq!(status(list(&with(&server, "nobody", "/mcp")).await).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(list(&with(&server, "slow", "/mcp/x")).await).await, StatusCode::NOT_FOUND);
    let stranger =
        Session { http: bearing("slow"), url: server.url(), id: "no-such-session".to_owned(), initialized: json!({}) };
    let answer = stranger.request("tools/list", json!({})).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND, "{}", answer.raw);
    let live = reqwest::get(format!("{}/livez", server.base)).await.unwrap();
    assert_eq!(live.status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_its_principals_and_unknown_to_everybody_else() {
    let sample = two_projects();
    let server = server(&sample, vec![entry("one", "one"), entry("two", "two")]).await;
    let owner = session(&server, "one").await;
    let other = Session { http: bearing("two"), ..owner.clone() };
    let unknown = Session { id: "no-such-session".to_owned(), ..other.clone() };
    for answer in
        [other.request("tools/list", json!({})).await, other.notify("notifications/initialized", json!({})).await]
    {
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{}", answer.raw);
        assert_eq!(answer.raw, unknown.request("tools/list", json!({})).await.raw);
    }
    assert_eq!(other.listen().await.status(), StatusCode::NOT_FOUND);
    assert_eq!(other.end().await, StatusCode::NOT_FOUND);
    assert_eq!(owner.request("tools/list", json!({})).await.status, StatusCode::OK);
    assert!(owner.end().await.is_success());
}
