//! The rows that a search is asked for, and the matches that it returns.

use std::time::Duration;

use fumi_base::project::ProjectPath;

use crate::{hit_context::HitContext, index::IndexUse, skipped::SkippedList};

/// The rows that a search returns besides exact counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowDemand {
    /// No rows: the cheapest search.
    Counts,
    /// The first rows by path, then line.
    Rows {
        /// The maximum number of rows.
        keep: usize,
    },
    /// The first rows of the files with the most matches.
    Top {
        /// The maximum number of files.
        files: usize,
        /// The maximum number of rows of each file.
        rows: usize,
    },
}

/// A matching line, or a block of lines if a match spans several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMatch {
    /// The line number of its first line, from 1.
    pub line: u64,
    /// The text without its line break; the part around the first match if the line is long (400 characters, 4,000 for
    /// several lines).
    pub text: String,
    /// Start and end of each match in characters of `text`, end exclusive.
    pub spans: Vec<[usize; 2]>,
    /// True if `text` is only a part of the line.
    pub line_truncated: bool,
    /// The number of characters of the line before `text`.
    pub start_column: usize,
    /// True if characters after `text` are missing.
    pub is_cut_after: bool,
    /// The lines before it that no earlier row contains.
    pub context_before: Vec<String>,
    /// The context lines after it.
    pub context_after: Vec<String>,
    /// The role and the element of its first match, if they were asked for and the file could be parsed.
    pub context: Option<HitContext>,
}

impl LineMatch {
    pub(super) fn bytes(&self) -> usize {
        let context = self.context_before.iter().chain(&self.context_after);
        size_of::<Self>()
            + self.text.len()
            + self.spans.len() * size_of::<[usize; 2]>()
            + context.map(|line| line.len() + size_of::<String>()).sum::<usize>()
    }
}

#[derive(Clone, Debug)]
pub struct FileMatches {
    pub path: ProjectPath,
    /// The kept rows, by line number.
    pub lines: Vec<LineMatch>,
    /// The number of matches, as counted by `rg --count-matches`.
    pub match_count: u64,
    /// The number of matching lines, as counted by `rg --count`.
    pub line_count: u64,
    /// The encoding that the file was decoded from, if not UTF-8.
    pub encoding: Option<String>,
}

/// The result of a text search.
#[derive(Clone, Debug, Default)]
pub struct SearchMatches {
    /// The files with matches, by path.
    pub files: Vec<FileMatches>,
    /// The number of matches in all files.
    pub total_matches: u64,
    /// The number of matching lines in all files.
    pub total_lines: u64,
    pub searched_files: u64,
    /// True if no row was dropped (never for [`RowDemand::Counts`] unless nothing matched).
    pub complete: bool,
    /// The files and folders that were skipped.
    pub skipped: SkippedList,
    /// The extent to which the index was used.
    pub index_use: IndexUse,
    /// True if folders were walked, because the index could not list their files.
    pub has_walked: bool,
    /// The number of files among the searched ones that the index excluded.
    pub unopened_files: u64,
    /// The duration of the search.
    pub elapsed: Duration,
    /// True if the caller named one file, and nothing else, to be searched.
    pub is_named_file: bool,
}

impl SearchMatches {
    /// Returns the number of files with matches.
    pub fn total_files(&self) -> usize {
        self.files.len()
    }

    /// Returns the number of kept rows.
    pub fn rows(&self) -> usize {
        self.files.iter().map(|file| file.lines.len()).sum()
    }
}
