//! Errors of references and artifacts: unknown or ambiguous hashes, damaged copies, missing sections.
//!
//! Each variant carries the facts that its sentences in `artifact.toml` name. A file that changed since it was read is
//! not an error here: that is a normal reply.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::{PathError, quoted},
    text::BilingualText,
};

use super::project::ProjectError;

/// The error catalogue of references and artifacts.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("artifact.toml")));

/// The largest number of names listed in an error.
const NAMED: usize = 20;

/// An error of resolving a reference to a text.
#[derive(Debug, thiserror::Error, UserError)]
#[error("{}", self.english())]
#[catalog(BOOK)]
pub enum ArtifactError {
    #[entry("NOT_A_HASH")]
    NotAHash {
        #[quoted]
        asked: String,
    },
    #[entry("ARTIFACT_NOT_FOUND")]
    #[fact(rest = rest(*is_cut))]
    Unknown {
        #[quoted]
        hash: String,
        #[fact("count")]
        looked_at: usize,
        /// True if some files could not be read.
        #[fact(skip)]
        is_cut: bool,
    },
    #[entry("HASH_AMBIGUOUS")]
    #[fact(files = listed(paths))]
    Several {
        #[quoted]
        hash: String,
        #[fact(skip)]
        paths: Vec<String>,
    },
    /// The contents do not match the hash in the name.
    #[entry("ARTIFACT_DAMAGED")]
    Damaged {
        #[quoted]
        path: String,
    },
    #[entry("NOT_A_TEXT")]
    NotText {
        #[quoted]
        path: String,
        content_type: &'static str,
    },
    #[entry("SECTION_NOT_FOUND")]
    #[fact(headings = listed(known))]
    NoHeading {
        #[quoted]
        section: String,
        #[fact(skip)]
        known: Vec<String>,
        lines: usize,
    },
    #[entry("SECTION_AMBIGUOUS")]
    #[fact(change = other_section(ranges.first().map(|range| line_ranges(&[*range])).as_deref()))]
    SeveralHeadings {
        #[quoted]
        section: String,
        #[fact(with = line_ranges)]
        ranges: Vec<(usize, usize)>,
    },
    /// The lines are beyond the end of the text.
    #[entry("LINES_NOT_FOUND")]
    NoLines { lines: usize },
    #[entry("VALUE_NOT_FOUND")]
    #[fact(change = other_section(known.first().map(String::as_str)))]
    NoValue {
        #[quoted]
        pointer: String,
        #[fact(with = listed)]
        known: Vec<String>,
    },
    /// Only YAML and JSON have values under paths.
    #[entry("NOT_DATA")]
    NoData,
    #[entry("INVALID_FILE_PATTERN")]
    Pattern {
        #[quoted]
        pattern: String,
        reason: String,
    },
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

fn line_ranges(ranges: &[(usize, usize)]) -> String {
    let ranges: Vec<String> = ranges.iter().map(|(from, to)| format!("{from}-{to}")).collect();
    ranges.join(", ")
}

/// Returns the change of the call that fetches another section, or the whole text.
fn other_section(name: Option<&str>) -> String {
    let name = serde_json::to_string(&name).unwrap_or_default();
    format!(r#"{{"section": {name}}}"#)
}

fn rest(is_cut: bool) -> BilingualText {
    if is_cut {
        BilingualText::new(" Not all files could be read.", "読み込めなかったファイルもあります。")
    } else {
        BilingualText::same("")
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{ArtifactError, BOOK};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[ArtifactError::shapes()]), [""; 0]);
    }
}
