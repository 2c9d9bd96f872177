//! The lines of a text, and from a byte to its line and column.
//!
//! Lines end with a line feed, with or without a carriage return before it. A position costs at most one kilobyte of
//! looking, however long its line is. What a line means is not known here: see [`super::blocks`].

/// How far apart the remembered character counts are, in bytes.
const STRIDE: usize = 1_024;

/// A place in the source as people count: both from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// One line: its content is `start..end`, and the next line begins at `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) next: usize,
}

/// The lines of `source`. A text that ends with a line feed has no empty line after it; a byte order mark belongs to no
/// content.
pub(super) fn split(source: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    while start < source.len() {
        let (end, next) = match source[start..].find('\n') {
            Some(at) => (start + at, start + at + 1),
            None => (source.len(), source.len()),
        };
        let content = source[start..end]
            .strip_suffix('\r')
            .filter(|_| next > end)
            .map_or(end, |kept| start + kept.len());
        let mark = if start == 0 && source.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        lines.push(Line {
            start: start + mark,
            end: content,
            next,
        });
        start = next;
    }
    lines
}

/// Finds lines and columns.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// Where each line begins.
    starts: Vec<usize>,
    /// Characters before the first character boundary at or after each multiple of [`STRIDE`], with that boundary.
    counts: Vec<(usize, usize)>,
}

impl Places {
    pub(super) fn of(source: &str) -> Self {
        let starts = std::iter::once(0)
            .chain(source.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
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

    /// The position of a byte, which is a character boundary of the same source.
    pub(super) fn position(&self, source: &str, byte: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= byte);
        let column = self.characters(source, byte) - self.characters(source, self.starts[line - 1]) + 1;
        Position { line, column }
    }

    /// How many characters stand before a byte.
    fn characters(&self, source: &str, byte: usize) -> usize {
        let after = self.counts.partition_point(|(at, _)| *at <= byte);
        let (from, before) = after.checked_sub(1).map_or((0, 0), |known| self.counts[known]);
        before + source[from..byte].chars().count()
    }
}

#[cfg(test)]
mod tests {
    use super::{Places, Position, split};

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
        let places = Places::of(&source);
        let (mut line, mut column) = (1, 1);
        for (at, c) in source.char_indices() {
            assert_eq!(places.position(&source, at), Position { line, column }, "byte {at}");
            (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        assert_eq!(places.position(&source, source.len()), Position { line, column });
        assert_eq!(Places::of("").position("", 0), Position { line: 1, column: 1 });
    }
}
