//! Static tokens: valid ones are accepted, and a refusal reveals nothing.

use fumi_config::AuthMode;
use reqwest::{Method, StatusCode};
use serde_json::json;

use super::{app, bearing, entry};
use crate::{
    harness::{Server, Stateless},
    sample::Sample,
};

async fn server(sample: &Sample) -> Server {
    let app = app(sample, |config| {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = vec![entry("one", "first-token"), entry("two", "second-token")];
    });
    Server::start(app).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_without_a_token_reveals_nothing() {
    let sample = Sample::new();
    let server = server(&sample).await;
    let http = reqwest::Client::new();
    // A refusal does not reveal whether the route exists.
    for path in ["/mcp", "/mcp/x", "/projects/x/mcp", "/v1/errors", "/v1/x", "/", "/elsewhere"] {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            let answer = http.request(method.clone(), format!("{}{path}", server.base)).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{method} {path}");
            let challenge = answer.headers()["www-authenticate"].to_str().unwrap().to_owned();
            // The page is for browsers, which ask for a password.
            let wanted = if path == "/" { "Basic realm=\"fumi\", charset=\"UTF-8\"" } else { "Bearer realm=\"fumi\"" };
            assert_eq!(challenge, wanted, "{path}");
            let body = answer.text().await.unwrap();
            assert!(body.contains("UNAUTHENTICATED") && body.contains("認証"), "{body}");
        }
    }
    for path in ["/livez", "/readyz"] {
        let answer = http.get(format!("{}{path}", server.base)).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_of_the_routes_says_that_a_token_is_needed() {
    let sample = Sample::new();
    let server = server(&sample).await;
    let url = format!("{}/openapi.json", server.base);
    let document = bearing("first-token").get(url).send().await.unwrap();
    let document: serde_json::Value = document.json().await.unwrap();
    assert_eq!(document["security"], json!([{"bearer": []}]));
    assert_eq!(document["paths"]["/livez"]["get"]["security"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_known_token_in_the_right_header_is_accepted() {
    let sample = Sample::new();
    let server = server(&sample).await;
    for token in ["first-token", "second-token"] {
        let client = Stateless { http: bearing(token), url: server.url() };
        assert_eq!(client.request("tools/list", json!({})).await.status, StatusCode::OK);
    }
    let client = Stateless::new(&server);
    let hash = fumi::http::auth::tokens::sha256_of("first-token");
    for value in [
        "Bearer first-tokem",
        "Bearer first-token-",
        "Bearer ",
        "Bearer",
        "Basic first-token",
        "first-token",
        &format!("Bearer {hash}"),
    ] {
        let request = client.prepare(1, "tools/list", None, json!({}));
        let answer = request.header("Authorization", value).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{value}");
    }
    // Two headers are refused, and so is a token in a URL.
    let twice = client.prepare(1, "tools/list", None, json!({}));
    let twice = twice.header("Authorization", "Bearer first-token").header("Authorization", "Bearer first-token");
    assert_eq!(twice.send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
    let in_url = format!("{}?access_token=first-token", server.url());
    assert_eq!(reqwest::get(in_url).await.unwrap().status(), StatusCode::UNAUTHORIZED);
}
