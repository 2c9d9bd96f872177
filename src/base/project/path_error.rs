//! The errors of resolving and reading a path, and the words in which they name a client's string.

use std::io;

use crate::{
    errors::{ErrorCatalog, UserError},
    system::is_system_failure,
};

/// The errors of resolving and reading a path.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    #[error("path refused: {reason}")]
    Traversal {
        path: String,
        reason: &'static str,
        reason_ja: &'static str,
    },
    #[error("outside the project: {path}")]
    Outside { path: String },
    #[error("no such path: {path}")]
    NotFound { path: String, nearest: Vec<String> },
    #[error("ambiguous normalisation: {path}")]
    Ambiguous { path: String },
    #[error("not a regular file: {path}")]
    NotAFile {
        path: String,
        kind: &'static str,
        kind_ja: &'static str,
    },
    #[error("not a folder: {path}")]
    NotAFolder { path: String },
    #[error("{path} has {size} bytes, over {limit}")]
    TooLarge { path: String, size: u64, limit: u64 },
    #[error("{path}: {source}")]
    Unreadable {
        path: String,
        action: &'static str,
        action_ja: &'static str,
        source: io::Error,
    },
}

/// The error catalogue of this crate.
pub static BOOK: std::sync::LazyLock<ErrorCatalog> =
    std::sync::LazyLock::new(|| ErrorCatalog::embedded(include_str!("../errors.toml")));

impl UserError for PathError {
    fn entry(&self) -> &'static str {
        match self {
            Self::Traversal { .. } => "PATH_TRAVERSAL",
            Self::Outside { .. } => "OUTSIDE_PROJECT",
            Self::NotFound { .. } => "FILE_NOT_FOUND",
            Self::Ambiguous { .. } => "AMBIGUOUS_PATH",
            Self::NotAFile { .. } => "NOT_A_FILE",
            Self::NotAFolder { .. } => "NOT_A_FOLDER",
            Self::TooLarge { .. } => "FILE_TOO_LARGE",
            Self::Unreadable { source, .. } if is_system_failure(source) => "SYSTEM_FAILURE",
            Self::Unreadable { .. } => "UNREADABLE",
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        &BOOK
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Traversal {
                path,
                reason,
                reason_ja,
            } => vec![
                ("path", quoted(path)),
                ("reason", (*reason).to_owned()),
                ("reason_ja", (*reason_ja).to_owned()),
            ],
            Self::Outside { path } | Self::Ambiguous { path } | Self::NotAFolder { path } => {
                vec![("path", quoted(path))]
            }
            Self::NotFound { path, nearest } => {
                let names = nearest.join(", ");
                let (en, ja) = if names.is_empty() {
                    (String::new(), String::new())
                } else {
                    (format!(" Nearest: {names}."), format!("近い名前: {names}。"))
                };
                let (glob, glob_ja) = if path.contains(['*', '?', '{']) {
                    (
                        " It looks like a glob: name a folder in roots and give the glob in include_globs, or in pattern with \"glob\": true (list_files).",
                        "glob を指定する場合は、roots にフォルダーを、include_globs（list_files では pattern と \"glob\": true）に glob を渡してください。",
                    )
                } else {
                    ("", "")
                };
                vec![
                    ("path", quoted(path)),
                    ("nearest", en),
                    ("nearest_ja", ja),
                    ("glob", glob.to_owned()),
                    ("glob_ja", glob_ja.to_owned()),
                    ("name", word_of(path)),
                ]
            }
            Self::NotAFile { path, kind, kind_ja } => vec![
                ("path", quoted(path)),
                ("folder", folder_of(path, kind)),
                ("kind", (*kind).to_owned()),
                ("kind_ja", (*kind_ja).to_owned()),
            ],
            Self::TooLarge { path, size, limit } => vec![
                ("path", quoted(path)),
                ("size", size.to_string()),
                ("limit", limit.to_string()),
            ],
            Self::Unreadable {
                path,
                action,
                action_ja,
                source,
            } => vec![
                ("path", quoted(path)),
                ("action", (*action).to_owned()),
                ("action_ja", (*action_ja).to_owned()),
                ("reason", reason_of(source)),
                ("reason_ja", reason_of(source)),
            ],
        }
    }
}

impl PathError {
    /// True if the system failed and the state of the file is unknown ([`crate::system`]).
    #[must_use]
    pub fn is_system_failure(&self) -> bool {
        matches!(self, Self::Unreadable { source, .. } if is_system_failure(source))
    }
}

/// Returns the search word for a missing file: the longest run of letters and digits in its name.
fn word_of(path: &str) -> String {
    let name = path
        .rsplit(['/', '\\'])
        .find(|part| !part.is_empty())
        .unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let words = |text: &str| {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words
            .max_by_key(|word| word.chars().count())
            .unwrap_or_default()
            .to_owned()
    };
    match words(stem) {
        word if word.is_empty() => words(name),
        word => word,
    }
}

/// Returns the path itself for a folder, or the parent folder for anything else.
fn folder_of(path: &str, kind: &str) -> String {
    let folder = if kind == "a folder" {
        path
    } else {
        path.rsplit_once('/').map_or(".", |(folder, _)| folder)
    };
    if folder.is_empty() {
        ".".to_owned()
    } else {
        folder.to_owned()
    }
}

/// Returns the reason of a failed read: the system's own message for a system failure, else the name of the error's
/// kind.
pub(crate) fn reason_of(error: &io::Error) -> String {
    if is_system_failure(error) {
        error.to_string()
    } else {
        error.kind().to_string()
    }
}

/// Formats a client's string for an error: in quotes, cut at 200 characters, control characters as escapes such as
/// `\n`.
#[must_use]
pub fn quoted(raw: &str) -> String {
    let mut shown = String::new();
    for c in raw.chars().take(200) {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    if raw.chars().nth(200).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}
