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
#[derive(Clone, Debug, PartialEq, Eq, UserError)]
#[fact(plain(known))]
pub enum McpError {
    /// The URI names no resource.
    UnknownResource { uri: String },
    /// The URI names statistics that do not exist.
    UnknownStatistics { name: String, known: String },
    /// The decoded URI is not text.
    UriNotUtf8 { uri: String },
    /// The URI has a parameter that its resource does not take.
    UnknownUriParameter { uri: String, name: String, reason: BilingualText, known: &'static str },
    /// The lines of a URI are not a range.
    InvalidLines { value: String, reason: BilingualText },
    /// The bytes of a URI are not a range.
    InvalidBytes { value: String, reason: BilingualText },
    /// The URI is longer than any that is offered.
    UriTooLong { limit: usize },
    /// A running request has the same id.
    RequestIdInUse,
    /// The result of the request is not kept any more.
    ResultLost,
    /// The cursor is not one of this list.
    InvalidListCursor,
    #[fact(skip(limit))]
    #[fact(limit_s = limit.as_secs())]
    ResourceTimeout { limit: Duration },
    /// Too many subscriptions in one session.
    #[entry("TOO_MANY_SUBSCRIPTIONS")]
    #[fact(skip(limit))]
    #[fact(what = BilingualText::new(format!("{limit} resources"), format!("{limit} 件")))]
    #[fact(scope = BilingualText::new("one session", "一つのセッション"))]
    TooManyInSession { limit: usize },
    #[entry("TOO_MANY_SUBSCRIPTIONS")]
    #[fact(skip(limit))]
    #[fact(what = BilingualText::new(format!("{limit} streams"), format!("{limit} ストリーム")))]
    #[fact(scope = BilingualText::new(
        "this server, where one caller gets at most as many as are free",
        "このサーバー（1 人の呼び出し元は空きと同じ数まで）",
    ))]
    TooManyStreams { limit: usize },
    /// `ttl` is the time for which a state is valid.
    #[fact(skip(ttl))]
    #[fact(minutes = ttl.as_secs() / 60)]
    RequestStateRefused { ttl: Duration },
    /// The caller has no task with the id.
    UnknownTask { id: String },
    /// The state of a task cannot be read at present.
    TasksUnavailable,
    /// No prompt has the name.
    UnknownPrompt { name: String, known: String },
    /// The argument of a prompt is missing, unknown or invalid.
    InvalidPromptArgument { prompt: &'static str, name: String, reason: BilingualText, known: String },
    /// The caller has no tool with the name.
    UnknownTool { problem: BilingualText },
    /// No method has the name in this version of the protocol, or the server does not offer it.
    UnknownMethod { method: String },
    #[fact(plain(method))]
    MalformedRequest { method: String, reason: BilingualText, expected: &'static str },
}

/// Converts an error to a protocol error: the cause, then the next step.
pub fn to_protocol_error(error: &ToolError, locale: Locale) -> ErrorData {
    let code = match error.code() {
        "FILE_NOT_FOUND" | "OUTSIDE_PROJECT" | "PATH_TRAVERSAL" | "RESOURCE_NOT_FOUND" => ErrorCode::RESOURCE_NOT_FOUND,
        "UNKNOWN_METHOD" => ErrorCode::METHOD_NOT_FOUND,
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
