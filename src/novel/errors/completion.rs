//! Errors of finishing an episode: an empty manuscript, one that is not valid text, or a cover
//! that is not an image.
//!
//! Each variant carries the facts that its sentences in `completion.toml` name. What a format cannot express is not an
//! error: the record lists it.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::PathError,
    text::BilingualText,
};

use super::{project::ProjectError, writing::WritingError};
use crate::project::EpisodeId;

/// The error catalogue of finishing an episode.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("completion.toml")));

/// An error of finishing an episode.
#[derive(Debug, thiserror::Error, UserError)]
#[error("{}", self.english())]
#[catalog(BOOK)]
pub enum CompletionError {
    #[entry("EMPTY_MANUSCRIPT")]
    Empty {
        episode: EpisodeId,
        #[quoted]
        path: String,
    },
    #[entry("DAMAGED_MANUSCRIPT")]
    Damaged {
        #[quoted]
        path: String,
        encoding: String,
    },
    #[entry("UNUSABLE_COVER")]
    Cover {
        #[quoted]
        path: String,
        reason: BilingualText,
    },
    #[catalog(fumi_base::project::BOOK)]
    #[entry("CANCELLED")]
    Cancelled,
    #[error(transparent)]
    Project(#[from] ProjectError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Session(#[from] WritingError),
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, CompletionError};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[CompletionError::shapes()]), [""; 0]);
    }
}
