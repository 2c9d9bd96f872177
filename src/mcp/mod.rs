//! The protocol edge: MCP in both eras. The only folder that names `rmcp`.
//!
//! It turns a protocol request into a [`crate::tool::pipeline::Call`] and a reply into a protocol result. It knows no tool
//! by name and decides nothing about what a tool may do.

pub mod access;
pub mod ask;
pub mod fault;
pub mod malformed;
pub mod observe;
pub mod progress;
pub mod resources;
pub mod roots;
pub mod seals;
pub mod server;
pub mod sessions;
pub mod stateless;
pub mod statistics;
pub mod stdio;
pub mod subscriptions;
pub mod uri;

use std::{sync::Arc, time::Duration};

/// What answers requests. fumi's own is [`server::Server`]; the conformance tests put theirs behind the same edge.
pub use rmcp::ServerHandler as Handler;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use crate::app::App;

/// The MCP service that the HTTP edge mounts. Both eras, one URL. `handler` makes one for each session and for each
/// stateless request.
#[must_use]
pub fn service<H: Handler>(
    app: &Arc<App>,
    streams: &Arc<sessions::Streams>,
    closing: CancellationToken,
    handler: impl Fn() -> H + Send + Sync + 'static,
) -> StreamableHttpService<H, sessions::Sessions> {
    let limits = &app.config.server;
    let idle = Duration::from_secs(limits.session_idle_minutes.max(1) * 60);
    let manager = sessions::Sessions::new(Arc::clone(streams), limits.max_sessions, idle);
    // Host and Origin are checked on every route by the HTTP edge, once.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(app.config.limits.body_bytes)
        .with_cancellation_token(closing);
    StreamableHttpService::new(move || Ok(handler()), manager, config)
}
