//! The slots and sessions that one principal leaves to others.

use fumi_config::{AuthMode, Config};
use reqwest::StatusCode;
use serde_json::json;

use super::{bearing, entry};
use crate::{
    gate::app_with_gate,
    harness::{SESSION, Server, Session, Stateless},
    sample::Sample,
};

fn two_tokens(config: &mut Config) {
    config.auth.mode = AuthMode::Tokens;
    config.auth.tokens = ["one", "two"].map(|name| entry(name, name)).to_vec();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_principal_leaves_places_to_others() {
    let sample = Sample::new();
    let (app, gate) = app_with_gate(&sample, |config| {
        two_tokens(config);
        config.limits.requests = 4;
    });
    let server = Server::start(app).await;
    let client = |token: &str| Stateless { http: bearing(token), url: server.url() };
    for _ in 0..4 {
        let one = client("one");
        let mut call = tokio::spawn(async move { one.call("wait_at_gate", json!({})).await.status });
        tokio::select! {
            () = gate.entered() => {}
            refused = &mut call => assert_eq!(refused.unwrap(), StatusCode::SERVICE_UNAVAILABLE),
        }
    }
    let answer = client("two").call("list_files", json!({"roots": ["."]})).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.raw);
    gate.open();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_principal_leaves_sessions_to_others() {
    let sample = Sample::new();
    let app = super::app(&sample, |config| {
        two_tokens(config);
        config.server.max_sessions = 4;
    });
    let server = Server::start(app).await;
    let begin = async |token: &str| {
        let http = bearing(token);
        Session::initialize(&http, &server.url(), SESSION, None).await.status
    };
    while begin("one").await == StatusCode::OK {}
    assert_eq!(begin("two").await, StatusCode::OK);
    assert_eq!(begin("one").await, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_principal_leaves_listening_streams_to_others() {
    let sample = Sample::new();
    let app = super::app(&sample, |config| {
        two_tokens(config);
        config.resources.streams = 4;
    });
    let server = Server::start(app).await;
    let mut open = Vec::new();
    for (token, streams) in [("one", 1), ("one", 2), ("one", 2), ("two", 3)] {
        let client = Stateless { http: bearing(token), url: server.url() };
        let params = json!({"notifications": {"resourceSubscriptions": ["code://file/README.md"]}});
        let mut stream = client.prepare(1, "subscriptions/listen", None, params).send().await.unwrap();
        stream.chunk().await.unwrap().expect("a confirmation, or a refusal");
        assert_eq!(server.edge.sessions.subscriptions().streams(), streams, "{token}");
        open.push(stream);
    }
}
