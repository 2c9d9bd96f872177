//! The code toolset as seen by clients: the requirements, and known faults of other servers.

mod freshness;
mod index;
mod index_on_disk;
mod japanese;
mod known_faults;
mod many;
mod outlines;
mod parser_limits;
mod properties;
mod reading;
mod real_files;
mod resources;
mod roles;
mod rule_files;
mod scenarios;
mod sent;
mod subscriptions;
mod suggested;
mod text_flow;
mod unread;

use fumi::app::App;
use fumi_kernel::{Caller, ResultForm};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::sample::{call_as, whole};

/// Returns the text of a call for a client that gets no structure.
async fn text_alone(app: &App, tool: &str, arguments: Value) -> String {
    let caller = Caller { form: ResultForm::Text, ..whole(app) };
    let reply = call_as(app, tool, arguments, caller, CancellationToken::new()).await;
    assert!(!reply.is_error, "{}", reply.text);
    reply.text
}
