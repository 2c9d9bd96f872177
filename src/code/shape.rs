//! The forms in which a search result is shown: structured for programs, compact text for models, from the same
//! matches.
//!
//! Invariant: both forms contain the same rows, and the totals are those of the whole search, never those of the rows
//! shown. The shape is selected once, by an enum. This module does not search, does not cut to a token budget, and does
//! not read a clock (`elapsed_ms` is an argument).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    ranked::RankedOutput,
    roles::HitRole,
    search::{FileMatches, LineMatch, RowDemand, SearchMatches},
    search_reply_text::{sample, totals_in_words},
};

/// The maximum number of files in a summary.
pub const SUMMARY_FILES: usize = 10;

/// The maximum number of lines of each file in a summary.
pub const SUMMARY_LINES: usize = 3;

/// The form of a search's reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplyShape {
    /// Every row, each with its path.
    #[default]
    Normal,
    /// Only the total number of matches.
    TotalOnly,
    /// The number of matches of each file.
    CountOnly,
    /// The files with the most matches, with a few lines of each.
    Summary,
    /// The rows grouped by file.
    Grouped,
    /// Every row, with the common prefix of all paths written once.
    OptimizedPaths,
}

impl ReplyShape {
    /// True if the reply shows the roles of its rows, or counts them.
    pub const fn has_roles(self) -> bool {
        !matches!(self, Self::TotalOnly | Self::CountOnly)
    }

    /// Returns the rows that the search must return for this shape, when at most `keep` rows are shown.
    pub const fn row_demand(self, keep: usize) -> RowDemand {
        match self {
            Self::TotalOnly | Self::CountOnly => RowDemand::Counts,
            Self::Summary => RowDemand::Top { files: SUMMARY_FILES, rows: SUMMARY_LINES },
            Self::Normal | Self::Grouped | Self::OptimizedPaths => RowDemand::Rows { keep },
        }
    }
}

/// The durations of the two stages of `find_and_grep`, and the numbers of their files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StagesMeta {
    /// The number of files that passed the file stage and were searched.
    pub searched_file_count: u64,
    /// The number of files that passed the file stage.
    pub found_file_count: u64,
    /// True if more files passed than were searched.
    pub truncated: bool,
    /// The duration of the file stage, in milliseconds.
    pub find_elapsed_ms: u64,
    /// The duration of the content stage, in milliseconds.
    pub search_elapsed_ms: u64,
}

/// The facts for the text of a reply besides its rows. The structured form has the same facts in its totals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplyBasis {
    /// The index of the first row of this page among all rows, from 0.
    pub from: usize,
    /// The number of rows of all pages.
    pub rows: usize,
    pub searched_files: u64,
    /// The number of files with matches, on this page or not.
    pub total_files: usize,
    /// True if the caller named one file, and nothing else, to be searched.
    pub is_named_file: bool,
}

/// A search's reply in its shape.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ShapedReply {
    /// The reply of [`ReplyShape::Normal`] and [`ReplyShape::OptimizedPaths`].
    Rows(RowsOutput),
    /// The reply of [`ReplyShape::TotalOnly`].
    Total(TotalOutput),
    /// The reply of [`ReplyShape::CountOnly`].
    Counts(CountsOutput),
    /// The reply of [`ReplyShape::Summary`].
    Summary(SummaryOutput),
    /// The reply of [`ReplyShape::Grouped`].
    Grouped(GroupedOutput),
    /// The best elements; see [`crate::ranked`].
    Ranked(RankedOutput),
}

/// All rows, by path, then line.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RowsOutput {
    /// Always true, since errors have a form of their own.
    pub success: bool,
    /// The number of rows in `results`.
    pub count: usize,
    /// The number of matches in all files, shown or not.
    pub total_matches: u64,
    /// The number of files with matches, shown or not.
    pub total_files: usize,
    /// True if rows are missing.
    pub truncated: bool,
    /// The duration of the search, in milliseconds.
    pub elapsed_ms: u64,
    /// The common prefix of all paths, when paths are optimised: a folder that ends with `/`, or empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The rows by path, then line.
    pub results: Vec<MatchRow>,
    /// Files that were decoded from something other than UTF-8, with their encodings.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub encodings: BTreeMap<String, String>,
    /// The totals for the text form.
    #[serde(skip)]
    pub basis: ReplyBasis,
    /// The stages of `find_and_grep`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<StagesMeta>,
}

