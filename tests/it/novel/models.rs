//! Models that answer a question of a tool: the client's, asked by a repeated call, and a provider's on this machine.

use std::sync::Arc;

use axum::{Json, Router, routing::post};
use serde_json::{Value, json};

use crate::{
    harness::{Server, Stateless},
    sample::Sample,
};

/// Calls a tool twice as a client without a session: for the question, and with the message of its model. Returns the structure
/// of the last reply.
pub(crate) async fn by_repeated_call(sample: &Sample, tool: &str, arguments: &Value, message: &Value) -> Value {
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    let mut params = json!({"name": tool, "arguments": arguments});
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": {"sampling": {}}});
    let asked = client.request("tools/call", params.clone()).await.result().clone();
    params["requestState"] = asked["requestState"].clone();
    params["inputResponses"] = json!({"answer": message});
    client.request("tools/call", params).await.result()["structuredContent"].clone()
}

/// Calls a tool of a server whose provider answers every question with a text. Returns the structure of the reply.
pub(crate) async fn by_provider(sample: &Sample, tool: &str, arguments: Value, text: String) -> Value {
    let reply = Arc::new(text);
    let model = move |Json(_): Json<Value>| {
        let reply = Arc::clone(&reply);
        async move {
            Json(json!({
                "id": "1", "object": "chat.completion", "model": "m",
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": *reply}}],
                "usage": {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30},
            }))
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let routes = Router::new().route("/v1/chat/completions", post(model));
    tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
    let app = sample.app_with(&[], |config| super::with_provider(config, &url));
    let server = Server::start(app).await;
    let said = Stateless::new(&server).call(tool, arguments).await;
    said.result()["structuredContent"].clone()
}
