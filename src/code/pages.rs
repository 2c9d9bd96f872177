//! Pages of a search reply: the number of rows, and the same reply with only a range of them.
//!
//! Totals stay those of the whole reply. A page ends at the end of a file if possible, so that one file's matches are
//! not split without need; consecutive pages contain every row exactly once.

use std::ops::Range;

use crate::shape::{CountsOutput, GroupedOutput, ReplyBasis, RowsOutput, ShapedReply};

impl ShapedReply {
    /// Returns the number of rows that paging can remove. A summary, a ranking and a bare number have bounded sizes and
    /// return 0.
    pub fn rows(&self) -> usize {
        match self {
            Self::Rows(output) => output.results.len(),
            Self::Grouped(output) => output.files.iter().map(|file| file.matches.len()).sum(),
            Self::Counts(output) => output.file_counts.len(),
            Self::Total(_) | Self::Summary(_) | Self::Ranked(_) => 0,
        }
    }

    /// Returns the reply with a range of rows, and the row at which it actually ends.
    pub fn page(&self, rows: Range<usize>) -> (Self, usize) {
        match self {
            Self::Rows(output) => {
                let (page, end) = output.page(rows);
                (Self::Rows(page), end)
            }
            Self::Grouped(output) => {
                let (page, end) = output.page(rows);
                (Self::Grouped(page), end)
            }
            Self::Counts(output) => {
                let (page, end) = output.page(rows);
                (Self::Counts(page), end)
            }
            whole => (whole.clone(), rows.end),
        }
    }
}

impl ReplyBasis {
    /// Returns the basis of a page that begins at a row.
    fn starting_at(self, from: usize) -> Self {
        Self { from, ..self }
    }
}

/// Moves an end back to the start of a file, unless nothing would be left. `same(i)`: rows `i - 1` and `i` are of one
/// file.
fn at_file_boundary(rows: &Range<usize>, total: usize, same: impl Fn(usize) -> bool) -> usize {
    let end = rows.end.min(total);
    if end == total {
        return end;
    }
    let boundary = (rows.start + 1..=end).rev().find(|row| !same(*row));
    boundary.unwrap_or(end)
}

impl RowsOutput {
    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let all = &self.results;
        let end = at_file_boundary(&rows, all.len(), |row| all[row - 1].file == all[row].file);
        let results = all[rows.start.min(end)..end].to_vec();
        let shown = |file: &String| results.iter().any(|row| row.file == *file);
        let page = Self {
            count: results.len(),
            truncated: self.truncated || rows.start > 0 || end < all.len(),
            encodings: self
                .encodings
                .iter()
                .filter(|(file, _)| shown(file))
                .map(|(file, encoding)| (file.clone(), encoding.clone()))
                .collect(),
            results,
            root: self.root.clone(),
            basis: self.basis.starting_at(rows.start),
            ..*self
        };
        (page, end)
    }
}

impl GroupedOutput {
    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let mut starts = Vec::with_capacity(self.files.len());
        let mut total = 0;
        for file in &self.files {
            starts.push(total);
            total += file.matches.len();
        }
        let end = at_file_boundary(&rows, total, |row| starts.binary_search(&row).is_err());
        let mut files = Vec::new();
        for (file, start) in self.files.iter().zip(starts) {
            let last = start + file.matches.len();
            let (from, to) = (rows.start.max(start), end.min(last));
            if from < to {
                let mut part = file.clone();
                part.matches = file.matches[from - start..to - start].to_vec();
                files.push(part);
            }
        }
        let page = Self {
            count: files.len(),
            truncated: self.truncated || rows.start > 0 || end < total,
            files,
            basis: self.basis.starting_at(rows.start),
            ..*self
        };
        (page, end)
    }
}

impl CountsOutput {
    fn page(&self, rows: Range<usize>) -> (Self, usize) {
        let end = rows.end.min(self.file_counts.len());
        let file_counts =
            self.file_counts.iter().take(end).skip(rows.start).map(|(file, count)| (file.clone(), *count)).collect();
        let truncated = rows.start > 0 || end < self.file_counts.len();
        let page = Self {
            total_files: truncated.then_some(self.file_counts.len()),
            truncated,
            file_counts,
            basis: self.basis.starting_at(rows.start),
            ..*self
        };
        (page, end)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::shape::{FileGroup, GroupRow, GroupedOutput, MatchRow, ReplyBasis, RowsOutput, ShapedReply};

    fn rows(files: &[(&str, usize)]) -> RowsOutput {
        let results: Vec<_> = files
            .iter()
            .flat_map(|(file, count)| {
                (1..=*count).map(|line| MatchRow {
                    file: (*file).to_owned(),
                    line: line as u64,
                    text: "x".to_owned(),
                    matches: vec![[0, 1]],
                    line_truncated: false,
                    start_column: 0,
                    is_cut_after: false,
                    context_before: Vec::new(),
                    context_after: Vec::new(),
                    role: None,
                    element: None,
                })
            })
            .collect();
        RowsOutput {
            success: true,
            count: results.len(),
            total_matches: results.len() as u64,
            total_files: files.len(),
            truncated: false,
            elapsed_ms: 0,
            root: None,
            results,
            encodings: BTreeMap::new(),
            basis: ReplyBasis::default(),
            meta: None,
        }
    }

    #[test]
    fn page_ends_at_file_boundary_and_is_never_empty() {
        let all = ShapedReply::Rows(rows(&[("a", 2), ("b", 3), ("c", 1)]));
        let ends: Vec<_> = [(0, 1), (0, 2), (0, 4), (2, 4), (2, 5), (5, 9)]
            .into_iter()
            .map(|(from, to)| all.page(from..to).1)
            .collect();
        assert_eq!(ends, [1, 2, 2, 4, 5, 6]);
    }

    #[test]
    fn grouped_pages_contain_every_row_once() {
        let row = |line| GroupRow {
            line,
            text: String::new(),
            positions: Vec::new(),
            line_truncated: false,
            start_column: 0,
            is_cut_after: false,
            context_before: Vec::new(),
            context_after: Vec::new(),
            role: None,
            element: None,
        };
        let group = |file: &str, lines: std::ops::Range<u64>| FileGroup {
            file: file.to_owned(),
            match_count: lines.end - lines.start,
            encoding: None,
            matches: lines.map(row).collect(),
        };
        let all = ShapedReply::Grouped(GroupedOutput {
            success: true,
            count: 2,
            total_matches: 7,
            truncated: false,
            files: vec![group("a", 0..3), group("b", 10..14)],
            basis: ReplyBasis::default(),
            meta: None,
        });
        let (mut at, mut seen) = (0, Vec::new());
        while at < all.rows() {
            let (ShapedReply::Grouped(page), end) = all.page(at..at + 2) else { panic!("grouped") };
            assert!(end > at && page.truncated);
            seen.extend(page.files.iter().flat_map(|file| file.matches.iter().map(|row| row.line)));
            at = end;
        }
        assert_eq!(seen, [0, 1, 2, 10, 11, 12, 13]);
    }
}
