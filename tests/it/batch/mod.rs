//! Several calls in one, on real files: what is checked before anything runs, what goes from step to step, what stops, and
//! what the reply holds.

mod bounds;
mod checked;
mod running;

use fumi::{app::App, tool::ToolReply};
use serde_json::{Value, json};

use crate::sample::call;

/// Runs a batch and returns its structure; what it holds is what its schema says.
#[track_caller]
fn ran(reply: &ToolReply) -> &Value {
    assert!(!reply.is_error, "{}", reply.text);
    &reply.structured
}

async fn batch(app: &App, arguments: Value) -> ToolReply {
    let reply = call(app, "batch_execute", arguments).await;
    if !reply.is_error {
        let entry = app.catalogue.find(&app.scope, "batch_execute").unwrap();
        crate::catalogue::answers_as_published(entry, &reply.structured);
    }
    reply
}

/// A step that succeeds.
fn good() -> Value {
    json!({"tool": "check_code_scale", "arguments": {"file_path": "src/main.py"}})
}

/// A step that passes the check and fails.
fn bad() -> Value {
    json!({"tool": "check_code_scale", "arguments": {"file_path": "src/none.py"}})
}

/// Whether each step that ran succeeded.
fn outcomes(structured: &Value) -> Vec<bool> {
    let steps = structured["steps"].as_array().unwrap();
    steps.iter().map(|step| step["success"].as_bool().unwrap()).collect()
}

/// How many there are of each kind.
fn counts(structured: &Value) -> [u64; 4] {
    ["totalSteps", "succeeded", "failed", "notRun"].map(|name| structured[name].as_u64().unwrap())
}
