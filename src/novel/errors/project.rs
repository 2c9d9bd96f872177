//! Errors of a novel project: missing episodes, plots or manuscripts, and YAML that cannot be read.
//!
//! Each variant carries the facts that its sentences in `project.toml` name. An unfinished project is not an error: a
//! survey reports what is missing.

use std::sync::LazyLock;

use fumi_base::{
    errors::{ErrorCatalog, UserError},
    project::{PathError, quoted},
};

use crate::project::EpisodeId;

/// The error catalogue of novel projects.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("project.toml")));

/// The largest number of episodes named in an error.
const NAMED: usize = 12;

/// An error of finding or reading a file of a novel project.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("{0} is not an episode number")]
    NotAnEpisode(String),
    #[error("not a novel project")]
    NoNovel { settings: String },
    #[error("episode {episode} does not exist")]
    NoEpisode { episode: EpisodeId, known: Vec<EpisodeId> },
    #[error("episode {episode} has no plot")]
    NoPlot { episode: EpisodeId, known: Vec<EpisodeId> },
    #[error("episode {episode} has no manuscript")]
    NoManuscript { episode: EpisodeId, known: Vec<EpisodeId> },
    #[error("episode {episode} has {} files", files.len())]
    Ambiguous { episode: EpisodeId, files: Vec<String> },
    #[error("{path}:{line}:{column}: {reason}")]
    Yaml {
        path: String,
        /// The line from 1; 0 if the position is unknown.
        line: usize,
        /// The column from 1, in characters.
        column: usize,
        reason: String,
    },
    #[error("{path} states episode {says}, not {episode}")]
    OtherEpisode {
        path: String,
        says: u32,
        episode: EpisodeId,
    },
    #[error(transparent)]
    Path(#[from] PathError),
}

/// Joins episode numbers, limited to [`NAMED`]; `none` replaces an empty list.
fn listed(episodes: &[EpisodeId], none: &str) -> String {
    if episodes.is_empty() {
        return none.to_owned();
    }
    let mut shown: Vec<String> = episodes
        .iter()
        .take(NAMED)
        .map(|episode| episode.number().to_string())
        .collect();
    if episodes.len() > NAMED {
        shown.push(format!("… ({})", episodes.len()));
    }
    shown.join(", ")
}

impl UserError for ProjectError {
    fn entry(&self) -> &'static str {
        match self {
            Self::NotAnEpisode(_) => "NOT_AN_EPISODE",
            Self::NoNovel { .. } => "NOVEL_NOT_FOUND",
            Self::NoEpisode { .. } => "EPISODE_NOT_FOUND",
            Self::NoPlot { .. } => "PLOT_NOT_FOUND",
            Self::NoManuscript { .. } => "MANUSCRIPT_NOT_FOUND",
            Self::Ambiguous { .. } => "AMBIGUOUS_EPISODE",
            Self::Yaml { .. } => "BROKEN_YAML",
            Self::OtherEpisode { .. } => "PLOT_OF_ANOTHER_EPISODE",
            Self::Path(error) => error.entry(),
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        match self {
            Self::Path(error) => error.catalog(),
            _ => &BOOK,
        }
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::NotAnEpisode(asked) => vec![("asked", quoted(asked))],
            Self::NoNovel { settings } => vec![("settings", settings.clone())],
            Self::NoEpisode { episode, known }
            | Self::NoPlot { episode, known }
            | Self::NoManuscript { episode, known } => vec![
                ("episode", episode.number().to_string()),
                ("known", listed(known, "none")),
                ("known_ja", listed(known, "なし")),
            ],
            Self::Ambiguous { episode, files } => vec![
                ("episode", episode.number().to_string()),
                (
                    "files",
                    files.iter().map(|file| quoted(file)).collect::<Vec<_>>().join(", "),
                ),
            ],
            Self::Yaml {
                path,
                line,
                column,
                reason,
            } => {
                let (place, place_ja) = if *line == 0 {
                    (String::new(), String::new())
                } else {
                    (
                        format!(" at line {line}, column {column}"),
                        format!("{line} 行 {column} 桁、"),
                    )
                };
                vec![
                    ("path", quoted(path)),
                    ("place", place),
                    ("place_ja", place_ja),
                    ("line", line.to_string()),
                    ("column", column.to_string()),
                    ("reason", reason.clone()),
                    ("reason_ja", crate::project::translate_reason(reason)),
                ]
            }
            Self::OtherEpisode { path, says, episode } => vec![
                ("path", quoted(path)),
                ("says", says.to_string()),
                ("episode", episode.number().to_string()),
            ],
            Self::Path(error) => error.params(),
        }
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::{errors::UserError, project::PathError};

    use super::{BOOK, ProjectError};
    use crate::project::EpisodeId;

    #[test]
    fn every_error_has_both_texts_and_every_entry_is_used() {
        let episode = EpisodeId::new(7).expect("a number");
        let known = || (1..=20).filter_map(EpisodeId::new).collect::<Vec<_>>();
        let all = [
            ProjectError::NotAnEpisode("x".to_owned()),
            ProjectError::NoNovel {
                settings: "s.yaml".to_owned(),
            },
            ProjectError::NoEpisode {
                episode,
                known: known(),
            },
            ProjectError::NoPlot {
                episode,
                known: Vec::new(),
            },
            ProjectError::NoManuscript {
                episode,
                known: known(),
            },
            ProjectError::Ambiguous {
                episode,
                files: vec!["a".to_owned(), "b".to_owned()],
            },
            ProjectError::OtherEpisode {
                path: "p".to_owned(),
                says: 2,
                episode,
            },
            ProjectError::Yaml {
                path: "p.yaml".to_owned(),
                line: 3,
                column: 5,
                reason: "why".to_owned(),
            },
        ];
        let mut entries: Vec<&str> = BOOK.entries().map(|(name, _)| name).collect();
        for error in &all {
            let lesson = error.error_message();
            for text in [&lesson.message, &lesson.next] {
                assert!(!text.en.contains('{') && !text.ja.contains('{'), "{text:?}");
                assert!(text.en != text.ja && text.ja.ends_with('。'), "{text:?}");
            }
            entries.retain(|entry| *entry != error.entry());
        }
        assert!(entries.is_empty(), "{entries:?} are never raised");
        let said = all[2].error_message().message;
        assert!(said.en.ends_with("11, 12, … (20)."), "{}", said.en);
        assert!(all[7].error_message().message.ja.contains("3 行 5 桁"));
        let missing = ProjectError::Path(PathError::NotFound {
            path: "x".to_owned(),
            nearest: Vec::new(),
        });
        assert_eq!(missing.error_message().code, "FILE_NOT_FOUND");
    }
}
