//! The forms in which a search result is shown: structured for programs, compact text for models, from the same
//! matches.
//!
//! Invariant: both forms contain the same rows, and the totals are those of the whole search, never those of the rows
//! shown. The shape is selected once, by an enum. This module does not search, does not cut to a token budget, and does
//! not read a clock (`elapsed_ms` is an argument).

use std::{collections::BTreeMap, fmt::Write as _};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    ranked::RankedOutput,
    search::{FileMatches, LineMatch, RowDemand, SearchMatches},
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
    /// Returns the rows that the search must return for this shape, when at most `keep` rows are shown.
    #[must_use]
    pub const fn row_demand(self, keep: usize) -> RowDemand {
        match self {
            Self::TotalOnly | Self::CountOnly => RowDemand::Counts,
            Self::Summary => RowDemand::Top {
                files: SUMMARY_FILES,
                rows: SUMMARY_LINES,
            },
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
    /// The number of files searched.
    pub searched_files: u64,
    /// The number of files with matches, on this page or not.
    pub total_files: usize,
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
    /// The context lines before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_before: Vec<String>,
    /// The context lines after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_after: Vec<String>,
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
    /// The first matching lines, at most three, as `L12: text`.
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
    /// The context lines before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_before: Vec<String>,
    /// The context lines after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_after: Vec<String>,
}

/// Converts matches to the reply of a shape.
#[must_use]
pub fn shape(matches: SearchMatches, shape: ReplyShape, elapsed_ms: u64, meta: Option<StagesMeta>) -> ShapedReply {
    let total_matches = matches.total_matches;
    let basis = ReplyBasis {
        from: 0,
        searched_files: matches.searched_files,
        total_files: matches.total_files(),
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
            file_counts: matches
                .files
                .iter()
                .map(|file| (file.path.shown(), file.match_count))
                .collect(),
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
    #[must_use]
    pub fn searched_without_match(&self) -> Option<u64> {
        let (total_matches, basis, meta) = match self {
            Self::Rows(output) => (output.total_matches, output.basis, output.meta),
            Self::Grouped(output) => (output.total_matches, output.basis, output.meta),
            Self::Counts(output) => (output.total_matches, output.basis, output.meta),
            Self::Total(_) | Self::Summary(_) | Self::Ranked(_) => return None,
        };
        (total_matches == 0 && meta.is_none()).then_some(basis.searched_files)
    }

    /// Returns the text for a model: the bare number, or lines below the path of their file.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Total(output) => output.total_matches.to_string(),
            Self::Counts(output) => output.text(),
            Self::Summary(output) => output.text(),
            Self::Grouped(output) => output.text(),
            Self::Ranked(output) => output.text(),
            Self::Rows(output) => output.text(),
        }
    }
}

fn rows(matches: SearchMatches, elapsed_ms: u64, basis: ReplyBasis, meta: Option<StagesMeta>) -> RowsOutput {
    let truncated = !matches.complete;
    let (total_matches, total_files) = (matches.total_matches, basis.total_files);
    let mut encodings = BTreeMap::new();
    let mut results = Vec::with_capacity(matches.rows());
    for file in matches.files {
        let FileMatches {
            path, lines, encoding, ..
        } = file;
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
            context_before: line.context_before,
            context_after: line.context_after,
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
            matches: file.lines.into_iter().map(group_row).collect(),
        })
        .collect();
    GroupedOutput {
        success: true,
        count: files.len(),
        total_matches,
        truncated,
        files,
        basis,
        meta,
    }
}

fn group_row(line: LineMatch) -> GroupRow {
    GroupRow {
        line: line.line,
        text: line.text,
        positions: line.spans,
        line_truncated: line.line_truncated,
        context_before: line.context_before,
        context_after: line.context_after,
    }
}

fn summary(matches: SearchMatches, elapsed_ms: u64, basis: ReplyBasis, meta: Option<StagesMeta>) -> SummaryOutput {
    let (total_matches, total_files) = (matches.total_matches, basis.total_files);
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
            top_files,
        },
        meta,
    }
}

/// Returns `L12: text`, without the indentation, which is meaningless outside its file.
fn sample(line: &LineMatch) -> String {
    format!("L{}: {}", line.line, shown(line.text.trim(), line.line_truncated))
}

