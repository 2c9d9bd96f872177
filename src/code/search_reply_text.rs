//! The text of a search reply for a model: lines below the path of their file, and the totals.
//!
//! Invariant: a line of a row begins with its line number; counts stand in brackets. The totals are those of the
//! whole search; a short list that is whole has none. This module does not choose rows: it writes those that the reply
//! has.

use std::fmt::Write as _;

use crate::{
    notation::encoding_mark,
    roles::HitRole,
    search::LineMatch,
    shape::{
        CountsOutput, GroupRow, GroupedOutput, MatchRow, ReplyBasis, RowsOutput, ShapedReply, StagesMeta, SummaryOutput,
    },
};

/// The maximum number of rows of a whole list without totals: so few are counted at a glance.
const FEW_ROWS: usize = 20;

impl ShapedReply {
    /// True if the text has a row with the column of its match.
    pub fn shows_columns(&self) -> bool {
        match self {
            Self::Rows(output) => output.results.iter().any(|row| row.start_column > 0),
            Self::Grouped(output) => {
                let mut rows = output.files.iter().flat_map(|file| &file.matches);
                rows.any(|row| row.start_column > 0)
            }
            _ => false,
        }
    }

    /// Returns the text for a model: the total in words, or lines below the path of their file.
    pub fn text(&self) -> String {
        match self {
            Self::Total(output) => output.in_words.clone(),
            Self::Counts(output) => output.text(),
            Self::Summary(output) => output.text(),
            Self::Grouped(output) => output.text(),
            Self::Ranked(output) => output.text(),
            Self::Rows(output) => output.text(),
        }
    }
}

/// Writes the last line of a text with rows: the totals, and the range of the rows shown if some are missing. Removes the
/// last line break instead if all rows are shown and are few.
fn write_totals(
    out: &mut String,
    truncated: bool,
    shown: usize,
    total_matches: u64,
    basis: ReplyBasis,
    meta: Option<&StagesMeta>,
) {
    if !truncated && (1..=FEW_ROWS).contains(&shown) && !meta.is_some_and(|meta| meta.truncated) {
        out.truncate(out.trim_end_matches('\n').len());
        return;
    }
    let all = totals_in_words(total_matches, basis, meta);
    let s = if shown == 1 { "" } else { "s" };
    // Writing to a String cannot fail.
    let _ = match (truncated, basis.from) {
        (false, _) => write!(out, "{all}"),
        // Rows outside of every page, such as those of binary files.
        (true, 0) if shown == basis.rows => write!(out, "[{shown} row{s} of {all}]"),
        (true, 0) => write!(out, "[first {shown} row{s} of {all}]"),
        (true, from) => write!(out, "[rows {} to {} of {all}]", from + 1, from + shown),
    };
}

/// Writes a row as `12:text`, or `12 call:text` with a role, the further lines of its match as `13:text`, its context lines as
/// `11-text`. A row that is cut before its match begins with `12@340`, the column of the match.
fn write_row(out: &mut String, row: &RowText<'_>) {
    let mut number = row.line.saturating_sub(row.before.len() as u64);
    for text in row.before {
        let _ = writeln!(out, "{number}-{text}");
        number += 1;
    }
    let is_cut_before = row.start_column > 0;
    for (at, text) in shown(row.text, is_cut_before, row.is_cut_after).split('\n').enumerate() {
        let _ = write!(out, "{number}");
        if is_cut_before && at == 0 {
            let column = row.start_column + row.spans.first().map_or(0, |[start, _]| *start);
            let _ = write!(out, "@{column}");
        }
        if let Some(role) = row.role.filter(|role| at == 0 && *role != HitRole::Mention) {
            let _ = write!(out, " {}", role.mark());
        }
        let _ = writeln!(out, ":{text}");
        number += 1;
    }
    for (number, text) in (number..).zip(row.after) {
        let _ = writeln!(out, "{number}-{text}");
    }
}

/// Writes the name of the element around the rows that follow, if it differs from that of the rows before: ` -` for none.
fn write_element<'a>(out: &mut String, last: &mut Option<&'a str>, element: Option<&'a str>) {
    if *last != element {
        let _ = writeln!(out, " {}", element.unwrap_or("-"));
        *last = element;
    }
}

struct RowText<'a> {
    line: u64,
    text: &'a str,
    spans: &'a [[usize; 2]],
    start_column: usize,
    is_cut_after: bool,
    before: &'a [String],
    after: &'a [String],
    role: Option<HitRole>,
}

impl<'a> From<&'a MatchRow> for RowText<'a> {
    fn from(row: &'a MatchRow) -> Self {
        Self {
            line: row.line,
            text: &row.text,
            spans: &row.matches,
            start_column: row.start_column,
            is_cut_after: row.is_cut_after,
            before: &row.context_before,
            after: &row.context_after,
            role: row.role,
        }
    }
}

