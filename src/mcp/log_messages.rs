//! The log messages of sessions.
//!
//! The only message is the first event of a call, in versions of the protocol whose streams do not begin with an empty
//! event.

#![expect(deprecated, reason = "the protocol deprecates log messages from 2026-07-28 on; sessions are older")]

use rmcp::model::{
    JsonRpcMessage, LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParam, ServerJsonRpcMessage,
    SetLevelRequestParams,
};
use serde_json::json;

/// Returns the message that a call has begun, at the level `debug`.
pub(super) fn begun() -> ServerJsonRpcMessage {
    let params = LoggingMessageNotificationParam::new(LoggingLevel::Debug, json!("begun"));
    JsonRpcMessage::notification(LoggingMessageNotification::new(params).into())
}

/// True if a client that sets this level wants messages of the level `debug`.
pub(super) fn wants_debug(request: &SetLevelRequestParams) -> bool {
    request.level == LoggingLevel::Debug
}
