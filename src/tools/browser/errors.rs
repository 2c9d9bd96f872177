//! The errors of browser tools that are found before the browser is used, and that a schema cannot express.

use std::sync::LazyLock;

use fumi_base::errors::{ErrorCatalog, UserError};

/// The error catalogue of the browser tools.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("errors.toml")));

/// An error of a call's arguments.
#[derive(Debug, thiserror::Error)]
pub(super) enum BrowserCallError {
    /// A missing argument that one action needs and others do not.
    #[error("{action} needs {argument}")]
    Needs {
        action: &'static str,
        argument: &'static str,
    },
    /// A screenshot that is too large for a reply.
    #[error("a picture of {bytes} bytes")]
    Picture {
        /// The size of the image.
        bytes: usize,
    },
    /// A URL without a scheme such as `http:`.
    #[error("{url} has no scheme")]
    NoScheme {
        /// The URL as the client wrote it, quoted.
        url: String,
        /// The URL with the likeliest scheme, quoted.
        with: String,
    },
    /// A filename that leads outside the folder or is invalid.
    #[error("filename {filename}: {reason}")]
    Filename {
        /// The filename as the client wrote it, quoted.
        filename: String,
        /// The reason in English.
        reason: &'static str,
        /// The reason in Japanese.
        reason_ja: &'static str,
    },
}

impl UserError for BrowserCallError {
    fn entry(&self) -> &'static str {
        match self {
            Self::Needs { .. } => "ACTION_NEEDS",
            Self::Picture { .. } => "PICTURE_TOO_LARGE",
            Self::NoScheme { .. } => "URL_WITHOUT_SCHEME",
            Self::Filename { .. } => "FILENAME_REFUSED",
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        &BOOK
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Needs { action, argument } => {
                vec![("action", (*action).to_owned()), ("argument", (*argument).to_owned())]
            }
            Self::Picture { bytes } => vec![("bytes", bytes.to_string())],
            Self::NoScheme { url, with } => vec![("url", url.clone()), ("with", with.clone())],
            Self::Filename {
                filename,
                reason,
                reason_ja,
            } => vec![
                ("filename", filename.clone()),
                ("reason", (*reason).to_owned()),
                ("reason_ja", (*reason_ja).to_owned()),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, BrowserCallError};

    #[test]
    fn every_refusal_has_its_sentences_filled() {
        let refusals = [
            BrowserCallError::Needs {
                action: "select",
                argument: "index",
            },
            BrowserCallError::Picture { bytes: 9_000_000 },
            BrowserCallError::NoScheme {
                url: "\"localhost:3000\"".to_owned(),
                with: "\"http://localhost:3000\"".to_owned(),
            },
            BrowserCallError::Filename {
                filename: "\"../a\"".to_owned(),
                reason: "it contains '..'",
                reason_ja: "「..」を含んでいます",
            },
        ];
        for refused in &refusals {
            let lesson = refused.error_message();
            for text in [&lesson.message, &lesson.next] {
                assert!(!text.en.contains('{') && !text.ja.contains('{'), "{text:?}");
            }
        }
        assert_eq!(BOOK.entries().count(), refusals.len());
    }
}
