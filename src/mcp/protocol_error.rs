//! Errors of the protocol edge itself, and the conversion of any error to a protocol error.
//!
//! The result of reading a resource has no place for an error, so the protocol error itself explains: the cause and the
//! next step, in the caller's language. Errors of tools are results and are not handled here.

use std::{sync::LazyLock, time::Duration};

use fumi_base::{
    errors::{ErrorCatalog, UserError},
    project::quoted,
    text::Locale,
};
use rmcp::{ErrorData, model::ErrorCode};
use serde_json::json;

use crate::tool::ToolError;

/// The error catalogue of the protocol edge.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("errors.toml")));

/// An error of the protocol edge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    #[error("unknown resource {uri}")]
    UnknownResource { uri: String },
    #[error("unknown statistics {name}")]
    UnknownStatistics { name: String, known: String },
    #[error("not UTF-8: {uri}")]
    NotUtf8 { uri: String },
    #[error("unknown parameter {name}")]
    UnknownParameter {
        uri: String,
        name: String,
        reason: &'static str,
        reason_ja: &'static str,
        known: &'static str,
    },
    #[error("invalid range {value}")]
    InvalidLines {
        value: String,
        reason: &'static str,
        reason_ja: &'static str,
    },
    #[error("invalid range of bytes {value}")]
    InvalidBytes {
        value: String,
        reason: &'static str,
        reason_ja: &'static str,
    },
    #[error("a URI over {0} bytes")]
    UriTooLong(usize),
    #[error("the id of a running request")]
    RequestIdInUse,
    #[error("the result is lost")]
    ResultLost,
    #[error("unknown cursor")]
    InvalidCursor,
    #[error("stopped after {0:?}")]
    Late(Duration),
    #[error("too many subscriptions in one session: {0}")]
    TooManyInSession(usize),
    #[error("too many streams: {0}")]
    TooManyStreams(usize),
    #[error("invalid requestState")]
    StateRefused(Duration),
    #[error("unknown task {id}")]
    UnknownTask { id: String },
    #[error("unknown prompt {name}")]
    UnknownPrompt { name: String, known: String },
    #[error("argument {name} of the prompt {prompt}: {reason}")]
    InvalidPromptArgument {
        prompt: &'static str,
        name: String,
        reason: &'static str,
        reason_ja: &'static str,
        known: String,
    },
    #[error("malformed {method}")]
    MalformedRequest {
        method: String,
        reason: String,
        reason_ja: String,
        expected: &'static str,
    },
}

impl UserError for McpError {
    fn entry(&self) -> &'static str {
        match self {
            Self::UnknownResource { .. } => "UNKNOWN_RESOURCE",
            Self::UnknownStatistics { .. } => "UNKNOWN_STATISTICS",
            Self::NotUtf8 { .. } => "URI_NOT_UTF8",
            Self::UnknownParameter { .. } => "UNKNOWN_URI_PARAMETER",
            Self::InvalidLines { .. } => "INVALID_LINES",
            Self::InvalidBytes { .. } => "INVALID_BYTES",
            Self::UriTooLong(_) => "URI_TOO_LONG",
            Self::RequestIdInUse => "REQUEST_ID_IN_USE",
            Self::ResultLost => "RESULT_LOST",
            Self::InvalidCursor => "INVALID_LIST_CURSOR",
            Self::Late(_) => "RESOURCE_TIMEOUT",
            Self::TooManyInSession(_) | Self::TooManyStreams(_) => "TOO_MANY_SUBSCRIPTIONS",
            Self::StateRefused(_) => "REQUEST_STATE_REFUSED",
            Self::UnknownTask { .. } => "UNKNOWN_TASK",
            Self::UnknownPrompt { .. } => "UNKNOWN_PROMPT",
            Self::InvalidPromptArgument { .. } => "INVALID_PROMPT_ARGUMENT",
            Self::MalformedRequest { .. } => "MALFORMED_REQUEST",
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        &BOOK
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::UnknownResource { uri } | Self::NotUtf8 { uri } => vec![("uri", quoted(uri))],
            Self::UnknownStatistics { name, known } | Self::UnknownPrompt { name, known } => {
                vec![("name", quoted(name)), ("known", known.clone())]
            }
            Self::UnknownParameter {
                uri,
                name,
                reason,
                reason_ja,
                known,
            } => vec![
                ("uri", quoted(uri)),
                ("name", quoted(name)),
                ("reason", (*reason).to_owned()),
                ("reason_ja", (*reason_ja).to_owned()),
                ("known", (*known).to_owned()),
            ],
            Self::InvalidLines {
                value,
                reason,
                reason_ja,
            }
            | Self::InvalidBytes {
                value,
                reason,
                reason_ja,
            } => vec![
                ("value", quoted(value)),
                ("reason", (*reason).to_owned()),
                ("reason_ja", (*reason_ja).to_owned()),
            ],
            Self::UnknownTask { id } => vec![("id", quoted(id))],
            Self::InvalidCursor | Self::RequestIdInUse | Self::ResultLost => Vec::new(),
            Self::UriTooLong(limit) => vec![("limit", limit.to_string())],
            Self::StateRefused(ttl) => vec![("minutes", (ttl.as_secs() / 60).to_string())],
            Self::Late(limit) => vec![("limit_s", limit.as_secs().to_string())],
            Self::TooManyInSession(limit) => vec![
                ("what", format!("{limit} resources")),
                ("what_ja", format!("{limit} 件")),
                ("scope", "one session".to_owned()),
                ("scope_ja", "一つのセッション".to_owned()),
            ],
            Self::TooManyStreams(limit) => vec![
                ("what", format!("{limit} streams")),
                ("what_ja", format!("{limit} ストリーム")),
                (
                    "scope",
                    "this server, where one caller gets at most as many as are free".to_owned(),
                ),
                (
                    "scope_ja",
                    "このサーバー（1 人の呼び出し元は空きと同じ数まで）".to_owned(),
                ),
            ],
            Self::InvalidPromptArgument {
                prompt,
                name,
                reason,
                reason_ja,
                known,
            } => vec![
                ("prompt", (*prompt).to_owned()),
                ("name", quoted(name)),
                ("reason", (*reason).to_owned()),
                ("reason_ja", (*reason_ja).to_owned()),
                ("known", known.clone()),
            ],
            Self::MalformedRequest {
                method,
                reason,
                reason_ja,
                expected,
            } => vec![
                ("method", method.clone()),
                ("reason", reason.clone()),
                ("reason_ja", reason_ja.clone()),
                ("expected", (*expected).to_owned()),
            ],
        }
    }
}

/// Converts an error to a protocol error: the cause, then the next step.
#[must_use]
pub fn to_protocol_error(error: &ToolError, locale: Option<Locale>) -> ErrorData {
    let code = match error.code() {
        "FILE_NOT_FOUND" | "OUTSIDE_PROJECT" | "PATH_TRAVERSAL" | "RESOURCE_NOT_FOUND" => ErrorCode::RESOURCE_NOT_FOUND,
        "REQUEST_ID_IN_USE" => ErrorCode::INVALID_REQUEST,
        "BUSY" | "CANCELLED" | "RESULT_LOST" | "TOOL_EXECUTION_FAILED" | "TOOL_TIMEOUT" => ErrorCode::INTERNAL_ERROR,
        _ => ErrorCode::INVALID_PARAMS,
    };
    let message = format!(
        "{}\n{}",
        error.message().in_locale(locale),
        error.next().in_locale(locale)
    );
    ErrorData::new(code, message, Some(json!({"code": error.code()})))
}