/// Returns the totals in words, with a note if a limit kept files from being searched.
fn totals_in_words(matches: u64, basis: ReplyBasis, meta: Option<&StagesMeta>) -> String {
    let plural = |count: u64, ending: &'static str| if count == 1 { "" } else { ending };
    let mut out = if matches == 0 {
        let files = basis.searched_files;
        format!("No matches in {files} file{}", plural(files, "s"))
    } else {
        let files = basis.total_files as u64;
        let (es, s) = (plural(matches, "es"), plural(files, "s"));
        format!("{matches} match{es} in {files} file{s}")
    };
    if let Some(meta) = meta.filter(|meta| meta.truncated) {
        let (searched, found) = (meta.searched_file_count, meta.found_file_count);
        // Writing to a String cannot fail.
        let _ = write!(out, "; only the first {searched} of {found} files were searched");
    }
    out
}

/// Returns the common prefix of all paths, up to and including a `/`.
fn common_folder<'a>(mut paths: impl Iterator<Item = &'a str>) -> &'a str {
    let Some(first) = paths.next() else { return "" };
    let folder = |path: &'a str| path.rfind('/').map_or("", |slash| &path[..=slash]);
    paths.fold(folder(first), |common, path| {
        let same = common.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
        // Ends directly after a `/`, so on a character boundary.
        common.as_bytes()[..same]
            .iter()
            .rposition(|byte| *byte == b'/')
            .map_or("", |slash| &common[..=slash])
    })
}

/// Appends an ellipsis to a cut line; the structured form has `line_truncated` instead.
fn shown(text: &str, cut: bool) -> String {
    if cut { format!("{text}…") } else { text.to_owned() }
}

/// Writes the last line of a text with rows: the totals, and the range of the rows shown if some are missing.
fn write_totals(
    out: &mut String,
    truncated: bool,
    shown: usize,
    total_matches: u64,
    basis: ReplyBasis,
    meta: Option<&StagesMeta>,
) {
    let all = totals_in_words(total_matches, basis, meta);
    let _ = match (truncated, basis.from) {
        (false, _) => write!(out, "{all}"),
        (true, 0) => write!(out, "[first {shown} rows of {all}]"),
        (true, from) => write!(out, "[rows {} to {} of {all}]", from + 1, from + shown),
    };
}

/// Writes one row as `12:text`, its context lines as `11-text`.
fn write_row(out: &mut String, row: &RowText<'_>) {
    let first = row.line.saturating_sub(row.before.len() as u64);
    for (line, text) in (first..).zip(row.before) {
        let _ = writeln!(out, "{line}-{text}");
    }
    let _ = writeln!(out, "{}:{}", row.line, shown(row.text, row.cut));
    let last = row.line + row.text.matches('\n').count() as u64;
    for (line, text) in (last + 1..).zip(row.after) {
        let _ = writeln!(out, "{line}-{text}");
    }
}

struct RowText<'a> {
    line: u64,
    text: &'a str,
    cut: bool,
    before: &'a [String],
    after: &'a [String],
}

impl RowsOutput {
    fn text(&self) -> String {
        if self.total_matches == 0 {
            return totals_in_words(0, self.basis, self.meta.as_ref());
        }
        let mut out = String::new();
        if let Some(root) = self.root.as_deref().filter(|root| !root.is_empty()) {
            let _ = writeln!(out, "root: {root}");
        }
        let mut file = "";
        for row in &self.results {
            if row.file != file {
                file = &row.file;
                let _ = writeln!(out, "{file}");
            }
            write_row(
                &mut out,
                &RowText {
                    line: row.line,
                    text: &row.text,
                    cut: row.line_truncated,
                    before: &row.context_before,
                    after: &row.context_after,
                },
            );
        }
        let (count, meta) = (self.count, self.meta.as_ref());
        write_totals(&mut out, self.truncated, count, self.total_matches, self.basis, meta);
        out
    }
}

impl GroupedOutput {
    fn text(&self) -> String {
        if self.total_matches == 0 {
            return totals_in_words(0, self.basis, self.meta.as_ref());
        }
        let mut out = String::new();
        for group in &self.files {
            let _ = writeln!(out, "{} ({})", group.file, group.match_count);
            for row in &group.matches {
                write_row(
                    &mut out,
                    &RowText {
                        line: row.line,
                        text: &row.text,
                        cut: row.line_truncated,
                        before: &row.context_before,
                        after: &row.context_after,
                    },
                );
            }
        }
        let rows: usize = self.files.iter().map(|group| group.matches.len()).sum();
        let meta = self.meta.as_ref();
        write_totals(&mut out, self.truncated, rows, self.total_matches, self.basis, meta);
        out
    }
}

impl CountsOutput {
    fn text(&self) -> String {
        let mut out = String::new();
        for (file, count) in &self.file_counts {
            let _ = writeln!(out, "{file}:{count}");
        }
        let (files, meta) = (self.file_counts.len(), self.meta.as_ref());
        write_totals(&mut out, self.truncated, files, self.total_matches, self.basis, meta);
        out
    }
}

