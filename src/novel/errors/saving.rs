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
#[derive(Debug, UserError)]
#[fact(plain(current_hash, expected_hash))]
pub enum SaveError {
    #[fact(first = first_digits(current_hash))]
    FileExists { path: String, current_hash: String, size: u64 },
    #[fact(first = first_digits(current_hash))]
    HashMismatch { path: String, expected_hash: String, current_hash: String },
    /// The file with the expected contents does not exist.
    FileGone { path: String, expected_hash: String },
    /// The path is hidden: such files belong to programs.
    KeptByPrograms { path: String },
    /// The path is that of a backup.
    KeptAsBackup { path: String },
    #[from]
    Backup(BackupError),
    #[from]
    Path(PathError),
    #[from]
    Write(WriteError),
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
