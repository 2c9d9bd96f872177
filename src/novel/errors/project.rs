//! Errors of a novel project: missing episodes, plots or manuscripts, and YAML that cannot be read.
//!
//! Each variant carries the facts that its sentences in `project.toml` name. An unfinished project is not an error: a
//! survey reports what is missing.

use std::sync::LazyLock;

use fumi_base::{
    errors::{ErrorCatalog, Fact, UserError},
    project::PathError,
    text::BilingualText,
};

use crate::project::EpisodeId;

/// The error catalogue of novel projects.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("project.toml")));

/// The largest number of episodes named in an error.
const NAMED: usize = 12;

/// An error of finding or reading a file of a novel project.
#[derive(Debug, thiserror::Error, UserError)]
#[error("{}", self.english())]
#[catalog(BOOK)]
pub enum ProjectError {
    #[entry("NOT_AN_EPISODE")]
    NotAnEpisode {
        #[quoted]
        asked: String,
    },
    #[entry("NOVEL_NOT_FOUND")]
    NoNovel { settings: String },
    #[entry("EPISODE_NOT_FOUND")]
    NoEpisode {
        episode: EpisodeId,
        #[fact(with = listed)]
        known: Vec<EpisodeId>,
    },
    #[entry("PLOT_NOT_FOUND")]
    NoPlot {
        episode: EpisodeId,
        #[fact(with = listed)]
        known: Vec<EpisodeId>,
    },
    #[entry("MANUSCRIPT_NOT_FOUND")]
    NoManuscript {
        episode: EpisodeId,
        #[fact(with = listed)]
        known: Vec<EpisodeId>,
    },
    #[entry("AMBIGUOUS_EPISODE")]
    Ambiguous {
        episode: EpisodeId,
        #[quoted]
        files: Vec<String>,
    },
    #[entry("BROKEN_YAML")]
    #[fact(place = place(*line, *column))]
    Yaml {
        #[quoted]
        path: String,
        /// The line from 1; 0 if the position is unknown.
        line: usize,
        /// The column from 1, in characters.
        column: usize,
        #[fact(with = bilingual_reason)]
        reason: String,
    },
    /// The file of a recorded state contains the state of another episode.
    #[entry("STATE_OF_ANOTHER_EPISODE")]
    OtherState {
        #[quoted]
        path: String,
        says: u32,
        number: u32,
    },
    #[entry("PLOT_OF_ANOTHER_EPISODE")]
    OtherEpisode {
        #[quoted]
        path: String,
        says: u32,
        episode: EpisodeId,
    },
    #[error(transparent)]
    Path(#[from] PathError),
}

impl Fact for EpisodeId {
    fn fact(&self) -> Option<BilingualText> {
        self.number().fact()
    }
}

/// Joins episode numbers, limited to [`NAMED`].
fn listed(episodes: &[EpisodeId]) -> BilingualText {
    if episodes.is_empty() {
        return BilingualText::new("none", "なし");
    }
    let shown = episodes.iter().take(NAMED).map(|episode| episode.number().to_string());
    let more = (episodes.len() > NAMED).then(|| format!("… ({})", episodes.len()));
    BilingualText::same(shown.chain(more).collect::<Vec<_>>().join(", "))
}

fn place(line: usize, column: usize) -> BilingualText {
    match line {
        0 => BilingualText::same(""),
        line => {
            BilingualText::new(format!(" at line {line}, column {column}"), format!("{line} 行目の {column} 文字目、"))
        }
    }
}

/// Returns a reason of the YAML parser in both languages.
pub(super) fn bilingual_reason(reason: &str) -> BilingualText {
    BilingualText::new(reason.to_owned(), crate::project::translate_reason(reason))
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, ProjectError};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[ProjectError::shapes()]), [""; 0]);
    }
}
