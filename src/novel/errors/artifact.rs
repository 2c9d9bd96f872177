//! Errors of references and artifacts: unknown or ambiguous hashes, damaged copies, missing sections.
//!
//! Each variant carries the facts that its sentences in `artifact.toml` name. A file that changed since it was read is
//! not an error here: that is a normal reply.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::{PathError, quoted},
};

use super::project::ProjectError;

/// The error catalogue of references and artifacts.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("artifact.toml")));

/// The largest number of names listed in an error.
const NAMED: usize = 20;

/// An error of resolving a reference to a text.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    #[error("invalid hash {0}")]
    NotAHash(String),
    #[error("no content has the hash {hash}")]
    Unknown {
        hash: String,
        looked_at: usize,
        /// True if some files could not be read.
        is_cut: bool,
    },
    #[error("ambiguous hash {hash}")]
    Several { hash: String, paths: Vec<String> },
    #[error("{path} does not match the hash in its name")]
    Damaged { path: String },
    #[error("{path} is not text")]
    NotText { path: String, content_type: &'static str },
    #[error("unknown heading {section}")]
    NoHeading {
        section: String,
        known: Vec<String>,
        lines: usize,
    },
    #[error("ambiguous heading {section}")]
    SeveralHeadings {
        section: String,
        ranges: Vec<(usize, usize)>,
    },
    #[error("lines out of range: the text has {lines} lines")]
    NoLines { lines: usize },
    #[error("no value at {pointer}")]
    NoValue { pointer: String, known: Vec<String> },
    #[error("paths select values only in YAML and JSON")]
    NoData,
    #[error("invalid glob {pattern}: {reason}")]
    Pattern { pattern: String, reason: String },
    #[error(transparent)]
    Project(#[from] ProjectError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Joins quoted names, limited to [`NAMED`].
fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "-".to_owned();
    }
    let mut shown: Vec<String> = names.iter().take(NAMED).map(|name| quoted(name)).collect();
    if names.len() > NAMED {
        shown.push(format!("… ({})", names.len()));
    }
    shown.join(", ")
}

impl UserError for ArtifactError {
    fn entry(&self) -> &'static str {
        match self {
            Self::NotAHash(_) => "NOT_A_HASH",
            Self::Unknown { .. } => "ARTIFACT_NOT_FOUND",
            Self::Several { .. } => "HASH_AMBIGUOUS",
            Self::Damaged { .. } => "ARTIFACT_DAMAGED",
            Self::NotText { .. } => "NOT_A_TEXT",
            Self::NoHeading { .. } => "SECTION_NOT_FOUND",
            Self::SeveralHeadings { .. } => "SECTION_AMBIGUOUS",
            Self::NoLines { .. } => "LINES_NOT_FOUND",
            Self::NoValue { .. } => "VALUE_NOT_FOUND",
            Self::NoData => "NOT_DATA",
            Self::Pattern { .. } => "INVALID_FILE_PATTERN",
            Self::Project(error) => error.entry(),
            Self::Path(error) => error.entry(),
            Self::Write(error) => error.entry(),
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        match self {
            Self::Project(error) => error.catalog(),
            Self::Path(error) => error.catalog(),
            Self::Write(error) => error.catalog(),
            _ => &BOOK,
        }
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::NotAHash(asked) => vec![("asked", quoted(asked))],
            Self::Unknown {
                hash,
                looked_at,
                is_cut,
            } => {
                let (en, ja) = if *is_cut {
                    (" Not all files could be read.", "読み込めなかったファイルもあります。")
                } else {
                    ("", "")
                };
                vec![
                    ("hash", quoted(hash)),
                    ("count", looked_at.to_string()),
                    ("rest", en.to_owned()),
                    ("rest_ja", ja.to_owned()),
                ]
            }
            Self::Several { hash, paths } => vec![("hash", quoted(hash)), ("files", listed(paths))],
            Self::Damaged { path } => vec![("path", quoted(path))],
            Self::NotText { path, content_type } => {
                vec![("path", quoted(path)), ("content_type", (*content_type).to_owned())]
            }
            Self::NoHeading { section, known, lines } => vec![
                ("section", quoted(section)),
                ("headings", listed(known)),
                ("lines", lines.to_string()),
            ],
            Self::SeveralHeadings { section, ranges } => {
                let ranges: Vec<String> = ranges.iter().map(|(from, to)| format!("{from}-{to}")).collect();
                vec![("section", quoted(section)), ("ranges", ranges.join(", "))]
            }
            Self::NoLines { lines } => vec![("lines", lines.to_string())],
            Self::NoValue { pointer, known } => vec![("pointer", quoted(pointer)), ("known", listed(known))],
            Self::NoData => Vec::new(),
            Self::Pattern { pattern, reason } => vec![("pattern", quoted(pattern)), ("reason", reason.clone())],
            Self::Project(error) => error.params(),
            Self::Path(error) => error.params(),
            Self::Write(error) => error.params(),
        }
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{ArtifactError, BOOK};

    #[test]
    fn every_error_has_both_texts_and_every_entry_is_used() {
        let text = || "x".to_owned();
        let all = [
            ArtifactError::NotAHash(text()),
            ArtifactError::Unknown {
                hash: text(),
                looked_at: 1,
                is_cut: true,
            },
            ArtifactError::Several {
                hash: text(),
                paths: vec![text(), text()],
            },
            ArtifactError::Damaged { path: text() },
            ArtifactError::NotText {
                path: text(),
                content_type: "application/epub+zip",
            },
            ArtifactError::NoHeading {
                section: text(),
                known: vec![text(); 30],
                lines: 3,
            },
            ArtifactError::SeveralHeadings {
                section: text(),
                ranges: vec![(1, 2), (3, 4)],
            },
            ArtifactError::NoLines { lines: 3 },
            ArtifactError::NoValue {
                pointer: text(),
                known: Vec::new(),
            },
            ArtifactError::NoData,
            ArtifactError::Pattern {
                pattern: text(),
                reason: text(),
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
    }
}
