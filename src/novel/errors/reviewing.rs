//! Errors of checking a manuscript: an unknown review, a text that cannot be checked, invalid check settings.
//!
//! Each variant carries the facts that its sentences in `reviewing.toml` name. The findings of a check are not errors.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::{PathError, quoted},
    text::{BilingualText, Locale},
};

use super::{
    artifact::ArtifactError,
    backup::BackupError,
    project::{ProjectError, bilingual_reason},
    saving::SaveError,
};
use crate::project::EpisodeId;

/// The error catalogue of checks and fixes.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("reviewing.toml")));

/// The largest number of ids named in an error.
const NAMED: usize = 5;

/// An error of checking or fixing a manuscript.
#[derive(Debug, UserError)]
#[fact(plain(encoding, first))]
#[fact(misses = joined_sentences(misses))]
pub enum ReviewError {
    /// No review has the id.
    ReviewNotFound { id: String },
    #[fact(plain(reason))]
    ReviewBroken { path: String, reason: String },
    /// The manuscript is not valid in its encoding.
    ManuscriptDamaged { path: String, encoding: String },
    /// The manuscript is longer than a check may read.
    ManuscriptTooLong { path: String, characters: usize, limit: usize },
    /// The settings of the novel have invalid `checks`.
    #[fact(reason = bilingual_tuning(reason))]
    ChecksTunedWrongly { reason: String },
    /// All judgements were rejected. `first` is the item of the first one.
    #[fact(count = misses.len())]
    JudgementsNotTaken { misses: Vec<BilingualText>, first: String },
    /// All corrections were rejected. `first` is the quotation of the first one.
    #[fact(count = misses.len())]
    CorrectionsNotTaken { misses: Vec<BilingualText>, first: String },
    /// All facts of a state were rejected.
    #[fact(count = misses.len())]
    FactsNotTaken { misses: Vec<BilingualText> },
    /// The number is not that of a step.
    NoReviewStep { asked: u32 },
    #[fact(ids = first_ids(ids))]
    NothingToFix { episode: EpisodeId, ids: Vec<String> },
    /// The fixed text cannot be written in the encoding of the file.
    FixNotInEncoding { path: String, encoding: String },
    /// The manuscript was changed since the check.
    ManuscriptChanged { path: String },
    #[catalog(fumi_base::project::BOOK)]
    Cancelled,
    #[from]
    Project(ProjectError),
    #[from]
    Save(SaveError),
    #[from]
    Backup(BackupError),
    #[from]
    Artifact(ArtifactError),
    #[from]
    Path(PathError),
    /// See `From<WriteError>`.
    Write(WriteError),
}

impl From<WriteError> for ReviewError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::ChangedMeanwhile { path } => Self::ManuscriptChanged { path },
            error => Self::Write(error),
        }
    }
}

/// Returns the reason in both languages if it is one of the YAML parser, which begins with a name.
fn bilingual_tuning(reason: &str) -> BilingualText {
    if reason.starts_with('`') { bilingual_reason(reason) } else { BilingualText::same(reason.to_owned()) }
}

fn first_ids(ids: &[String]) -> String {
    let shown: Vec<String> = ids.iter().take(NAMED).map(|id| quoted(id)).collect();
    let more = if ids.len() > NAMED { " …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// Joins the first [`NAMED`] sentences.
fn joined_sentences(misses: &[BilingualText]) -> BilingualText {
    let joined = |locale| {
        let sentences = misses.iter().take(NAMED).map(|miss| miss.get(locale));
        sentences.collect::<Vec<_>>().join(" ")
    };
    BilingualText::new(joined(Locale::En), joined(Locale::Ja))
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, ReviewError};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[ReviewError::shapes()]), [""; 0]);
    }
}
