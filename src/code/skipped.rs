//! The files and folders that a walk or a search skipped, with reasons: partial failures are data, not an error.
//!
//! The list is bounded, the count is not. Files left out by ignore rules or filters do not appear.

use std::{io, path::Path};

use fumi_base::{
    project::{PathError, slashed},
    system::is_system_failure,
    text::BilingualText,
};

use crate::errors::search::SearchError;

/// The maximum number of skipped paths kept; a reader needs examples and the count.
const KEPT: usize = 100;

/// The reason for skipping a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// A link that leads out of the project.
    OutsideProject,
    /// A link that leads to one of its own parent folders.
    LinkLoop,
    /// A file or folder that the system does not open or read.
    Unreadable,
    /// A folder with an ignore file that is not a regular file, or too large: its rules are unknown.
    UnusableRules,
    /// A file above the size limit of the search.
    TooLarge,
    /// A file whose parser exceeds its limit of time or memory.
    Unparsable,
    /// A file in which PCRE2 exceeds its backtracking limit.
    MatchLimit,
    /// A file with a line, or in a multi-line search a text, for which the counted repetitions of the query would take
    /// many seconds without interruption.
    LongText,
    /// A system failure: it is not skipped, the whole search fails with it.
    System,
    /// A binary file with matches, whose lines are not text. The caller named it, so it counts.
    BinaryMatches,
}

impl SkipReason {
    /// Returns the reason in words.
    pub fn in_words(self) -> BilingualText {
        let (en, ja) = match self {
            Self::OutsideProject => ("leads out of the project", "プロジェクトの外へのリンク"),
            Self::LinkLoop => ("link loop", "循環するリンク"),
            Self::Unreadable => ("unreadable", "読み取り不可"),
            Self::UnusableRules => ("unusable ignore file", "使えない ignore ファイル"),
            Self::TooLarge => ("too large", "サイズ超過"),
            Self::Unparsable => ("parser limit", "構文解析の上限"),
            Self::MatchLimit => ("backtracking limit", "バックトラックの上限"),
            Self::LongText => ("too long for the repetitions of the query", "クエリの繰り返しに対して長すぎる行"),
            Self::System => ("system failure", "システムの障害"),
            Self::BinaryMatches => ("binary, not all its matches are shown", "バイナリー、一部の一致は非表示"),
        };
        BilingualText::new(en, ja)
    }

    /// Returns advice for the caller, if another call would help.
    pub fn advice(self) -> Option<BilingualText> {
        match self {
            Self::MatchLimit => Some(BilingualText::new(
                "Backtracking limit: the query backtracks too far in these files, which were not counted. Make repetitions shorter or possessive (.{0,20}+), or omit pcre2: the default engine never backtracks",
                "バックトラックの上限: クエリのバックトラックが多すぎるため、該当ファイルの検索を打ち切りました（件数に含みません）。繰り返しを短くするか所有的（.{0,20}+）にしてください。後読みなどが不要なら、pcre2 を外すとバックトラックしないエンジンで検索できます",
            )),
            Self::LongText => Some(BilingualText::new(
                "Too long for the repetitions of the query: these files have a line (with multiline, a text) of many megabytes, for which repetitions such as .{0,500} would take many seconds, and were not counted. Make the repetitions shorter, use .* instead, or leave the files out with exclude_globs",
                "クエリの繰り返しに対して長すぎる行: 数十 MB に及ぶ行（multiline ではテキスト全体）があり、.{0,500} のような繰り返しの照合に時間がかかりすぎるため、該当ファイルの検索を打ち切りました（件数に含みません）。繰り返しを短くするか .* に替えるか、exclude_globs で除いてください",
            )),
            Self::UnusableRules => Some(BilingualText::new(
                "Unusable ignore file: these folders were left out, because an ignore file (.gitignore, .ignore, .rgignore, .fdignore, or .git/info/exclude) is not a regular file of at most 128 KiB, those of a folder and its parents have more than 256 KiB, or all of them more than 4 MiB. Replace it, or pass no_ignore to search without ignore rules",
                "使えない ignore ファイル: .gitignore・.ignore・.rgignore・.fdignore・.git/info/exclude のいずれかが 128 KiB 以下の通常ファイルでない、親フォルダーの分と合わせて 256 KiB を超える、または全体で 4 MiB を超えるため、該当フォルダーは調べていません。ファイルを直すか、no_ignore を指定して ignore ルールなしで検索してください",
            )),
            Self::Unparsable => Some(BilingualText::new(
                "Parser limit: these files need more memory or CPU time than a parser may use, and were not queried. search_content searches them without parsing",
                "構文解析の上限: 構文解析に必要なメモリーか CPU 時間が上限を超えるため、該当ファイルは調べていません。search_content なら構文解析なしで検索できます",
            )),
            _ => None,
        }
    }

    /// Returns the reason for a file that could not be opened or read.
    pub fn from_path_error(error: &PathError) -> Self {
        match error {
            PathError::OutsideProject { .. } => Self::OutsideProject,
            PathError::FileTooLarge { .. } => Self::TooLarge,
            error if error.is_system_failure() => Self::System,
            _ => Self::Unreadable,
        }
    }

    /// Returns the reason for an error of the system.
    pub(crate) fn from_io_error(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::FileTooLarge => Self::TooLarge,
            _ if is_system_failure(error) => Self::System,
            _ => Self::Unreadable,
        }
    }
}

/// A skipped path with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedPath {
    /// The path relative to the project, with `/`.
    pub path: String,
    pub reason: SkipReason,
}

/// All skipped files and folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedList {
    /// The first by path, at most 100.
    pub examples: Vec<SkippedPath>,
    /// The number of all skipped paths.
    pub total: u64,
    /// The path of the first system failure.
    failed_at: Option<String>,
}

impl SkippedList {
    pub(crate) fn add(&mut self, path: String, reason: SkipReason) {
        if reason == SkipReason::System {
            self.failed_at.get_or_insert(path);
            return;
        }
        self.total += 1;
        if self.examples.len() < KEPT * 4 {
            self.examples.push(SkippedPath { path, reason });
        }
    }

    /// Sorts and cuts the finished list. Fails if a system failure occurred.
    pub(crate) fn finish(&mut self) -> Result<(), SearchError> {
        if let Some(path) = self.failed_at.take() {
            return Err(SearchError::System { path });
        }
        self.examples.sort_by(|a, b| a.path.cmp(&b.path));
        self.examples.dedup();
        if self.total <= KEPT as u64 {
            // Overlapping roots report the same path twice.
            self.total = self.examples.len() as u64;
        }
        self.examples.truncate(KEPT);
        Ok(())
    }
}

/// Returns a path below the root as replies show it. For a path outside (never expected), only its name.
pub(crate) fn display_path(root: &Path, path: &Path) -> String {
    match path.strip_prefix(root) {
        Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
        Ok(inside) => slashed(inside),
        Err(_) => path.file_name().map(|name| slashed(Path::new(name))).unwrap_or_default(),
    }
}
