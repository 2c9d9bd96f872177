//! Errors of a blurb: an answer that misses criteria, an existing blurb that is not replaced, a novel without material.
//!
//! Each variant carries the facts that its sentences in `blurb.toml` name. A stored blurb that misses a limit of a site
//! is not an error: the author may have edited it.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::PathError,
};

use super::{backup::BackupError, project::ProjectError, writing::missed};
use crate::writing::MissedCriterion;

/// The error catalogue of blurbs.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("blurb.toml")));

/// An error of asking for a blurb or of storing it.
#[derive(Debug, thiserror::Error, UserError)]
#[error("{}", self.english())]
#[catalog(BOOK)]
pub enum BlurbError {
    #[entry("BLURB_MISSED")]
    #[fact(count = misses.len())]
    Missed {
        #[fact(with = missed)]
        misses: Vec<MissedCriterion>,
    },
    #[entry("BLURB_EXISTS")]
    Exists {
        #[quoted]
        path: String,
    },
    /// The novel has neither plans nor text from which a blurb could be written.
    #[entry("BLURB_WITHOUT_MATERIAL")]
    NoMaterial {
        /// The name of the planning folder.
        #[quoted]
        planning: String,
    },
    #[error(transparent)]
    Project(#[from] ProjectError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Backup(#[from] BackupError),
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, BlurbError};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[BlurbError::shapes()]), [""; 0]);
    }
}
