//! A limit on indentation columns. Scanners of indented languages keep the columns of all open blocks in a buffer of
//! 1,024 bytes and abort the process when it is full.
//!
//! Blocks that are open at the same time begin in distinct columns, each further right than the enclosing one. So a
//! text with few distinct columns cannot fill the buffer, however broken it is, and it does not matter where blocks
//! close.

use std::collections::HashSet;

use super::blanked::BlankedPart;

/// A position that may open a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockOpening {
    /// The column, as the scanner counts it.
    pub(super) column: u16,
    /// The byte offset in the text.
    pub(super) byte: usize,
}

/// Returns the parts of a text to leave out so that at most `most` columns open a block. `openings` appends the
/// openings of a line that begins at a given byte, from left to right.
pub(super) fn parts_beyond_columns(
    text: &str,
    most: usize,
    openings: impl Fn(&str, usize, &mut Vec<BlockOpening>),
) -> Vec<BlankedPart> {
    let mut columns: HashSet<u16> = HashSet::new();
    each_line(text, |line, start, found| {
        openings(line, start, found);
        columns.extend(found.iter().map(|opening| opening.column));
    });
    if columns.len() <= most {
        return Vec::new();
    }
    let mut columns: Vec<u16> = columns.into_iter().collect();
    columns.sort_unstable();
    let limit = columns[most];
    let mut unread = Vec::new();
    each_line(text, |line, start, found| {
        openings(line, start, found);
        let first = found.iter().find(|opening| opening.column >= limit);
        unread.extend(first.map(|first| BlankedPart {
            bytes: first.byte..start + line.len(),
            reason: Some("nested too deep to be read"),
        }));
    });
    unread
}

/// Visits lines without their line endings, with the byte offset at which each begins and an empty list.
fn each_line(text: &str, mut visit: impl FnMut(&str, usize, &mut Vec<BlockOpening>)) {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        found.clear();
        visit(line.trim_end_matches(['\n', '\r']), start, &mut found);
        start += line.len();
    }
}

#[cfg(test)]
mod tests {
    use super::{BlockOpening, parts_beyond_columns};

    #[test]
    fn text_with_few_columns_is_not_blanked() {
        let openings = |line: &str, start: usize, found: &mut Vec<BlockOpening>| {
            let column = line.len() - line.trim_start().len();
            found.push(BlockOpening { column: u16::try_from(column).expect("short lines"), byte: start + column });
        };
        let text = "a\n  b\n c\n    d e\n  f\n";
        assert_eq!(parts_beyond_columns(text, 4, openings), []);
        let cut: Vec<&str> =
            parts_beyond_columns(text, 2, openings).into_iter().map(|part| &text[part.bytes]).collect();
        assert_eq!(cut, ["b", "d e", "f"]);
    }
}
