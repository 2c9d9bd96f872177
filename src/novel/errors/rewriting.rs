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
#[derive(Debug, UserError)]
#[fact(quote = shortened(quote))]
pub enum RewriteError {
    /// A call has variants and a chosen text.
    PassagesAndReplacement,
    /// The quotation has no visible character.
    QuoteEmpty,
    /// The manuscript does not have the quotation.
    QuoteNotFound { episode: EpisodeId, quote: String, path: String },
    #[fact(lines = line_numbers(lines))]
    QuoteAmbiguous { quote: String, path: String, count: usize, lines: Vec<usize> },
    /// The quotation begins or ends within ruby, a note or emphasis.
    #[fact(markup = shortened(markup))]
    QuoteCutsMarkup { quote: String, markup: String },
    /// All variants were rejected.
    #[fact(misses = joined_sentences(misses))]
    #[fact(count = misses.len())]
    PassagesNotTaken { misses: Vec<BilingualText> },
    /// The chosen text cannot stand in place of the passage.
    ReplacementNotTaken { reason: BilingualText },
    /// The manuscript was changed since the passage was read.
    PassageChanged { path: String },
    #[catalog(fumi_base::project::BOOK)]
    Cancelled,
    #[from]
    Project(ProjectError),
    #[from]
    Review(ReviewError),
    /// See `From<WriteError>`.
    Write(WriteError),
}

impl From<WriteError> for RewriteError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::ChangedMeanwhile { path } => Self::PassageChanged { path },
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
