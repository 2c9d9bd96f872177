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
#[derive(Debug, UserError)]
pub enum BackupError {
    /// No backup has the id.
    BackupNotFound { id: String },
    /// The backup has no such file.
    NotInBackup { id: String, path: String },
    #[fact(skip(damage))]
    #[fact(count = damage.len())]
    #[fact(files = damaged_files(damage))]
    BackupDamaged { id: String, damage: Vec<CopyDamage> },
    /// A backup of too many files, or of none.
    BackupFiles { count: usize, most: usize },
    /// The path is hidden: such files belong to programs.
    HiddenPath { path: String },
    /// The action requires the id of a backup.
    #[fact(newest = newest_id(newest.as_deref()))]
    BackupIdMissing { action: &'static str, newest: Option<String> },
    /// The action does not take the argument.
    BackupArgument { action: &'static str, argument: &'static str },
    /// The folder cannot be listed completely.
    BackupUnlisted { path: String },
    #[from]
    Manifest(ProjectError),
    #[from]
    Path(PathError),
    #[from]
    Write(WriteError),
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
