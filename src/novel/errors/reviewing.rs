//! Errors of checking a manuscript: an unknown review, a text that cannot be checked, invalid check settings.
//!
//! Each variant carries the facts that its sentences in `reviewing.toml` name. The findings of a check are not errors.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::{PathError, quoted},
    text::BilingualText,
};

use super::{artifact::ArtifactError, backup::BackupError, project::ProjectError, saving::SaveError};
use crate::project::EpisodeId;

/// The error catalogue of checks and fixes.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("reviewing.toml")));

/// The largest number of ids named in an error.
const NAMED: usize = 5;

/// An error of checking or fixing a manuscript.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    #[error("unknown review {id}")]
    NoReview { id: String },
    #[error("{path}: {reason}")]
    Broken { path: String, reason: String },
    #[error("{path} is not valid {encoding}")]
    Damaged { path: String, encoding: String },
    #[error("{path} has {characters} characters; the limit is {limit}")]
    TooLong {
        path: String,
        characters: usize,
        limit: usize,
    },
    #[error("invalid checks in the settings: {reason}")]
    Tuning { reason: String },
    #[error("all judgements were rejected")]
    NotTaken { misses: Vec<BilingualText> },
    #[error("unknown step {asked}")]
    NoStep { asked: u32 },
    #[error("episode {episode} has none of the given issues")]
    NothingToFix { episode: EpisodeId, ids: Vec<String> },
    #[error("{path} cannot be written in {encoding}")]
    Unencodable { path: String, encoding: String },
    #[error("{path} changed")]
    Changed { path: String },
    #[error("cancelled")]
    Cancelled,
    #[error(transparent)]
    Project(#[from] ProjectError),
    #[error(transparent)]
    Save(#[from] SaveError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(WriteError),
}

impl From<WriteError> for ReviewError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Changed { path } => Self::Changed { path },
            error => Self::Write(error),
        }
    }
}

impl UserError for ReviewError {
    fn entry(&self) -> &'static str {
        match self {
            Self::NoReview { .. } => "REVIEW_NOT_FOUND",
            Self::Broken { .. } => "REVIEW_BROKEN",
            Self::Damaged { .. } => "MANUSCRIPT_DAMAGED",
            Self::TooLong { .. } => "MANUSCRIPT_TOO_LONG",
            Self::Tuning { .. } => "CHECKS_TUNED_WRONGLY",
            Self::NotTaken { .. } => "JUDGEMENTS_NOT_TAKEN",
            Self::NoStep { .. } => "NO_REVIEW_STEP",
            Self::NothingToFix { .. } => "NOTHING_TO_FIX",
            Self::Unencodable { .. } => "FIX_NOT_IN_ENCODING",
            Self::Changed { .. } => "MANUSCRIPT_CHANGED",
            Self::Cancelled => "CANCELLED",
            Self::Project(error) => error.entry(),
            Self::Save(error) => error.entry(),
            Self::Backup(error) => error.entry(),
            Self::Artifact(error) => error.entry(),
            Self::Path(error) => error.entry(),
            Self::Write(error) => error.entry(),
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        match self {
            Self::Cancelled => &fumi_base::project::BOOK,
            Self::Project(error) => error.catalog(),
            Self::Save(error) => error.catalog(),
            Self::Backup(error) => error.catalog(),
            Self::Artifact(error) => error.catalog(),
            Self::Path(error) => error.catalog(),
            Self::Write(error) => error.catalog(),
            _ => &BOOK,
        }
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::NoReview { id } => vec![("id", quoted(id))],
            Self::Broken { path, reason } => vec![("path", quoted(path)), ("reason", reason.clone())],
            Self::Changed { path } => vec![("path", quoted(path))],
            Self::Damaged { path, encoding } | Self::Unencodable { path, encoding } => {
                vec![("path", quoted(path)), ("encoding", encoding.clone())]
            }
            Self::TooLong {
                path,
                characters,
                limit,
            } => vec![
                ("path", quoted(path)),
                ("characters", characters.to_string()),
                ("limit", limit.to_string()),
            ],
            Self::Tuning { reason } => vec![
                ("reason", reason.clone()),
                (
                    "reason_ja",
                    if reason.starts_with('`') {
                        crate::project::translate_reason(reason)
                    } else {
                        reason.clone()
                    },
                ),
            ],
            Self::NotTaken { misses } => vec![
                ("count", misses.len().to_string()),
                ("misses", joined_sentences(misses.iter().map(|miss| miss.en.as_ref()))),
                (
                    "misses_ja",
                    joined_sentences(misses.iter().map(|miss| miss.ja.as_ref())),
                ),
            ],
            Self::NoStep { asked } => vec![("asked", asked.to_string())],
            Self::NothingToFix { episode, ids } => {
                let shown: Vec<String> = ids.iter().take(NAMED).map(|id| quoted(id)).collect();
                let more = if ids.len() > NAMED { " …" } else { "" };
                vec![
                    ("episode", episode.number().to_string()),
                    ("ids", format!("{}{more}", shown.join(", "))),
                ]
            }
            Self::Cancelled => Vec::new(),
            Self::Project(error) => error.params(),
            Self::Save(error) => error.params(),
            Self::Backup(error) => error.params(),
            Self::Artifact(error) => error.params(),
            Self::Path(error) => error.params(),
            Self::Write(error) => error.params(),
        }
    }
}

/// Joins the first [`NAMED`] sentences.
fn joined_sentences<'a>(misses: impl Iterator<Item = &'a str>) -> String {
    misses.take(NAMED).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, ReviewError};
    use crate::project::EpisodeId;

    #[test]
    fn every_error_has_both_texts_and_every_entry_is_used() {
        let text = || "x".to_owned();
        let all = [
            ReviewError::NoReview { id: text() },
            ReviewError::Broken {
                path: text(),
                reason: text(),
            },
            ReviewError::Damaged {
                path: text(),
                encoding: text(),
            },
            ReviewError::TooLong {
                path: text(),
                characters: 2,
                limit: 1,
            },
            ReviewError::Tuning { reason: text() },
            ReviewError::NotTaken {
                misses: vec![fumi_base::text::BilingualText::new("x", "x")],
            },
            ReviewError::NoStep { asked: 13 },
            ReviewError::NothingToFix {
                episode: EpisodeId::new(1).expect("a number"),
                ids: vec![text(); 9],
            },
            ReviewError::Unencodable {
                path: text(),
                encoding: text(),
            },
            ReviewError::Changed { path: text() },
            ReviewError::Cancelled,
        ];
        for error in &all {
            let lesson = error.error_message();
            for text in [&lesson.message, &lesson.next] {
                assert!(!text.en.contains('{') && !text.ja.contains('{'), "{text:?}");
                assert!(!text.en.is_empty() && !text.ja.is_empty(), "{text:?}");
            }
        }
        let said: Vec<&str> = all.iter().map(UserError::entry).collect();
        for (name, _) in BOOK.entries() {
            assert!(said.contains(&name), "{name} is never raised");
        }
    }
}
