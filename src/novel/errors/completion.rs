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
#[derive(Debug, UserError)]
pub enum CompletionError {
    /// The manuscript has no text.
    EmptyManuscript { episode: EpisodeId, path: String },
    #[fact(plain(encoding))]
    DamagedManuscript { path: String, encoding: String },
    /// The file is not an image that a book can have.
    UnusableCover { path: String, reason: BilingualText },
    #[catalog(fumi_base::project::BOOK)]
    Cancelled,
    #[from]
    Project(ProjectError),
    #[from]
    Path(PathError),
    #[from]
    Write(WriteError),
    #[from]
    Session(WritingError),
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
