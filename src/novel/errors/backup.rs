//! Errors of backups: unknown ids, damaged copies, paths that must not be restored.
//!
//! Each variant carries the facts that its sentences in `backup.toml` name. An incomplete backup is not an error: it is
//! listed as incomplete.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::{PathError, quoted},
    text::BilingualText,
};

use super::project::ProjectError;
use crate::backups::CopyDamage;

/// The error catalogue of backups.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("backup.toml")));

/// The largest number of damaged copies named in an error.
const NAMED: usize = 10;

/// An error of making or restoring a backup.
#[derive(Debug, thiserror::Error, UserError)]
#[error("{}", self.english())]
#[catalog(BOOK)]
pub enum BackupError {
    #[entry("BACKUP_NOT_FOUND")]
    NoBackup {
        #[quoted]
        id: String,
    },
    #[entry("NOT_IN_BACKUP")]
    NotInBackup {
        #[quoted]
        id: String,
        #[quoted]
        path: String,
    },
    #[entry("BACKUP_DAMAGED")]
    #[fact(count = damage.len())]
    #[fact(files = damaged_files(damage))]
    Damaged {
        #[quoted]
        id: String,
        #[fact(skip)]
        damage: Vec<CopyDamage>,
    },
    #[entry("BACKUP_FILES")]
    Files { count: usize, most: usize },
    #[entry("HIDDEN_PATH")]
    Hidden {
        #[quoted]
        path: String,
    },
    /// The action requires the id of a backup.
    #[entry("BACKUP_ID_MISSING")]
    #[fact(newest = newest_id(newest.as_deref()))]
    NoId {
        action: &'static str,
        #[fact(skip)]
        newest: Option<String>,
    },
    /// The action does not take the argument.
    #[entry("BACKUP_ARGUMENT")]
    Argument { action: &'static str, argument: &'static str },
    /// The folder cannot be listed completely.
    #[entry("BACKUP_UNLISTED")]
    Unlisted {
        #[quoted]
        path: String,
    },
    #[error(transparent)]
    Manifest(#[from] ProjectError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

fn damaged_files(damage: &[CopyDamage]) -> String {
    let paths = damage.iter().take(NAMED).map(|damage| match damage {
        CopyDamage::Missing(path) | CopyDamage::Changed(path) => quoted(path),
    });
    paths.collect::<Vec<_>>().join(", ")
}

fn newest_id(id: Option<&str>) -> BilingualText {
    id.map_or_else(
        || BilingualText::same(""),
        |id| BilingualText::new(format!(" The newest is {id}."), format!("最新は {id} です。")),
    )
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, BackupError};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[BackupError::shapes()]), [""; 0]);
    }
}
