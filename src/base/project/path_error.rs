//! The errors of resolving and reading a path, and the words in which they name a client's string.

use std::io;

use crate::{
    errors::{ErrorCatalog, UserError},
    system::is_system_failure,
    text::BilingualText,
};

/// The errors of resolving and reading a path.
#[derive(Debug, thiserror::Error, UserError)]
#[error("{}", self.english())]
#[catalog(BOOK)]
pub enum PathError {
    #[entry("PATH_TRAVERSAL")]
    Traversal {
        #[quoted]
        path: String,
        reason: BilingualText,
    },
    #[entry("OUTSIDE_PROJECT")]
    Outside {
        #[quoted]
        path: String,
    },
    #[entry("FILE_NOT_FOUND")]
    #[fact(glob = glob_hint(path))]
    #[fact(name = word_of(path))]
    NotFound {
        #[quoted]
        path: String,
        /// Similar names that exist.
        #[fact(with = nearest_names)]
        nearest: Vec<String>,
    },
    /// The folder of the project was removed or unmounted.
    #[entry("PROJECT_MISSING")]
    RootMissing {
        #[quoted]
        path: String,
    },
    #[entry("AMBIGUOUS_PATH")]
    Ambiguous {
        #[quoted]
        path: String,
    },
    /// See [`PathError::is_folder`] and [`PathError::is_special`].
    #[entry("NOT_A_FILE")]
    NotAFile {
        #[quoted]
        path: String,
        /// The folder to list.
        folder: String,
        kind: BilingualText,
    },
    #[entry("NOT_A_FOLDER")]
    NotAFolder {
        #[quoted]
        path: String,
    },
    #[entry("FILE_TOO_LARGE")]
    TooLarge {
        #[quoted]
        path: String,
        size: u64,
        limit: u64,
    },
    #[entry("UNREADABLE")]
    Unreadable {
        #[quoted]
        path: String,
        /// The operation that failed: "read", and in Japanese "読み込むことが", which "できません" follows.
        action: BilingualText,
        #[fact("reason")]
        source: io::Error,
    },
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
            Self::RootMissing { .. } => true,
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
