//! The errors of this crate. Each names the place and the next step, in one line.

use std::{
    io,
    path::{Path, PathBuf},
};

/// The errors of finding a client and of changing its file.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("unknown client `{id}`; the known clients are {known}")]
    UnknownClient { id: String, known: String },
    #[error("{}, {source}", path.display())]
    Text { path: PathBuf, source: TextError },
    #[error("{} is not a regular file; move it away and try again", path.display())]
    NotAFile { path: PathBuf },
    #[error("{} has more than {limit} bytes; add the entry by hand (--print shows it)", path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("{}, line {line}: not valid UTF-8; save the file as UTF-8 and try again", path.display())]
    NotUtf8 { path: PathBuf, line: usize },
    #[error("{} was changed by another program meanwhile and was not written; try again", path.display())]
    ChangedMeanwhile { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl ConnectError {
    /// Returns the path of the file, if the error is about one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::UnknownClient { .. } => None,
            Self::Text { path, .. }
            | Self::NotAFile { path }
            | Self::TooLarge { path, .. }
            | Self::NotUtf8 { path, .. }
            | Self::ChangedMeanwhile { path }
            | Self::Io { path, .. } => Some(path),
        }
    }
}

/// The errors of editing a text. Lines and columns count from 1; columns count characters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TextError {
    #[error("line {line}, column {column}: not valid {format}: {reason}; correct it and try again")]
    Syntax { format: &'static str, line: usize, column: usize, reason: String },
    #[error("line {line}, column {column}: {what} must be {expected}; correct it and try again")]
    WrongType { what: String, expected: &'static str, line: usize, column: usize },
    #[error("line {line}, column {column}: the key `{key}` is repeated; keep one of them and try again")]
    DuplicateKey { key: String, line: usize, column: usize },
}