/// A matching line with its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MatchRow {
    /// The path relative to the project, or to `root`.
    pub file: String,
    /// The line number, from 1.
    pub line: u64,
    /// The line, or the part of it around its first match.
    pub text: String,
    /// Start and end of each match in characters of `text`, end exclusive.
    pub matches: Vec<[usize; 2]>,
    /// True if `text` is a part of the line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub line_truncated: bool,
    /// The column of the first character of `text`, if it is not the first of the line.
    #[serde(skip_serializing_if = "is_zero")]
    pub start_column: usize,
    /// True if characters of the line after `text` are missing.
    #[serde(skip)]
    pub is_cut_after: bool,
    /// The context lines before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_before: Vec<String>,
    /// The context lines after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_after: Vec<String>,
    /// The role of the first match in the syntax, in a parsed language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<HitRole>,
    /// The innermost element around the match, as `extract_code_section` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
}

/// Only the total number of matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TotalOutput {
    /// The number of matches in all files.
    pub total_matches: u64,
    /// The same in words, with the number of files, and what was not searched.
    #[serde(skip)]
    pub in_words: String,
}

/// The number of matches of each file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CountsOutput {
    /// Always true, since errors have a form of their own.
    pub success: bool,
    /// Always true, to identify the form.
    pub count_only: bool,
    /// The number of matches in all files.
    pub total_matches: u64,
    /// The number of files with matches, shown or not, if some are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_files: Option<usize>,
    /// True if files are missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The number of matches by path.
    pub file_counts: BTreeMap<String, u64>,
    /// The totals for the text form.
    #[serde(skip)]
    pub basis: ReplyBasis,
    /// The stages of `find_and_grep`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<StagesMeta>,
}

/// The files with the most matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SummaryOutput {
    /// Always true, since errors have a form of their own.
    pub success: bool,
    /// The number of files in `summary.top_files`.
    pub count: usize,
    /// True if it lacks some files with matches.
    pub truncated: bool,
    /// The duration of the search, in milliseconds.
    pub elapsed_ms: u64,
    /// The totals and the files of the summary.
    pub summary: SearchSummary,
    /// The stages of `find_and_grep`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<StagesMeta>,
}

/// The content of a [`SummaryOutput`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchSummary {
    /// The number of matches in all files.
    pub total_matches: u64,
    /// The number of files with matches.
    pub total_files: usize,
    /// Both numbers in words.
    pub summary: String,
    /// The number of rows by the role of their first match, in the files that were parsed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<HitRole, usize>,
    /// The files with the most matches, at most ten, in descending order.
    pub top_files: Vec<TopFile>,
}

/// A file of a [`SearchSummary`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TopFile {
    /// The path relative to the project.
    pub file: String,
    /// The number of matches of the file.
    pub match_count: u64,
    /// The first matching lines, at most three, as `12:text`.
    pub sample_lines: Vec<String>,
}

/// All rows, grouped by file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GroupedOutput {
    /// Always true, since errors have a form of their own.
    pub success: bool,
    /// The number of files in `files`.
    pub count: usize,
    /// The number of matches in all files, shown or not.
    pub total_matches: u64,
    /// True if rows are missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The files with rows, by path.
    pub files: Vec<FileGroup>,
    /// The totals for the text form.
    #[serde(skip)]
    pub basis: ReplyBasis,
    /// The stages of `find_and_grep`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<StagesMeta>,
}

/// A file of a [`GroupedOutput`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileGroup {
    /// The path relative to the project.
    pub file: String,
    /// The number of matches of the file, shown or not.
    pub match_count: u64,
    /// The encoding from which the file was decoded, if not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The rows of the file that are shown.
    pub matches: Vec<GroupRow>,
}

