//! Errors of finishing an episode: an empty manuscript, or one that is not valid text.
//!
//! Each variant carries the facts that its sentences in `completion.toml` name. What a format cannot express is not an
//! error: the record lists it.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::{PathError, quoted},
};

use super::project::ProjectError;
use crate::project::EpisodeId;

/// The error catalogue of finishing an episode.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("completion.toml")));

/// An error of finishing an episode.
#[derive(Debug, thiserror::Error)]
pub enum CompletionError {
    #[error("{path} of episode {episode} is empty")]
    Empty { episode: EpisodeId, path: String },
    #[error("{path} is not valid {encoding}")]
    Damaged { path: String, encoding: String },
    #[error("cancelled")]
    Cancelled,
    #[error(transparent)]
    Project(#[from] ProjectError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl UserError for CompletionError {
    fn entry(&self) -> &'static str {
        match self {
            Self::Empty { .. } => "EMPTY_MANUSCRIPT",
            Self::Damaged { .. } => "DAMAGED_MANUSCRIPT",
            Self::Cancelled => "CANCELLED",
            Self::Project(error) => error.entry(),
            Self::Path(error) => error.entry(),
            Self::Write(error) => error.entry(),
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        match self {
            Self::Empty { .. } | Self::Damaged { .. } => &BOOK,
            Self::Cancelled => &fumi_base::project::BOOK,
            Self::Project(error) => error.catalog(),
            Self::Path(error) => error.catalog(),
            Self::Write(error) => error.catalog(),
        }
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Empty { episode, path } => {
                vec![("episode", episode.number().to_string()), ("path", quoted(path))]
            }
            Self::Damaged { path, encoding } => vec![("path", quoted(path)), ("encoding", encoding.clone())],
            Self::Cancelled => Vec::new(),
            Self::Project(error) => error.params(),
            Self::Path(error) => error.params(),
            Self::Write(error) => error.params(),
        }
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::{errors::UserError, project::PathError};

    use super::{BOOK, CompletionError};
    use crate::{errors::project::ProjectError, project::EpisodeId};

    #[test]
    fn every_error_has_both_texts_and_every_entry_is_used() {
        let path = "40_原稿/第001話.md".to_owned();
        let all = [
            CompletionError::Empty {
                episode: EpisodeId::new(1).expect("a number"),
                path: path.clone(),
            },
            CompletionError::Damaged {
                path,
                encoding: "utf-8".to_owned(),
            },
            CompletionError::Cancelled,
            CompletionError::Project(ProjectError::NotAnEpisode("x".to_owned())),
            CompletionError::Path(PathError::NotFound {
                path: "x".to_owned(),
                nearest: Vec::new(),
            }),
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
