//! The errors of resolving and reading a path, and the words in which they name a client's string.

use std::io;

use crate::{
    errors::{ErrorCatalog, UserError},
    system::is_system_failure,
    text::BilingualText,
};

/// The errors of resolving and reading a path.
#[derive(Debug, UserError)]
pub enum PathError {
    /// The path itself is an attack.
    PathTraversal { path: String, reason: BilingualText },
    /// The path leads outside the project.
    OutsideProject { path: String },
    /// `nearest` are similar names that exist.
    #[fact(nearest = nearest_names(nearest))]
    #[fact(glob = glob_hint(path))]
    #[fact(name = word_of(path))]
    FileNotFound { path: String, nearest: Vec<String> },
    /// The folder of the project was removed or unmounted.
    ProjectMissing { path: String },
    /// Several files have names that differ only in their Unicode form.
    AmbiguousPath { path: String },
    /// See [`PathError::is_folder`] and [`PathError::is_special`]. `folder` is the one to list.
    #[fact(plain(folder))]
    NotAFile { path: String, folder: String, kind: BilingualText },
    /// A folder is needed.
    NotAFolder { path: String },
    /// The file is larger than may be read.
    FileTooLarge { path: String, size: u64, limit: u64 },
    /// The system reported an error. `action` is "read", and in Japanese "読み込むことが", which "できません" follows.
    Unreadable { path: String, action: BilingualText, source: io::Error },
}

/// The error catalogue of this crate.
pub static BOOK: std::sync::LazyLock<ErrorCatalog> =
    std::sync::LazyLock::new(|| ErrorCatalog::embedded(include_str!("../errors.toml")));

impl PathError {
    /// Creates the error of a folder where a file is needed.
    pub fn is_folder(path: impl Into<String>) -> Self {
        let path = path.into();
        let folder = if path.is_empty() { "." } else { &path };
        Self::NotAFile { folder: folder.to_owned(), path, kind: BilingualText::new("a folder", "フォルダー") }
    }

    /// Creates the error of a device, pipe or socket where a file is needed.
    pub fn is_special(path: impl Into<String>) -> Self {
        let path = path.into();
        let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let folder = if folder.is_empty() { "." } else { folder };
        Self::NotAFile {
            folder: folder.to_owned(),
            path,
            kind: BilingualText::new("a device, pipe or socket", "デバイス、パイプ、ソケットなど"),
        }
    }

    /// True if the system failed and the state of the file is unknown ([`crate::system`]).
    pub fn is_system_failure(&self) -> bool {
        match self {
            Self::Unreadable { source, .. } => is_system_failure(source),
            Self::ProjectMissing { .. } => true,
            _ => false,
        }
    }
}

/// Returns a sentence with similar names; empty without any.
fn nearest_names(names: &[String]) -> BilingualText {
    match names.join(", ") {
        names if names.is_empty() => BilingualText::same(""),
        names => BilingualText::new(format!(" Nearest: {names}."), format!("近い名前: {names}。")),
    }
}

/// Returns the advice for a path that looks like a glob; empty for others.
fn glob_hint(path: &str) -> BilingualText {
    if !path.contains(['*', '?', '{']) {
        return BilingualText::same("");
    }
    BilingualText::new(
        " It looks like a glob: name a folder in roots and give the glob in include_globs, or in pattern with \"glob\": true (list_files).",
        "glob を指定する場合は、roots にフォルダーを、include_globs（list_files では pattern と \"glob\": true）に glob を渡してください。",
    )
}

/// Returns the search word for a missing file: the longest run of letters and digits in its name.
fn word_of(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let words = |text: &str| {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.max_by_key(|word| word.chars().count()).unwrap_or_default().to_owned()
    };
    match words(stem) {
        word if word.is_empty() => words(name),
        word => word,
    }
}

/// Returns the reason of a failed read: the system's own message for a system failure, else the name of the error's
/// kind.
pub(crate) fn reason_of(error: &io::Error) -> String {
    if is_system_failure(error) { error.to_string() } else { error.kind().to_string() }
}

/// Formats a client's string for an error: in quotes, cut at 200 characters, control characters as escapes such as
/// `\n`.
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
