//! The errors of a provider: one code (R003), a kind that is more specific, and advice on what to check.
//!
//! Each error contains the facts that its sentences in `errors.toml` name, but never the key. A provider's own message
//! may repeat the key; it passes the redactor like every error.

use std::{sync::LazyLock, time::Duration};

use fumi_base::{
    errors::{ErrorCatalog, Fact, Facts, UserError},
    project::quoted,
    text::BilingualText,
};

use super::is_retryable_status;

/// The error catalogue of providers.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("errors.toml")));

/// The reason for not getting a text from a provider.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    #[error("unreachable: {reason}")]
    Unreachable { reason: String },
    #[error("no answer in {seconds} s")]
    TimedOut { seconds: u64 },
    #[error("status {status}")]
    Status { status: u16, said: String, wait: Option<Duration> },
    #[error("unexpected form of reply: {reason}")]
    Malformed { reason: String },
    #[error("more than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("cut at {max_tokens} tokens")]
    Cut { max_tokens: u32 },
    #[error("filtered")]
    Filtered,
    #[error("empty")]
    Empty,
}

impl ProviderError {
    /// Creates the error of a status other than success.
    pub(super) fn from_status(status: u16, said: String, wait: Option<Duration>) -> Self {
        Self::Status { status, said, wait }
    }

    /// Returns the name of the entry in the catalogue, which is also the kind that telemetry counts.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "PROVIDER_UNREACHABLE",
            Self::TimedOut { .. } => "PROVIDER_TIMEOUT",
            Self::Status { status, .. } => match status {
                401 | 403 => "PROVIDER_KEY_REFUSED",
                402 | 429 => "PROVIDER_RATE_LIMITED",
                300..400 | 404 => "PROVIDER_MODEL_UNKNOWN",
                400..500 => "PROVIDER_REQUEST_REFUSED",
                _ => "PROVIDER_DOWN",
            },
            Self::Malformed { .. } => "PROVIDER_REPLY_MALFORMED",
            Self::TooLarge { .. } => "PROVIDER_REPLY_TOO_LARGE",
            Self::Cut { .. } => "PROVIDER_ANSWER_CUT",
            Self::Filtered => "PROVIDER_ANSWER_FILTERED",
            Self::Empty => "PROVIDER_ANSWER_EMPTY",
        }
    }

    /// Returns the cause for the log, without any word of the provider's reply, which may repeat the key.
    pub(super) fn cause(&self) -> String {
        match self {
            Self::Malformed { .. } => "unexpected form of reply".to_owned(),
            other => other.to_string(),
        }
    }

    /// True if the error may be temporary, so that a retry is useful.
    pub(super) fn is_retryable(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Status { status, .. } => is_retryable_status(*status),
            _ => false,
        }
    }

    /// Returns the time that the provider asks to wait.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { wait, .. } => *wait,
            _ => None,
        }
    }

    /// True if the request was rejected because a field of this name is missing.
    pub(super) fn lacks_field(&self, field: &str) -> bool {
        matches!(self, Self::Status { status: 400, said, .. } if said.contains(field))
    }

    /// Adds the name of the model that was asked.
    pub(super) fn with_model(self, model: &str) -> ProviderCallError {
        ProviderCallError { model: model.to_owned(), fault: self }
    }
}

/// An error of a provider with the model that was asked.
#[derive(Debug, thiserror::Error)]
#[error("{model}: {fault}")]
pub struct ProviderCallError {
    model: String,
    fault: ProviderError,
}

impl UserError for ProviderCallError {
    fn entry(&self) -> &'static str {
        self.fault.kind()
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        &BOOK
    }

    fn facts(&self) -> Facts {
        let mut facts = vec![("model", BilingualText::same(self.model.clone()))];
        let mut add = |name, value: &dyn Fact| facts.extend(value.fact().map(|text| (name, text)));
        match &self.fault {
            ProviderError::Unreachable { reason } | ProviderError::Malformed { reason } => add("reason", reason),
            ProviderError::TimedOut { seconds } => add("seconds", seconds),
            ProviderError::Status { status, said, wait } => {
                add("status", status);
                add("said", &quoted(said));
                add("retry_after_ms", wait);
            }
            ProviderError::TooLarge { limit } => add("limit", limit),
            ProviderError::Cut { max_tokens } => add("max_tokens", max_tokens),
            ProviderError::Filtered | ProviderError::Empty => {}
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::{BOOK, ProviderError};
    use fumi_base::errors::UserError as _;

    #[test]
    fn every_fault_has_its_sentences() {
        let status = |status| ProviderError::from_status(status, "no".to_owned(), None);
        let all = [
            ProviderError::Unreachable { reason: "x".to_owned() },
            ProviderError::TimedOut { seconds: 3 },
            status(401),
            status(429),
            status(404),
            status(400),
            status(302),
            status(503),
            ProviderError::Malformed { reason: "x".to_owned() },
            ProviderError::TooLarge { limit: 7 },
            ProviderError::Cut { max_tokens: 9 },
            ProviderError::Filtered,
            ProviderError::Empty,
        ];
        let mut told: Vec<String> = Vec::new();
        for fault in all {
            let lesson = fault.with_model("a-model").error_message();
            assert_eq!(lesson.code, "R003");
            for text in [&lesson.message, &lesson.next] {
                assert!(!text.en.contains('{') && !text.ja.contains('{'), "{text:?}");
            }
            told.push(lesson.kind);
        }
        for (name, _) in BOOK.entries() {
            assert!(told.iter().any(|kind| kind == name), "no error uses {name}");
        }
    }
}
