//! Errors of comparing versions: unknown names, missing backups and drafts, damaged copies.
//!
//! Each variant carries the facts that its sentences in `versions.toml` name. Two equal versions are not an error.

use std::sync::LazyLock;

use fumi_base::{
    errors::{ErrorCatalog, UserError},
    project::{PathError, quoted},
};

use super::{artifact::ArtifactError, backup::BackupError, project::ProjectError, writing::WritingError};
use crate::project::EpisodeId;

/// The error catalogue of versions.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("versions.toml")));

/// The largest number of files named in an error.
const NAMED: usize = 5;

/// An error of reading or comparing versions of an episode.
#[derive(Debug, thiserror::Error, UserError)]
#[error("{}", self.english())]
#[catalog(BOOK)]
pub enum VersionError {
    #[entry("UNKNOWN_VERSION")]
    NoName {
        #[quoted]
        asked: String,
    },
    /// No backup has the manuscript.
    #[entry("NO_BACKUP_OF_MANUSCRIPT")]
    NoBackup { episode: EpisodeId },
    #[entry("MANUSCRIPT_NOT_IN_BACKUP")]
    NotInBackup {
        #[quoted]
        id: String,
        episode: EpisodeId,
        #[fact(with = named_files)]
        files: Vec<String>,
    },
    /// The copy is missing or has other contents than the manifest states.
    #[entry("BACKUP_COPY_DAMAGED")]
    DamagedCopy {
        #[quoted]
        id: String,
        #[quoted]
        path: String,
    },
    /// No session has a text of the episode.
    #[entry("NO_DRAFT")]
    NoDraft { episode: EpisodeId },
    /// The session has no text yet.
    #[entry("SESSION_WITHOUT_TEXT")]
    NoText {
        #[quoted]
        id: String,
    },
    #[entry("VERSION_TOO_LONG")]
    TooLong {
        #[quoted]
        path: String,
        size: u64,
        limit: u64,
    },
    #[entry("VERSION_UNDECODABLE")]
    Undecodable {
        #[quoted]
        path: String,
        encoding: String,
    },
    #[catalog(fumi_base::project::BOOK)]
    #[entry("CANCELLED")]
    Cancelled,
    #[error(transparent)]
    Project(#[from] ProjectError),
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Writing(#[from] WritingError),
    #[error(transparent)]
    Path(#[from] PathError),
}

/// Joins the first [`NAMED`] paths.
fn named_files(files: &[String]) -> String {
    let shown: Vec<String> = files.iter().take(NAMED).map(|path| quoted(path)).collect();
    let more = if files.len() > NAMED { " …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, VersionError};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[VersionError::shapes()]), [""; 0]);
    }
}
