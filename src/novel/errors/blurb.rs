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
#[derive(Debug, UserError)]
pub enum BlurbError {
    #[fact(misses = missed(misses))]
    #[fact(count = misses.len())]
    BlurbMissed { misses: Vec<MissedCriterion> },
    /// A blurb is not replaced without consent.
    BlurbExists { path: String },
    /// The novel has neither plans nor text from which a blurb could be written. `planning` is the planning folder.
    BlurbWithoutMaterial { planning: String },
    #[from]
    Project(ProjectError),
    #[from]
    Path(PathError),
    #[from]
    Write(WriteError),
    #[from]
    Backup(BackupError),
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
