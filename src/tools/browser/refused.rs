//! What browser tools refuse themselves, before a browser is asked: what no schema can say of one action among several.

use std::sync::LazyLock;

use fumi_base::errors::{Book, Teach};

/// The sentences.
pub static BOOK: LazyLock<Book> = LazyLock::new(|| Book::embedded(include_str!("errors.toml")));

/// A call that cannot be made as it is written.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    /// One action of a tool needs an argument that others do not.
    #[error("{action} needs {argument}")]
    Needs {
        /// The action.
        action: &'static str,
        /// What is missing.
        argument: &'static str,
    },
    /// A picture that is too large for a reply.
    #[error("a picture of {bytes} bytes")]
    Picture {
        /// Its size.
        bytes: usize,
    },
    /// An address without `http:` or the like.
    #[error("{url} has no scheme")]
    NoScheme {
        /// As the client wrote it, quoted.
        url: String,
        /// The same with the scheme that is likest, quoted.
        with: String,
    },
    /// A name of a file that leads elsewhere, or is none.
    #[error("filename {filename}: {reason}")]
    Filename {
        /// As the client wrote it, quoted.
        filename: String,
        /// Why, in English.
        reason: &'static str,
        /// Why, in Japanese.
        reason_ja: &'static str,
    },
}

impl Teach for Refused {
    fn entry(&self) -> &'static str {
        match self {
            Self::Needs { .. } => "ACTION_NEEDS",
            Self::Picture { .. } => "PICTURE_TOO_LARGE",
            Self::NoScheme { .. } => "URL_WITHOUT_SCHEME",
            Self::Filename { .. } => "FILENAME_REFUSED",
        }
    }

    fn book(&self) -> &'static Book {
        &BOOK
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
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
    use fumi_base::errors::Teach;

    use super::{BOOK, Refused};

    #[test]
    fn every_refusal_has_its_sentences_filled() {
        let refusals = [
            Refused::Needs {
                action: "select",
                argument: "index",
            },
            Refused::Picture { bytes: 9_000_000 },
            Refused::NoScheme {
                url: "\"localhost:3000\"".to_owned(),
                with: "\"http://localhost:3000\"".to_owned(),
            },
            Refused::Filename {
                filename: "\"../a\"".to_owned(),
                reason: "it contains '..'",
                reason_ja: "「..」を含んでいます",
            },
        ];
        for refused in &refusals {
            let lesson = refused.lesson();
            for text in [&lesson.message, &lesson.next] {
                assert!(!text.en.contains('{') && !text.ja.contains('{'), "{text:?}");
            }
        }
        assert_eq!(BOOK.entries().count(), refusals.len());
    }
}
