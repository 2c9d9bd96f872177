//! Errors of rewriting a passage: a quotation that stands for no passage, variants of which none is accepted.
//!
//! Each variant carries the facts that its sentences in `rewriting.toml` name. The findings of the checks in a variant are
//! not errors.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::quoted,
    text::{BilingualText, Locale},
};

use super::{project::ProjectError, reviewing::ReviewError};
use crate::project::EpisodeId;

/// The error catalogue of passages.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("rewriting.toml")));

/// The number of characters of a quotation that an error shows.
const SHOWN: usize = 60;

/// An error of rewriting a passage of a manuscript.
#[derive(Debug, thiserror::Error, UserError)]
#[error("{}", self.english())]
#[catalog(BOOK)]
pub enum RewriteError {
    /// A call has variants and a chosen text.
    #[entry("PASSAGES_AND_REPLACEMENT")]
    AnswerAndChoice,
    /// The quotation has no visible character.
    #[entry("QUOTE_EMPTY")]
    NoQuote,
    #[entry("QUOTE_NOT_FOUND")]
    NotFound {
        episode: EpisodeId,
        #[fact(with = shortened)]
        quote: String,
        #[quoted]
        path: String,
    },
    #[entry("QUOTE_AMBIGUOUS")]
    Ambiguous {
        #[fact(with = shortened)]
        quote: String,
        #[quoted]
        path: String,
        count: usize,
        #[fact(with = line_numbers)]
        lines: Vec<usize>,
    },
    /// The quotation begins or ends within ruby, a note or emphasis.
    #[entry("QUOTE_CUTS_MARKUP")]
    CutsMarkup {
        #[fact(with = shortened)]
        quote: String,
        #[fact(with = shortened)]
        markup: String,
    },
    /// All variants were rejected.
    #[entry("PASSAGES_NOT_TAKEN")]
    #[fact(count = misses.len())]
    NoneTaken {
        #[fact(with = joined_sentences)]
        misses: Vec<BilingualText>,
    },
    /// The chosen text cannot stand in place of the passage.
    #[entry("REPLACEMENT_NOT_TAKEN")]
    NotTaken { reason: BilingualText },
    #[entry("PASSAGE_CHANGED")]
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
    Review(#[from] ReviewError),
    #[error(transparent)]
    Write(WriteError),
}

impl From<WriteError> for RewriteError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Changed { path } => Self::Changed { path },
            error => Self::Write(error),
        }
    }
}

/// Returns the beginning of a text in one line, in quotation marks.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let more = if line.chars().count() > SHOWN { "…" } else { "" };
    quoted(&format!("{}{more}", line.chars().take(SHOWN).collect::<String>()))
}

fn line_numbers(lines: &[usize]) -> String {
    lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

fn joined_sentences(misses: &[BilingualText]) -> BilingualText {
    let joined = |locale| misses.iter().map(|miss| miss.get(locale)).collect::<Vec<_>>().join(" ");
    BilingualText::new(joined(Locale::En), joined(Locale::Ja))
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, RewriteError};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[RewriteError::shapes()]), [""; 0]);
    }
}
