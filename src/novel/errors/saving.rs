//! Errors of writing a file: a file whose current contents the caller does not know, and paths reserved for programs.
//!
//! Each variant carries the facts that its sentences in `saving.toml` name, above all the current hash, so that the
//! caller can correct the next call.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::PathError,
};

use super::backup::BackupError;

/// The error catalogue of writing a file.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("saving.toml")));

/// An error of writing a file.
#[derive(Debug, thiserror::Error, UserError)]
#[error("{}", self.english())]
#[catalog(BOOK)]
pub enum SaveError {
    #[entry("FILE_EXISTS")]
    #[fact(first = first_digits(hash))]
    Exists {
        #[quoted]
        path: String,
        #[fact("current_hash")]
        hash: String,
        size: u64,
    },
    #[entry("HASH_MISMATCH")]
    #[fact(first = first_digits(hash))]
    Other {
        #[quoted]
        path: String,
        #[fact("expected_hash")]
        expected: String,
        #[fact("current_hash")]
        hash: String,
    },
    #[entry("FILE_GONE")]
    Gone {
        #[quoted]
        path: String,
        #[fact("expected_hash")]
        expected: String,
    },
    #[entry("KEPT_BY_PROGRAMS")]
    Hidden {
        #[quoted]
        path: String,
    },
    #[entry("KEPT_AS_BACKUP")]
    InBackups {
        #[quoted]
        path: String,
    },
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Returns the digits of a hash that identify a file, and that `write` takes.
fn first_digits(hash: &str) -> String {
    hash.chars().take(12).collect()
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, SaveError};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[SaveError::shapes()]), [""; 0]);
    }
}
