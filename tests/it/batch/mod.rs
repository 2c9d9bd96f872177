//! Several calls in one, on real files: the checks before a step runs, values that pass from step to step, stops, and
//! the parts of the reply.

mod bounds;
mod checked;
mod running;

use fumi::app::App;
use fumi_kernel::ToolReply;
use serde_json::{Value, json};

use crate::sample::call;

/// Runs a batch and returns its structure, which must be valid under the output schema.
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

/// Returns a step that succeeds.
fn good() -> Value {
    json!({"tool": "check_code_scale", "arguments": {"file_path": "src/main.py"}})
}

/// Returns a step that passes the check and fails.
fn bad() -> Value {
    json!({"tool": "check_code_scale", "arguments": {"file_path": "src/none.py"}})
}

/// Returns for each step that ran whether it succeeded.
fn outcomes(structured: &Value) -> Vec<bool> {
    let steps = structured["steps"].as_array().unwrap();
    steps.iter().map(|step| step["success"].as_bool().unwrap()).collect()
}

/// Returns the numbers of steps by outcome.
fn counts(structured: &Value) -> [u64; 4] {
    ["totalSteps", "succeeded", "failed", "notRun"].map(|name| structured[name].as_u64().unwrap())
}
