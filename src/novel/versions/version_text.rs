//! The text of a version, with the file that has it.
//!
//! Invariant: a text was read completely and decoded without lost characters, which a comparison would report as changes. A
//! file that cannot be read in this way is an error.

use fumi_base::{
    encoding::{self, EncodingChoice},
    files,
};

use super::VersionName;
use crate::{
    artifacts::ArtifactStore,
    backups::{Backup, BackupFile, Backups},
    errors::{project::ProjectError, versions::VersionError},
    project::{EpisodeId, MANUSCRIPT_BYTES, NovelProject},
    references::ContentHash,
    writing::WritingSessionStore,
};

/// The text of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionText {
    /// The name under which the same version is found again: `manuscript`, or an id.
    pub name: String,
    /// The path of the file, relative to the project root.
    pub path: String,
    /// The hash of the file's bytes.
    pub hash: ContentHash,
    pub text: String,
}

/// Reads a version of an episode.
pub fn read_version(
    novel: &NovelProject,
    episode: EpisodeId,
    name: &VersionName,
    is_over: impl Fn() -> bool,
) -> Result<VersionText, VersionError> {
    match name {
        VersionName::Manuscript => {
            let file = novel.manuscript(episode)?;
            decoded("manuscript", file.shown(), &files::read(&file, MANUSCRIPT_BYTES)?)
        }
        VersionName::Draft => newest_draft(novel, episode),
        VersionName::Session(id) => draft_of(novel, episode, id),
        VersionName::NewestBackup => newest_copy(novel, episode),
        VersionName::Backup(id) => copy_in(novel, episode, id),
        VersionName::Artifact(hash) => {
            let store = ArtifactStore::new(novel.clone());
            let artifact = store.find(hash, is_over)?;
            let text = store.text(&artifact)?.text;
            limited(VersionText {
                name: artifact.file.hash.artifact_id(),
                path: artifact.file.path,
                hash: artifact.file.hash,
                text,
            })
        }
    }
}

/// Decodes a file in any encoding.
fn decoded(name: &str, path: String, bytes: &[u8]) -> Result<VersionText, VersionError> {
    let decoded = encoding::decode(bytes, EncodingChoice::Auto);
    if decoded.damaged {
        return Err(VersionError::VersionUndecodable { path, encoding: decoded.encoding });
    }
    limited(VersionText { name: name.to_owned(), path, hash: ContentHash::from_bytes(bytes), text: decoded.text })
}

/// Returns an error for a text that is longer than a manuscript may be.
fn limited(version: VersionText) -> Result<VersionText, VersionError> {
    let (size, limit) = (version.text.len() as u64, MANUSCRIPT_BYTES);
    // A text in another encoding may be longer in UTF-8 than its file.
    if size > 2 * limit {
        return Err(VersionError::VersionTooLong { path: version.path, size, limit });
    }
    Ok(version)
}

fn newest_draft(novel: &NovelProject, episode: EpisodeId) -> Result<VersionText, VersionError> {
    let sessions = WritingSessionStore::new(std::sync::Arc::clone(novel.project()));
    let has_text = |session: &crate::writing::WritingSession| text_file(session).is_some();
    let newest = sessions.latest(episode, has_text)?.ok_or(VersionError::NoDraft { episode })?;
    draft_of(novel, episode, &newest.session.id().to_string())
}

fn draft_of(novel: &NovelProject, episode: EpisodeId, id: &str) -> Result<VersionText, VersionError> {
    let sessions = WritingSessionStore::new(std::sync::Arc::clone(novel.project()));
    let recovered = sessions.load(id, episode)?;
    let path = text_file(&recovered.session).ok_or_else(|| VersionError::SessionWithoutText { id: id.to_owned() })?;
    // A file that was damaged is not among the texts, and its stage is reset.
    let text = recovered.texts.get(path).ok_or_else(|| VersionError::SessionWithoutText { id: id.to_owned() })?;
    decoded(id, path.to_owned(), text.as_bytes())
}

/// Returns the file of the latest stage whose output is the text of the episode.
fn text_file(session: &crate::writing::WritingSession) -> Option<&str> {
    let stages = session.route().stages().rev().filter(|stage| stage.gives_text());
    stages.into_iter().find_map(|stage| session.output(stage)).map(crate::writing::StageOutput::file)
}

fn newest_copy(novel: &NovelProject, episode: EpisodeId) -> Result<VersionText, VersionError> {
    let (backups, path) = (backups(novel), manuscript_path(novel, episode)?);
    let (complete, _) = backups.list()?;
    let found = complete.iter().find_map(|backup| Some((backup, copy_of(backup, episode, path.as_deref())?)));
    let (backup, file) = found.ok_or(VersionError::NoBackupOfManuscript { episode })?;
    read_copy(&backups, &backup.id, file)
}

fn copy_in(novel: &NovelProject, episode: EpisodeId, id: &str) -> Result<VersionText, VersionError> {
    let (backups, path) = (backups(novel), manuscript_path(novel, episode)?);
    let backup = backups.find(id)?;
    let file = copy_of(&backup, episode, path.as_deref()).ok_or_else(|| VersionError::ManuscriptNotInBackup {
        id: id.to_owned(),
        episode,
        files: backup.files.iter().map(|file| file.path.clone()).collect(),
    })?;
    read_copy(&backups, id, file)
}

fn backups(novel: &NovelProject) -> Backups {
    Backups::new(std::sync::Arc::clone(novel.project()), &novel.names().backups)
}

/// Returns the path of the manuscript; `None` if the episode has none.
fn manuscript_path(novel: &NovelProject, episode: EpisodeId) -> Result<Option<String>, VersionError> {
    match novel.manuscript(episode) {
        Ok(file) => Ok(Some(file.shown())),
        Err(ProjectError::ManuscriptNotFound { .. } | ProjectError::EpisodeNotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the copy of a manuscript in a backup: the one under its path, else the only text whose name has the
/// episode's number, because a manuscript may have been renamed since.
fn copy_of<'b>(backup: &'b Backup, episode: EpisodeId, path: Option<&str>) -> Option<&'b BackupFile> {
    let same = backup.files.iter().find(|file| Some(file.path.as_str()) == path);
    same.or_else(|| {
        let mut named = backup.files.iter().filter(|file| is_text_of(&file.path, episode));
        named.next().filter(|_| named.next().is_none())
    })
}

fn is_text_of(path: &str, episode: EpisodeId) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_text = ["md", "txt"].iter().any(|known| extension.eq_ignore_ascii_case(known));
    is_text && EpisodeId::parse_stem(stem).is_some_and(|(number, _)| number == episode)
}

fn read_copy(backups: &Backups, id: &str, file: &BackupFile) -> Result<VersionText, VersionError> {
    if file.size > MANUSCRIPT_BYTES {
        return Err(VersionError::VersionTooLong { path: file.path.clone(), size: file.size, limit: MANUSCRIPT_BYTES });
    }
    let damaged = || VersionError::BackupCopyDamaged { id: id.to_owned(), path: file.path.clone() };
    let bytes = backups.read_copy(id, file)?.ok_or_else(damaged)?;
    decoded(id, file.path.clone(), &bytes)
}