/// A row of a [`FileGroup`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GroupRow {
    /// The line number, from 1.
    pub line: u64,
    /// The line, or the part of it around its first match.
    pub text: String,
    /// Start and end of each match in characters of `text`, end exclusive.
    pub positions: Vec<[usize; 2]>,
    /// True if `text` is a part of the line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub line_truncated: bool,
    /// The column of the first character of `text`, if it is not the first of the line.
    #[serde(skip_serializing_if = "is_zero")]
    pub start_column: usize,
    /// True if characters of the line after `text` are missing.
    #[serde(skip)]
    pub is_cut_after: bool,
    /// The context lines before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_before: Vec<String>,
    /// The context lines after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_after: Vec<String>,
    /// The role of the first match in the syntax, in a parsed language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<HitRole>,
    /// The innermost element around the match, as `extract_code_section` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
}

/// Converts matches to the reply of a shape.
pub fn shape(matches: SearchMatches, shape: ReplyShape, elapsed_ms: u64, meta: Option<StagesMeta>) -> ShapedReply {
    let total_matches = matches.total_matches;
    let basis = ReplyBasis {
        from: 0,
        rows: match shape {
            ReplyShape::CountOnly => matches.files.len(),
            _ => matches.rows(),
        },
        searched_files: matches.searched_files,
        total_files: matches.total_files(),
        is_named_file: matches.is_named_file,
    };
    match shape {
        ReplyShape::TotalOnly => ShapedReply::Total(TotalOutput {
            total_matches,
            in_words: totals_in_words(total_matches, basis, meta.as_ref()),
        }),
        ReplyShape::CountOnly => ShapedReply::Counts(CountsOutput {
            success: true,
            count_only: true,
            total_matches,
            total_files: None,
            truncated: false,
            basis,
            file_counts: matches.files.iter().map(|file| (file.path.shown(), file.match_count)).collect(),
            meta,
        }),
        ReplyShape::Summary => ShapedReply::Summary(summary(matches, elapsed_ms, basis, meta)),
        ReplyShape::Grouped => ShapedReply::Grouped(grouped(matches, basis, meta)),
        ReplyShape::Normal => ShapedReply::Rows(rows(matches, elapsed_ms, basis, meta)),
        ReplyShape::OptimizedPaths => {
            let mut output = rows(matches, elapsed_ms, basis, meta);
            let root = common_folder(output.results.iter().map(|row| row.file.as_str())).to_owned();
            for row in &mut output.results {
                row.file.drain(..root.len());
            }
            output.encodings = std::mem::take(&mut output.encodings)
                .into_iter()
                .map(|(file, encoding)| (file.strip_prefix(&root).unwrap_or(&file).to_owned(), encoding))
                .collect();
            output.root = Some(root);
            ShapedReply::Rows(output)
        }
    }
}

impl ShapedReply {
    /// Returns the number of files searched if none matches and the form does not report that number otherwise.
    pub fn searched_without_match(&self) -> Option<u64> {
        let (total_matches, basis, meta) = match self {
            Self::Rows(output) => (output.total_matches, output.basis, output.meta),
            Self::Grouped(output) => (output.total_matches, output.basis, output.meta),
            Self::Counts(output) => (output.total_matches, output.basis, output.meta),
            Self::Total(_) | Self::Summary(_) | Self::Ranked(_) => return None,
        };
        (total_matches == 0 && meta.is_none()).then_some(basis.searched_files)
    }
}

fn rows(matches: SearchMatches, elapsed_ms: u64, basis: ReplyBasis, meta: Option<StagesMeta>) -> RowsOutput {
    let truncated = !matches.complete;
    let (total_matches, total_files) = (matches.total_matches, basis.total_files);
    let mut encodings = BTreeMap::new();
    let mut results = Vec::with_capacity(matches.rows());
    for file in matches.files {
        let FileMatches { path, lines, encoding, .. } = file;
        let path = path.shown();
        if let Some(encoding) = encoding.filter(|_| !lines.is_empty()) {
            encodings.insert(path.clone(), encoding);
        }
        results.extend(lines.into_iter().map(|line| MatchRow {
            file: path.clone(),
            line: line.line,
            text: line.text,
            matches: line.spans,
            line_truncated: line.line_truncated,
            start_column: line.start_column,
            is_cut_after: line.is_cut_after,
            context_before: line.context_before,
            context_after: line.context_after,
            role: line.context.as_ref().map(|context| context.role),
            element: line.context.and_then(|context| context.element),
        }));
    }
    RowsOutput {
        success: true,
        count: results.len(),
        total_matches,
        total_files,
        truncated,
        elapsed_ms,
        root: None,
        results,
        encodings,
        basis,
        meta,
    }
}

