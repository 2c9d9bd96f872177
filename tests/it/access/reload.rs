//! The configuration is reloaded while the server runs.

use std::time::Duration;

use fumi::http::reload::apply;
use fumi_config::{AuthMode, Config, ConfiguredToken};
use reqwest::StatusCode;
use serde_json::json;

use super::{app, bearing, entry};
use crate::{
    harness::{Server, Session, Stateless},
    sample::Sample,
};

async fn status(server: &Server, token: &str) -> StatusCode {
    let client = Stateless { http: bearing(token), url: server.url() };
    client.request("tools/list", json!({})).await.status
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_of_a_token_that_is_gone_or_changed_end_and_others_go_on() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, |config| {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = ["gone", "changed", "same"].map(|name| entry(name, name)).to_vec();
    }))
    .await;
    let listen = async |token: &str| {
        let session = Session::open_bearing(&server, bearing(token), json!({})).await;
        let stream = session.listen().await;
        assert_eq!(stream.status(), StatusCode::OK);
        (session, stream)
    };
    let (_, mut gone) = listen("gone").await;
    let (_, mut changed) = listen("changed").await;
    let (same, _stream) = listen("same").await;
    let mut config = server.app.config.clone();
    config.auth.tokens.remove(0);
    config.auth.tokens[0].readonly = true;
    apply(&server.edge, &config).unwrap();
    while gone.chunk().await.unwrap().is_some() {}
    while changed.chunk().await.unwrap().is_some() {}
    assert_eq!(server.edge.sessions.open_count(&same.id), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_hears_no_more_of_a_folder_that_its_token_lost() {
    let (sample, other) = (Sample::new(), Sample::new());
    other.file("a.txt", "1\n");
    let roots = vec![sample.root(), other.root()];
    let server = Server::start(app(&sample, |config| {
        config.projects.allowed_roots.clone_from(&roots);
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = vec![ConfiguredToken { roots: roots.clone(), ..entry("a", "a") }];
    }))
    .await;
    let subscriptions = server.edge.sessions.subscriptions();
    let session = Session::open_bearing(&server, bearing("a"), json!({})).await;
    let uri = format!("code://file/a.txt?project_root={}", roots[1].display());
    session.request("resources/subscribe", json!({"uri": uri})).await.result();
    assert_eq!(subscriptions.live(), 1);
    let mut config = server.app.config.clone();
    config.auth.tokens[0].roots.pop();
    apply(&server.edge, &config).unwrap();
    let over = async {
        while subscriptions.live() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), over).await.expect("the subscription did not end");
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_change_while_the_server_runs_and_a_mistake_changes_nothing() {
    let sample = Sample::new();
    let server = Server::start(app(&sample, |config| {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = vec![entry("old", "old")];
    }))
    .await;
    assert_eq!(status(&server, "old").await, StatusCode::OK);
    let mut config = server.app.config.clone();
    config.auth.tokens = vec![entry("new", "new")];
    config.server.allowed_hosts = vec!["fumi.example.com".to_owned()];
    assert_eq!(apply(&server.edge, &config).unwrap(), Vec::<String>::new());
    assert_eq!(status(&server, "old").await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(&server, "new").await, StatusCode::OK);
    let client = Stateless::new(&server);
    let by_name = client.prepare(1, "tools/list", None, json!({})).header("Host", "fumi.example.com");
    assert_eq!(by_name.send().await.unwrap().status(), StatusCode::UNAUTHORIZED, "the name is known now");
    // The whole file is refused: neither the good token nor the name is applied.
    let mut wrong = config.clone();
    wrong.auth.tokens = vec![entry("third", "third"), entry("third", "fourth")];
    wrong.server.allowed_hosts.clear();
    assert!(apply(&server.edge, &wrong).unwrap_err().to_string().contains("used twice"));
    let mut unknown = config.clone();
    unknown.auth.tokens[0].toolsets = vec!["cod".to_owned()];
    assert!(apply(&server.edge, &unknown).unwrap_err().to_string().contains("unknown toolset cod"));
    assert_eq!(status(&server, "third").await, StatusCode::UNAUTHORIZED);
    // An empty file has the defaults, which let every caller in.
    let open = Config { auth: Config::default().auth, ..config.clone() };
    assert!(apply(&server.edge, &open).unwrap_err().to_string().contains("auth.mode is none"));
    assert_eq!(Stateless::new(&server).request("tools/list", json!({})).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(status(&server, "new").await, StatusCode::OK);
    // A setting that cannot change at run time is named.
    config.limits.reply_rows = 7;
    config.pools.queue = 7;
    assert_eq!(apply(&server.edge, &config).unwrap(), ["limits", "pools"]);
}
