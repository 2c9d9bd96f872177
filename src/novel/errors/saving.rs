//! Errors of writing a file: a file whose current contents the caller does not know, and paths reserved for programs.
//!
//! Each variant carries the facts that its sentences in `saving.toml` name, above all the current hash, so that the
//! caller can correct the next call.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::{PathError, quoted},
};

use super::backup::BackupError;

/// The error catalogue of writing a file.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("saving.toml")));

/// An error of writing a file.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("{path} already exists")]
    Exists { path: String, hash: String, size: u64 },
    #[error("{path} has changed")]
    Other {
        path: String,
        expected: String,
        hash: String,
    },
    #[error("{path} does not exist")]
    Gone { path: String, expected: String },
    #[error("hidden: {path}")]
    Hidden { path: String },
    #[error("a backup: {path}")]
    InBackups { path: String },
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl UserError for SaveError {
    fn entry(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "FILE_EXISTS",
            Self::Other { .. } => "HASH_MISMATCH",
            Self::Gone { .. } => "FILE_GONE",
            Self::Hidden { .. } => "KEPT_BY_PROGRAMS",
            Self::InBackups { .. } => "KEPT_AS_BACKUP",
            Self::Backup(error) => error.entry(),
            Self::Path(error) => error.entry(),
            Self::Write(error) => error.entry(),
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        match self {
            Self::Backup(error) => error.catalog(),
            Self::Path(error) => error.catalog(),
            Self::Write(error) => error.catalog(),
            _ => &BOOK,
        }
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Exists { path, hash, size } => vec![
                ("path", quoted(path)),
                ("current_hash", hash.clone()),
                ("size", size.to_string()),
            ],
            Self::Other { path, expected, hash } => vec![
                ("path", quoted(path)),
                ("expected_hash", expected.clone()),
                ("current_hash", hash.clone()),
            ],
            Self::Gone { path, expected } => vec![("path", quoted(path)), ("expected_hash", expected.clone())],
            Self::Hidden { path } | Self::InBackups { path } => vec![("path", quoted(path))],
            Self::Backup(error) => error.params(),
            Self::Path(error) => error.params(),
            Self::Write(error) => error.params(),
        }
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, SaveError};

    #[test]
    fn every_error_has_both_texts_and_every_entry_is_used() {
        let text = || "x".to_owned();
        let all = [
            SaveError::Exists {
                path: text(),
                hash: text(),
                size: 1,
            },
            SaveError::Other {
                path: text(),
                expected: text(),
                hash: text(),
            },
            SaveError::Gone {
                path: text(),
                expected: text(),
            },
            SaveError::Hidden { path: text() },
            SaveError::InBackups { path: text() },
        ];
        let mut entries: Vec<&str> = BOOK.entries().map(|(name, _)| name).collect();
        for error in &all {
            let lesson = error.error_message();
            for text in [&lesson.message, &lesson.next] {
                assert!(!text.en.contains('{') && !text.ja.contains('{'), "{text:?}");
                assert!(text.en != text.ja && text.ja.ends_with('。'), "{text:?}");
            }
            entries.retain(|entry| *entry != error.entry());
        }
        assert!(entries.is_empty(), "{entries:?} are never raised");
    }
}
