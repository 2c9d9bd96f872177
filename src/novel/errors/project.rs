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
#[derive(Debug, UserError)]
#[fact(known = listed(known))]
pub enum ProjectError {
    /// The text is not the number of an episode.
    NotAnEpisode { asked: String },
    #[fact(plain(settings))]
    NovelNotFound { settings: String },
    /// The episode has neither plot nor manuscript.
    EpisodeNotFound { episode: EpisodeId, known: Vec<EpisodeId> },
    /// The episode has no plot.
    PlotNotFound { episode: EpisodeId, known: Vec<EpisodeId> },
    /// The episode has no manuscript.
    ManuscriptNotFound { episode: EpisodeId, known: Vec<EpisodeId> },
    /// Several files are of one episode.
    AmbiguousEpisode { episode: EpisodeId, files: Vec<String> },
    /// `line` and `column` count from 1, in characters; `line` is 0 if the position is unknown.
    #[fact(reason = bilingual_reason(reason))]
    #[fact(place = place(*line, *column))]
    BrokenYaml { path: String, line: usize, column: usize, reason: String },
    /// The file of a recorded state contains the state of another episode.
    StateOfAnotherEpisode { path: String, says: u32, number: u32 },
    /// The plot says that it is of another episode.
    PlotOfAnotherEpisode { path: String, says: u32, episode: EpisodeId },
    #[from]
    Path(PathError),
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
