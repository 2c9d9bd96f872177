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
#[derive(Debug, UserError)]
pub enum VersionError {
    /// The text does not name a version.
    UnknownVersion { asked: String },
    /// No backup has the manuscript.
    NoBackupOfManuscript { episode: EpisodeId },
    #[fact(files = named_files(files))]
    ManuscriptNotInBackup { id: String, episode: EpisodeId, files: Vec<String> },
    /// The copy is missing or has other contents than the manifest states.
    BackupCopyDamaged { id: String, path: String },
    /// No session has a text of the episode.
    NoDraft { episode: EpisodeId },
    /// The session has no text yet.
    SessionWithoutText { id: String },
    /// The version is longer than a comparison may read.
    VersionTooLong { path: String, size: u64, limit: u64 },
    #[fact(plain(encoding))]
    VersionUndecodable { path: String, encoding: String },
    #[catalog(fumi_base::project::BOOK)]
    Cancelled,
    #[from]
    Project(ProjectError),
    #[from]
    Artifact(ArtifactError),
    #[from]
    Backup(BackupError),
    #[from]
    Writing(WritingError),
    #[from]
    Path(PathError),
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
