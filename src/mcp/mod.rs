//! The protocol edge: MCP in both eras. The only folder that uses `rmcp`.
//!
//! It turns a protocol request into a [`fumi_kernel::pipeline::Call`] and a reply into a protocol result. It does
//! not name single tools, and does not decide what a tool may do.

pub mod access;
pub mod ask;
mod clients;
pub mod era;
pub mod instructions;
mod log_messages;
pub mod malformed;
pub mod observe;
pub mod placed_tasks;
pub mod progress;
pub mod prompts;
pub mod protocol_error;
mod replay;
mod replica_renewal;
pub mod replicas;
pub mod request_slot;
pub mod request_state;
pub mod resources;
pub mod roots;
pub mod server;
pub mod session_manager;
pub mod session_registry;
pub mod session_restore;
pub mod session_store;
pub mod statistics;
pub mod stdio;
mod stored_tasks;
pub mod subscriptions;
pub mod tasks;
pub mod uri;

use std::sync::Arc;

/// The handler of requests. fumi's own is [`server::McpServer`]; the conformance tests put theirs behind the same edge.
pub use rmcp::ServerHandler as Handler;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use crate::app::App;

/// The MCP service for both eras at one URL, as the HTTP edge mounts it.
pub struct Endpoint<H> {
    /// The session manager. It checks requests before the service, which does not support principals.
    pub sessions: Arc<session_manager::McpSessionManager>,
    /// The service that speaks the protocol.
    pub service: StreamableHttpService<H, session_manager::McpSessionManager>,
    /// The same for tool calls without a session: it answers with plain JSON unless something is sent before the reply,
    /// so that scripts need not read event streams.
    pub calls: StreamableHttpService<H, session_manager::McpSessionManager>,
}

impl<H> std::fmt::Debug for Endpoint<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("sessions", &self.sessions).finish_non_exhaustive()
    }
}

/// Creates the service over the application's parts; it stops at `closing`. `handler` creates one handler for each
/// session and for each stateless request.
pub fn endpoint<H: Handler>(
    app: &Arc<App>,
    streams: &Arc<session_registry::SessionRegistry>,
    closing: CancellationToken,
    handler: impl Fn() -> H + Send + Sync + 'static,
) -> Endpoint<H> {
    let sessions = session_manager::McpSessionManager::new(app, streams, closing.clone());
    // The HTTP edge checks Host and Origin on every route.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        // Streams are primed in the versions that have it (`replay.rs`).
        .with_sse_retry(None)
        .with_max_request_body_bytes(app.config.limits.body_bytes)
        .with_cancellation_token(closing);
    let handler = Arc::new(handler);
    let service = |config| {
        let handler = Arc::clone(&handler);
        StreamableHttpService::new(move || Ok(handler()), Arc::clone(&sessions), config)
    };
    Endpoint { calls: service(config.clone().with_json_response(true)), service: service(config), sessions }
}
