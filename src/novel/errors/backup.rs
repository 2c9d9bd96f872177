//! Errors of backups: unknown ids, damaged copies, paths that must not be restored.
//!
//! Each variant carries the facts that its sentences in `backup.toml` name. An incomplete backup is not an error: it is
//! listed as incomplete.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::{PathError, quoted},
};

use super::project::ProjectError;
use crate::backups::CopyDamage;

/// The error catalogue of backups.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("backup.toml")));

/// The largest number of damaged copies named in an error.
const NAMED: usize = 10;

/// An error of making or restoring a backup.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("unknown backup {id}")]
    NoBackup { id: String },
    #[error("backup {id} does not contain {path}")]
    NotInBackup { id: String, path: String },
    #[error("{} copies of backup {id} are damaged", damage.len())]
    Damaged { id: String, damage: Vec<CopyDamage> },
    #[error("a backup cannot have {count} files")]
    Files { count: usize, most: usize },
    #[error("hidden: {path}")]
    Hidden { path: String },
    #[error("{action} requires the id of a backup")]
    NoId {
        action: &'static str,
        newest: Option<String>,
    },
    #[error("{action} does not take {argument}")]
    Argument {
        action: &'static str,
        argument: &'static str,
    },
    #[error("{path} cannot be listed completely")]
    Unlisted { path: String },
    #[error(transparent)]
    Manifest(#[from] ProjectError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl UserError for BackupError {
    fn entry(&self) -> &'static str {
        match self {
            Self::NoBackup { .. } => "BACKUP_NOT_FOUND",
            Self::NotInBackup { .. } => "NOT_IN_BACKUP",
            Self::Damaged { .. } => "BACKUP_DAMAGED",
            Self::Files { .. } => "BACKUP_FILES",
            Self::Hidden { .. } => "HIDDEN_PATH",
            Self::NoId { .. } => "BACKUP_ID_MISSING",
            Self::Argument { .. } => "BACKUP_ARGUMENT",
            Self::Unlisted { .. } => "BACKUP_UNLISTED",
            Self::Manifest(error) => error.entry(),
            Self::Path(error) => error.entry(),
            Self::Write(error) => error.entry(),
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        match self {
            Self::Manifest(error) => error.catalog(),
            Self::Path(error) => error.catalog(),
            Self::Write(error) => error.catalog(),
            _ => &BOOK,
        }
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::NoBackup { id } => vec![("id", quoted(id))],
            Self::NotInBackup { id, path } => vec![("id", quoted(id)), ("path", quoted(path))],
            Self::Damaged { id, damage } => {
                let path = |damage: &CopyDamage| match damage {
                    CopyDamage::Missing(path) | CopyDamage::Changed(path) => quoted(path),
                };
                let files: Vec<String> = damage.iter().take(NAMED).map(path).collect();
                vec![
                    ("id", quoted(id)),
                    ("count", damage.len().to_string()),
                    ("files", files.join(", ")),
                ]
            }
            Self::Files { count, most } => vec![("count", count.to_string()), ("most", most.to_string())],
            Self::NoId { action, newest } => {
                let newest = newest.as_deref();
                vec![
                    ("action", (*action).to_owned()),
                    (
                        "newest",
                        newest.map(|id| format!(" The newest is {id}.")).unwrap_or_default(),
                    ),
                    (
                        "newest_ja",
                        newest.map(|id| format!("最新は {id} です。")).unwrap_or_default(),
                    ),
                ]
            }
            Self::Argument { action, argument } => {
                vec![("action", (*action).to_owned()), ("argument", (*argument).to_owned())]
            }
            Self::Hidden { path } | Self::Unlisted { path } => vec![("path", quoted(path))],
            Self::Manifest(error) => error.params(),
            Self::Path(error) => error.params(),
            Self::Write(error) => error.params(),
        }
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, BackupError, CopyDamage};

    #[test]
    fn every_error_has_both_texts_and_every_entry_is_used() {
        let text = || "x".to_owned();
        let all = [
            BackupError::NoBackup { id: text() },
            BackupError::NotInBackup {
                id: text(),
                path: text(),
            },
            BackupError::Damaged {
                id: text(),
                damage: vec![CopyDamage::Missing(text()), CopyDamage::Changed(text())],
            },
            BackupError::Files { count: 0, most: 9 },
            BackupError::Hidden { path: text() },
            BackupError::NoId {
                action: "restore",
                newest: Some(text()),
            },
            BackupError::Argument {
                action: "list",
                argument: "paths",
            },
            BackupError::Unlisted { path: text() },
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