impl SummaryOutput {
    fn text(&self) -> String {
        let mut out = self.summary.summary.clone();
        for file in &self.summary.top_files {
            let _ = write!(out, "\n{} ({})", file.file, file.match_count);
            for line in &file.sample_lines {
                let _ = write!(out, "\n  {line}");
            }
        }
        let missing = self.summary.total_files - self.count;
        if missing > 0 {
            let s = if missing == 1 { "" } else { "s" };
            let _ = write!(out, "\n[{missing} more file{s}]");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use fumi_base::project::Project;

    use super::{ReplyShape, ShapedReply, StagesMeta, common_folder, shape};
    use crate::search::{FileMatches, LineMatch, SearchMatches};

    /// Returns two files: `src/a.rs` with two rows and context, `src/b/c.rs` with one.
    fn matches() -> (tempfile::TempDir, SearchMatches) {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(root.path().join("src/b")).expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        let file = |path: &str, match_count, lines: Vec<LineMatch>| FileMatches {
            path: project.walked_path(&project.root().join(path)).expect("inside"),
            line_count: lines.len() as u64,
            lines,
            match_count,
            encoding: None,
        };
        let row = |line, text: &str, spans: &[[usize; 2]]| LineMatch {
            line,
            text: text.to_owned(),
            spans: spans.to_vec(),
            ..LineMatch::default()
        };
        let mut with_context = row(3, "  hit hit", &[[2, 5], [6, 9]]);
        with_context.context_before = vec!["two".to_owned()];
        with_context.context_after = vec!["four".to_owned()];
        let files = vec![
            file("src/a.rs", 3, vec![with_context, row(9, "hit", &[[0, 3]])]),
            file("src/b/c.rs", 1, vec![row(1, "hit", &[[0, 3]])]),
        ];
        let matches = SearchMatches {
            files,
            total_matches: 4,
            total_lines: 3,
            searched_files: 5,
            complete: true,
            ..SearchMatches::default()
        };
        (root, matches)
    }

    fn text(form: ReplyShape) -> String {
        shape(matches().1, form, 7, None).text()
    }

    #[test]
    fn each_shape_renders_compact_text() {
        assert_eq!(text(ReplyShape::TotalOnly), "4");
        assert_eq!(
            text(ReplyShape::CountOnly),
            "src/a.rs:3\nsrc/b/c.rs:1\n4 matches in 2 files"
        );
        assert_eq!(
            text(ReplyShape::Normal),
            "src/a.rs\n2-two\n3:  hit hit\n4-four\n9:hit\nsrc/b/c.rs\n1:hit\n4 matches in 2 files"
        );
        assert_eq!(
            text(ReplyShape::OptimizedPaths),
            "root: src/\na.rs\n2-two\n3:  hit hit\n4-four\n9:hit\nb/c.rs\n1:hit\n4 matches in 2 files"
        );
        assert_eq!(
            text(ReplyShape::Grouped),
            "src/a.rs (3)\n2-two\n3:  hit hit\n4-four\n9:hit\nsrc/b/c.rs (1)\n1:hit\n4 matches in 2 files"
        );
        assert_eq!(
            text(ReplyShape::Summary),
            "4 matches in 2 files\nsrc/a.rs (3)\n  L3: hit hit\n  L9: hit\nsrc/b/c.rs (1)\n  L1: hit"
        );
        let none = SearchMatches {
            complete: true,
            searched_files: 3,
            ..SearchMatches::default()
        };
        let meta = StagesMeta {
            searched_file_count: 3,
            found_file_count: 900,
            truncated: true,
            find_elapsed_ms: 0,
            search_elapsed_ms: 0,
        };
        for form in [
            ReplyShape::Normal,
            ReplyShape::OptimizedPaths,
            ReplyShape::Grouped,
            ReplyShape::CountOnly,
            ReplyShape::Summary,
        ] {
            let text = |meta| shape(none.clone(), form, 0, meta).text();
            assert_eq!(text(None), "No matches in 3 files");
            assert_eq!(
                text(Some(meta)),
                "No matches in 3 files; only the first 3 of 900 files were searched"
            );
        }
    }

    #[test]
    fn truncated_result_reports_true_totals() {
        let (_root, mut cut) = matches();
        cut.files[1].lines.clear();
        cut.complete = false;
        let ShapedReply::Rows(output) = shape(cut, ReplyShape::Normal, 0, None) else {
            panic!("rows");
        };
        assert_eq!(
            (output.count, output.total_matches, output.total_files, output.truncated),
            (2, 4, 2, true)
        );
        assert!(
            output.text().ends_with("[first 2 rows of 4 matches in 2 files]"),
            "{}",
            output.text()
        );
    }

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