impl<'a> From<&'a GroupRow> for RowText<'a> {
    fn from(row: &'a GroupRow) -> Self {
        Self {
            line: row.line,
            text: &row.text,
            spans: &row.positions,
            start_column: row.start_column,
            is_cut_after: row.is_cut_after,
            before: &row.context_before,
            after: &row.context_after,
            role: row.role,
        }
    }
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
        let (mut file, mut element) = ("", None);
        for row in &self.results {
            if row.file != file {
                (file, element) = (&row.file, None);
                let encoding = self.encodings.get(file).map(|encoding| encoding_mark(encoding));
                let encoding = encoding.unwrap_or_default();
                if !self.basis.is_named_file || !encoding.is_empty() {
                    let _ = writeln!(out, "{file}{encoding}");
                }
            }
            write_element(&mut out, &mut element, row.element.as_deref());
            write_row(&mut out, &row.into());
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
            let encoding = group.encoding.as_deref().map(encoding_mark).unwrap_or_default();
            let _ = writeln!(out, "{} ({}){encoding}", group.file, group.match_count);
            let mut element = None;
            for row in &group.matches {
                write_element(&mut out, &mut element, row.element.as_deref());
                write_row(&mut out, &row.into());
            }
        }
        let rows: usize = self.files.iter().map(|group| group.matches.len()).sum();
        let meta = self.meta.as_ref();
        write_totals(&mut out, self.truncated, rows, self.total_matches, self.basis, meta);
        out
    }
}

impl CountsOutput {
    /// Returns the counts below the names of their folders; a count that all files have is written once. A single file of
    /// a folder has its whole path.
    fn text(&self) -> String {
        let mut out = String::new();
        let mut counts = self.file_counts.values().copied();
        let first = counts.next().unwrap_or_default();
        let is_common = self.file_counts.len() > 2 && counts.all(|count| count == first);
        if is_common {
            let es = if first == 1 { "" } else { "es" };
            let _ = writeln!(out, "{first} match{es} in each of {} files:", self.file_counts.len());
        }
        let in_brackets = |count: &u64| {
            if is_common { String::new() } else { format!(" ({count})") }
        };
        let rows: Vec<(&str, &str, u64)> = self
            .file_counts
            .iter()
            .map(|(file, count)| {
                let (folder, name) = file.split_at(file.rfind('/').map_or(0, |slash| slash + 1));
                (folder, name, *count)
            })
            .collect();
        for run in rows.chunk_by(|(folder, ..), (next, ..)| folder == next) {
            let [(folder, ..), ..] = run else { continue };
            let has_heading = run.len() > 1 && !folder.is_empty();
            if has_heading {
                let _ = writeln!(out, "{folder}");
            }
            let before = if has_heading { " " } else { *folder };
            for (_, name, count) in run {
                let _ = writeln!(out, "{before}{name}{}", in_brackets(count));
            }
        }
        let (files, meta) = (self.file_counts.len(), self.meta.as_ref());
        write_totals(&mut out, self.truncated, files, self.total_matches, self.basis, meta);
        out
    }
}

