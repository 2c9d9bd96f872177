//! Errors of the protocol edge itself, and the conversion of any error to a protocol error.
//!
//! The result of reading a resource has no place for an error, so the protocol error itself explains: the cause and the
//! next step, in the caller's language. Errors of tools are results and are not handled here.

use std::{sync::LazyLock, time::Duration};

use fumi_base::{
    errors::{ErrorCatalog, UserError},
    text::{BilingualText, Locale},
};
use fumi_kernel::ToolError;
use rmcp::{ErrorData, model::ErrorCode};
use serde_json::json;

/// The error catalogue of the protocol edge.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("errors.toml")));

/// An error of the protocol edge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, UserError)]
#[error("{}", self.english())]
#[catalog(BOOK)]
pub enum McpError {
    #[entry("UNKNOWN_RESOURCE")]
    UnknownResource {
        #[quoted]
        uri: String,
    },
    #[entry("UNKNOWN_STATISTICS")]
    UnknownStatistics {
        #[quoted]
        name: String,
        known: String,
    },
    #[entry("URI_NOT_UTF8")]
    NotUtf8 {
        #[quoted]
        uri: String,
    },
    #[entry("UNKNOWN_URI_PARAMETER")]
    UnknownParameter {
        #[quoted]
        uri: String,
        #[quoted]
        name: String,
        reason: BilingualText,
        known: &'static str,
    },
    #[entry("INVALID_LINES")]
    InvalidLines {
        #[quoted]
        value: String,
        reason: BilingualText,
    },
    #[entry("INVALID_BYTES")]
    InvalidBytes {
        #[quoted]
        value: String,
        reason: BilingualText,
    },
    #[entry("URI_TOO_LONG")]
    UriTooLong { limit: usize },
    #[entry("REQUEST_ID_IN_USE")]
    RequestIdInUse,
    #[entry("RESULT_LOST")]
    ResultLost,
    #[entry("INVALID_LIST_CURSOR")]
    InvalidCursor,
    #[entry("RESOURCE_TIMEOUT")]
    #[fact(limit_s = limit.as_secs())]
    Late {
        #[fact(skip)]
        limit: Duration,
    },
    /// Too many subscriptions in one session.
    #[entry("TOO_MANY_SUBSCRIPTIONS")]
    #[fact(what = BilingualText::new(format!("{limit} resources"), format!("{limit} 件")))]
    #[fact(scope = BilingualText::new("one session", "一つのセッション"))]
    TooManyInSession {
        #[fact(skip)]
        limit: usize,
    },
    #[entry("TOO_MANY_SUBSCRIPTIONS")]
    #[fact(what = BilingualText::new(format!("{limit} streams"), format!("{limit} ストリーム")))]
    #[fact(scope = BilingualText::new(
        "this server, where one caller gets at most as many as are free",
        "このサーバー（1 人の呼び出し元は空きと同じ数まで）",
    ))]
    TooManyStreams {
        #[fact(skip)]
        limit: usize,
    },
    #[entry("REQUEST_STATE_REFUSED")]
    #[fact(minutes = ttl.as_secs() / 60)]
    StateRefused {
        /// The time for which a state is valid.
        #[fact(skip)]
        ttl: Duration,
    },
    #[entry("UNKNOWN_TASK")]
    UnknownTask {
        #[quoted]
        id: String,
    },
    #[entry("TASKS_UNAVAILABLE")]
    TasksUnavailable,
    #[entry("UNKNOWN_PROMPT")]
    UnknownPrompt {
        #[quoted]
        name: String,
        known: String,
    },
    #[entry("INVALID_PROMPT_ARGUMENT")]
    InvalidPromptArgument {
        prompt: &'static str,
        #[quoted]
        name: String,
        reason: BilingualText,
        known: String,
    },
    #[entry("MALFORMED_REQUEST")]
    MalformedRequest { method: String, reason: BilingualText, expected: &'static str },
}

/// Converts an error to a protocol error: the cause, then the next step.
pub fn to_protocol_error(error: &ToolError, locale: Locale) -> ErrorData {
    let code = match error.code() {
        "FILE_NOT_FOUND" | "OUTSIDE_PROJECT" | "PATH_TRAVERSAL" | "RESOURCE_NOT_FOUND" => ErrorCode::RESOURCE_NOT_FOUND,
        "REQUEST_ID_IN_USE" => ErrorCode::INVALID_REQUEST,
        "BUSY" | "CANCELLED" | "RESULT_LOST" | "TOOL_EXECUTION_FAILED" | "TOOL_TIMEOUT" => ErrorCode::INTERNAL_ERROR,
        _ => ErrorCode::INVALID_PARAMS,
    };
    let message = format!("{}\n{}", error.message().get(locale), error.next().get(locale));
    ErrorData::new(code, message, Some(json!({"code": error.code()})))
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, McpError};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[McpError::shapes()]), [""; 0]);
    }
}