fn grouped(matches: SearchMatches, basis: ReplyBasis, meta: Option<StagesMeta>) -> GroupedOutput {
    let truncated = !matches.complete;
    let total_matches = matches.total_matches;
    let files: Vec<FileGroup> = matches
        .files
        .into_iter()
        .filter(|file| !file.lines.is_empty())
        .map(|file| FileGroup {
            file: file.path.shown(),
            match_count: file.match_count,
            encoding: file.encoding,
            matches: file.lines.into_iter().map(group_row).collect(),
        })
        .collect();
    GroupedOutput { success: true, count: files.len(), total_matches, truncated, files, basis, meta }
}

fn group_row(line: LineMatch) -> GroupRow {
    GroupRow {
        line: line.line,
        text: line.text,
        positions: line.spans,
        line_truncated: line.line_truncated,
        start_column: line.start_column,
        is_cut_after: line.is_cut_after,
        context_before: line.context_before,
        context_after: line.context_after,
        role: line.context.as_ref().map(|context| context.role),
        element: line.context.and_then(|context| context.element),
    }
}

fn summary(matches: SearchMatches, elapsed_ms: u64, basis: ReplyBasis, meta: Option<StagesMeta>) -> SummaryOutput {
    let (total_matches, total_files) = (matches.total_matches, basis.total_files);
    let mut roles = BTreeMap::new();
    // A file without any context is a text in no known language, or was not parsed.
    let parsed = matches.files.iter().filter(|file| file.lines.iter().any(|row| row.context.is_some()));
    let rows: Vec<&LineMatch> = parsed.flat_map(|file| &file.lines).collect();
    if rows.iter().all(|row| row.context.is_some()) {
        for context in rows.iter().filter_map(|row| row.context.as_ref()) {
            *roles.entry(context.role).or_default() += 1;
        }
    }
    let mut files = matches.files;
    // Stable: files with equal counts stay in the order of their paths.
    files.sort_by_key(|file| std::cmp::Reverse(file.match_count));
    files.truncate(SUMMARY_FILES);
    let top_files: Vec<TopFile> = files
        .into_iter()
        .map(|file| TopFile {
            file: file.path.shown(),
            match_count: file.match_count,
            sample_lines: file.lines.iter().take(SUMMARY_LINES).map(sample).collect(),
        })
        .collect();
    SummaryOutput {
        success: true,
        count: top_files.len(),
        truncated: top_files.len() < total_files,
        elapsed_ms,
        summary: SearchSummary {
            total_matches,
            total_files,
            summary: totals_in_words(total_matches, basis, meta.as_ref()),
            roles,
            top_files,
        },
        meta,
    }
}

/// Returns the common prefix of all paths, up to and including a `/`.
fn common_folder<'a>(mut paths: impl Iterator<Item = &'a str>) -> &'a str {
    let Some(first) = paths.next() else { return "" };
    let folder = |path: &'a str| path.rfind('/').map_or("", |slash| &path[..=slash]);
    paths.fold(folder(first), |common, path| {
        let same = common.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
        // Ends directly after a `/`, so on a character boundary.
        common.as_bytes()[..same].iter().rposition(|byte| *byte == b'/').map_or("", |slash| &common[..=slash])
    })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference to the field")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::common_folder;

    #[test]
    fn common_folder_ends_at_a_slash() {
        for (paths, expected) in [
            (vec!["src/a.rs", "src/ab.rs"], "src/"),
            (vec!["src/a.rs"], "src/"),
            (vec!["a.rs", "src/a.rs"], ""),
            (vec!["文/犬/a", "文/猫/a"], "文/"),
            (vec!["ab/x", "a/x"], ""),
            (vec![], ""),
        ] {
            assert_eq!(common_folder(paths.into_iter()), expected);
        }
    }
}