impl SummaryOutput {
    fn text(&self) -> String {
        let mut out = self.summary.summary.clone();
        if !self.summary.roles.is_empty() {
            let roles = self.summary.roles.iter().map(|(role, rows)| format!("{} {rows}", role.mark()));
            let _ = write!(out, "\nby role: {}", roles.collect::<Vec<_>>().join(", "));
        }
        for file in &self.summary.top_files {
            let _ = write!(out, "\n{} ({})", file.file, file.match_count);
            for line in &file.sample_lines {
                let _ = write!(out, "\n{line}");
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

/// Returns `12:text` of the first line, without the indentation, which is meaningless outside its file.
pub(crate) fn sample(line: &LineMatch) -> String {
    let first = line.text.lines().next().unwrap_or_default().trim();
    let is_cut_after = line.is_cut_after || line.text.contains('\n');
    format!("{}:{}", line.line, shown(first, line.start_column > 0, is_cut_after))
}

/// Returns the totals in words, with a note if a limit kept files from being searched.
pub(crate) fn totals_in_words(matches: u64, basis: ReplyBasis, meta: Option<&StagesMeta>) -> String {
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
        let _ = write!(out, "; only the first {searched} of {found} files were searched");
    }
    out
}

/// Returns a line with an ellipsis at each end that is cut.
fn shown(text: &str, is_cut_before: bool, is_cut_after: bool) -> String {
    let mark = |is_cut| if is_cut { "…" } else { "" };
    format!("{}{text}{}", mark(is_cut_before), mark(is_cut_after))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use fumi_base::project::Project;

    use crate::{
        search::{FileMatches, LineMatch, SearchMatches},
        shape::{ReplyShape, ShapedReply, StagesMeta, shape},
    };

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
        assert_eq!(text(ReplyShape::TotalOnly), "4 matches in 2 files");
        assert_eq!(text(ReplyShape::CountOnly), "src/a.rs (3)\nsrc/b/c.rs (1)");
        assert_eq!(text(ReplyShape::Normal), "src/a.rs\n2-two\n3:  hit hit\n4-four\n9:hit\nsrc/b/c.rs\n1:hit");
        assert_eq!(
            text(ReplyShape::OptimizedPaths),
            "root: src/\na.rs\n2-two\n3:  hit hit\n4-four\n9:hit\nb/c.rs\n1:hit"
        );
        assert_eq!(text(ReplyShape::Grouped), "src/a.rs (3)\n2-two\n3:  hit hit\n4-four\n9:hit\nsrc/b/c.rs (1)\n1:hit");
        assert_eq!(
            text(ReplyShape::Summary),
            "4 matches in 2 files\nsrc/a.rs (3)\n3:hit hit\n9:hit\nsrc/b/c.rs (1)\n1:hit"
        );
        let none = SearchMatches { complete: true, searched_files: 3, ..SearchMatches::default() };
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
            assert_eq!(text(Some(meta)), "No matches in 3 files; only the first 3 of 900 files were searched");
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
        assert_eq!((output.count, output.total_matches, output.total_files, output.truncated), (2, 4, 2, true));
        assert!(output.text().ends_with("[2 rows of 4 matches in 2 files]"), "{}", output.text());
        let (ShapedReply::Rows(page), _) = ShapedReply::Rows(output).page(0..1) else {
            panic!("rows");
        };
        assert!(page.text().ends_with("[first 1 row of 4 matches in 2 files]"), "{}", page.text());
    }

    #[test]
    fn counts_of_a_folder_stand_below_its_name() {
        let (root, mut found) = matches();
        let again = found.files[0].clone();
        found.files.insert(1, again);
        let project = Project::open(root.path()).expect("a project");
        found.files[1].path = project.walked_path(&project.root().join("src/aa.rs")).expect("inside");
        assert_eq!(shape(found, ReplyShape::CountOnly, 0, None).text(), "src/\n a.rs (3)\n aa.rs (3)\nsrc/b/c.rs (1)");
    }

    #[test]
    fn count_of_all_files_is_written_once() {
        let (root, mut found) = matches();
        let project = Project::open(root.path()).expect("a project");
        found.files.truncate(1);
        for name in ["src/aa.rs", "top.rs"] {
            let path = project.walked_path(&project.root().join(name)).expect("inside");
            let file = FileMatches { path, ..found.files[0].clone() };
            found.files.push(file);
        }
        let text = shape(found, ReplyShape::CountOnly, 0, None).text();
        assert_eq!(text, "3 matches in each of 3 files:\nsrc/\n a.rs\n aa.rs\ntop.rs");
    }

    #[test]
    fn named_file_has_no_heading_and_a_long_list_has_totals() {
        let (_root, mut found) = matches();
        found.files.truncate(1);
        found.is_named_file = true;
        let shaped = |found: &SearchMatches| shape(found.clone(), ReplyShape::Normal, 0, None).text();
        assert_eq!(shaped(&found), "2-two\n3:  hit hit\n4-four\n9:hit");
        found.files[0].lines = vec![found.files[0].lines[1].clone(); 21];
        assert!(shaped(&found).ends_with("9:hit\n4 matches in 1 file"));
    }

    #[test]
    fn cut_lines_say_their_column_and_each_line_of_a_match_its_number() {
        let (_root, mut found) = matches();
        found.files.truncate(1);
        found.files[0].encoding = Some("shift_jis".to_owned());
        found.files[0].lines = vec![
            LineMatch {
                line: 1,
                text: "end of it".to_owned(),
                spans: vec![[4, 6]],
                line_truncated: true,
                start_column: 900,
                ..LineMatch::default()
            },
            LineMatch {
                line: 2,
                text: "one\n\ntwo".to_owned(),
                line_truncated: true,
                is_cut_after: true,
                context_after: vec!["after".to_owned()],
                ..LineMatch::default()
            },
        ];
        let rows = "1@904:…end of it\n2:one\n3:\n4:two…\n5-after";
        let shaped = |form| shape(found.clone(), form, 0, None);
        let normal = shaped(ReplyShape::Normal);
        assert!(normal.shows_columns());
        assert_eq!(normal.text(), format!("src/a.rs [shift_jis]\n{rows}"));
        assert_eq!(shaped(ReplyShape::Grouped).text(), format!("src/a.rs (3) [shift_jis]\n{rows}"));
        assert_eq!(shaped(ReplyShape::Summary).text(), "4 matches in 1 file\nsrc/a.rs (3)\n1:…end of it\n2:one…");
    }
}
