//! The lines of a text, and the conversion of byte offsets to line and column.
//!
//! Lines end with a line feed, with or without a carriage return before it. A conversion scans at most one kilobyte,
//! however long the line is. The meaning of lines is determined in [`super::blocks`].

/// The distance between two stored character counts, in bytes.
const STRIDE: usize = 1_024;

/// A position in the source as people count: line and column from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line number, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

/// One line: its content is `start..end`, and the next line begins at `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextLine {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) next: usize,
}

/// Splits `source` into lines. A text that ends with a line feed has no empty line after it; a byte order mark is not
/// part of any content.
pub(super) fn split(source: &str) -> Vec<TextLine> {
    let mut lines = Vec::new();
    let mut start = 0;
    while start < source.len() {
        let (end, next) = match source[start..].find('\n') {
            Some(at) => (start + at, start + at + 1),
            None => (source.len(), source.len()),
        };
        let content =
            source[start..end].strip_suffix('\r').filter(|_| next > end).map_or(end, |kept| start + kept.len());
        let mark = if start == 0 && source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        lines.push(TextLine { start: start + mark, end: content, next });
        start = next;
    }
    lines
}

/// An index for converting byte offsets to positions.
#[derive(Clone, Debug)]
pub(super) struct PositionIndex {
    /// The byte offset at which each line begins.
    starts: Vec<usize>,
    /// For each multiple of [`STRIDE`]: the first character boundary at or after it, and the number of characters
    /// before that boundary.
    counts: Vec<(usize, usize)>,
}

impl PositionIndex {
    pub(super) fn new(source: &str) -> Self {
        let starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut counts = Vec::with_capacity(source.len() / STRIDE + 1);
        let mut wanted = 0;
        for (characters, (at, _)) in source.char_indices().enumerate() {
            if at >= wanted {
                counts.push((at, characters));
                wanted = (at / STRIDE + 1) * STRIDE;
            }
        }
        Self { starts, counts }
    }

    /// Returns the position of a byte offset, which must be a character boundary of the same source.
    pub(super) fn position(&self, source: &str, byte: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= byte);
        let column = self.characters(source, byte) - self.characters(source, self.starts[line - 1]) + 1;
        Position { line, column }
    }

    /// Returns the number of characters before a byte offset.
    fn characters(&self, source: &str, byte: usize) -> usize {
        let after = self.counts.partition_point(|(at, _)| *at <= byte);
        let (from, before) = after.checked_sub(1).map_or((0, 0), |known| self.counts[known]);
        before + source[from..byte].chars().count()
    }
}

#[cfg(test)]
mod tests {
    use super::{Position, PositionIndex, split};

    #[test]
    fn lines_end_with_a_line_feed_of_either_kind() {
        let source = "\u{feff}一\r\n\n二\r三\n四";
        let contents: Vec<&str> = split(source).iter().map(|line| &source[line.start..line.end]).collect();
        assert_eq!(contents, ["一", "", "二\r三", "四"]);
        assert!(split("").is_empty());
        assert_eq!(split("一\n").len(), 1);
    }

    #[test]
    fn positions_are_those_of_counting_by_hand() {
        let source = format!("{}\n𠮟る{}\r\n\n末", "あ".repeat(700), "い".repeat(2_000));
        let places = PositionIndex::new(&source);
        let (mut line, mut column) = (1, 1);
        for (at, c) in source.char_indices() {
            assert_eq!(places.position(&source, at), Position { line, column }, "byte {at}");
            (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        assert_eq!(places.position(&source, source.len()), Position { line, column });
        assert_eq!(PositionIndex::new("").position("", 0), Position { line: 1, column: 1 });
    }
}
