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
#[derive(Debug, UserError)]
pub enum ArtifactError {
    /// The text is not the hash of a content.
    NotAHash { asked: String },
    /// `is_cut` is true if some files could not be read.
    #[fact(skip(is_cut))]
    #[fact(rest = rest(*is_cut))]
    ArtifactNotFound { hash: String, count: usize, is_cut: bool },
    #[fact(skip(paths))]
    #[fact(files = listed(paths))]
    HashAmbiguous { hash: String, paths: Vec<String> },
    /// The contents do not match the hash in the name.
    ArtifactDamaged { path: String },
    /// The file cannot be shown as text.
    NotAText { path: String, content_type: &'static str },
    #[fact(skip(known))]
    #[fact(headings = listed(known))]
    SectionNotFound { section: String, known: Vec<String>, lines: usize },
    #[fact(ranges = line_ranges(ranges))]
    #[fact(change = other_section(ranges.first().map(|range| line_ranges(&[*range])).as_deref()))]
    SectionAmbiguous { section: String, ranges: Vec<(usize, usize)> },
    /// The lines are beyond the end of the text.
    LinesNotFound { lines: usize },
    #[fact(known = listed(known))]
    #[fact(change = other_section(known.first().map(String::as_str)))]
    ValueNotFound { pointer: String, known: Vec<String> },
    /// Only YAML and JSON have values under paths.
    NotData,
    #[fact(plain(reason))]
    InvalidFilePattern { pattern: String, reason: String },
    #[from]
    Project(ProjectError),
    #[from]
    Path(PathError),
    #[from]
    Write(WriteError),
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
