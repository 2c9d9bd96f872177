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
#[derive(Debug, thiserror::Error, UserError)]
#[error("{}", self.english())]
#[catalog(BOOK)]
pub enum ReviewError {
    #[entry("REVIEW_NOT_FOUND")]
    NoReview {
        #[quoted]
        id: String,
    },
    #[entry("REVIEW_BROKEN")]
    Broken {
        #[quoted]
        path: String,
        reason: String,
    },
    #[entry("MANUSCRIPT_DAMAGED")]
    Damaged {
        #[quoted]
        path: String,
        encoding: String,
    },
    #[entry("MANUSCRIPT_TOO_LONG")]
    TooLong {
        #[quoted]
        path: String,
        characters: usize,
        limit: usize,
    },
    /// The settings of the novel have invalid `checks`.
    #[entry("CHECKS_TUNED_WRONGLY")]
    Tuning {
        #[fact(with = bilingual_tuning)]
        reason: String,
    },
    /// All judgements were rejected.
    #[entry("JUDGEMENTS_NOT_TAKEN")]
    #[fact(count = misses.len())]
    NotTaken {
        #[fact(with = joined_sentences)]
        misses: Vec<BilingualText>,
        /// The item of the first one.
        first: String,
    },
    /// All corrections were rejected.
    #[entry("CORRECTIONS_NOT_TAKEN")]
    #[fact(count = misses.len())]
    NoCorrectionTaken {
        #[fact(with = joined_sentences)]
        misses: Vec<BilingualText>,
        /// The quotation of the first one.
        first: String,
    },
    /// All facts of a state were rejected.
    #[entry("FACTS_NOT_TAKEN")]
    #[fact(count = misses.len())]
    NoFactTaken {
        #[fact(with = joined_sentences)]
        misses: Vec<BilingualText>,
    },
    #[entry("NO_REVIEW_STEP")]
    NoStep { asked: u32 },
    #[entry("NOTHING_TO_FIX")]
    NothingToFix {
        episode: EpisodeId,
        #[fact(with = first_ids)]
        ids: Vec<String>,
    },
    #[entry("FIX_NOT_IN_ENCODING")]
    Unencodable {
        #[quoted]
        path: String,
        encoding: String,
    },
    #[entry("MANUSCRIPT_CHANGED")]
    Changed {
        #[quoted]
        path: String,
    },
    #[catalog(fumi_base::project::BOOK)]
    #[entry("CANCELLED")]
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
