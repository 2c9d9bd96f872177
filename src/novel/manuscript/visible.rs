//! The visible text of a manuscript, without ruby and marks, and its mapping to the source.
//!
//! Visible text is never generated: it consists of runs of the source. Everything between two runs is markup.

use std::{
    iter::Sum,
    ops::{AddAssign, Range},
};

use super::characters::{is_counted, is_modifier};

/// A run of visible text: `len` bytes at `visible` equal the `len` bytes at `source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct VisibleRun {
    source: usize,
    visible: usize,
    len: usize,
}

/// The visible text. Lines of the parts that are read end with a line feed.
#[derive(Clone, Debug, Default)]
pub struct VisibleText {
    text: String,
    runs: Vec<VisibleRun>,
}

impl VisibleText {
    /// Returns the visible text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the runs as ranges of the source, in order; they neither touch nor overlap.
    pub fn runs(&self) -> impl DoubleEndedIterator<Item = Range<usize>> + Clone + '_ {
        self.runs.iter().map(|run| run.source..run.source + run.len)
    }

    /// Converts an offset in the visible text to the source. The end of the text maps to the end of the last run.
    pub fn to_source(&self, visible: usize) -> usize {
        let after = self.runs.partition_point(|run| run.visible <= visible);
        let Some(run) = after.checked_sub(1).map(|at| self.runs[at]) else {
            return self.runs.first().map_or(0, |run| run.source);
        };
        run.source + (visible - run.visible).min(run.len)
    }

    /// Converts an offset in the source to the visible text; markup maps to the next visible character.
    pub fn from_source(&self, source: usize) -> usize {
        let after = self.runs.partition_point(|run| run.source <= source);
        let Some(run) = after.checked_sub(1).map(|at| self.runs[at]) else {
            return 0;
        };
        run.visible + (source - run.source).min(run.len)
    }

    /// Returns the visible text of a range of the source.
    pub fn within(&self, range: &Range<usize>) -> &str {
        &self.text[self.from_source(range.start)..self.from_source(range.end)]
    }

    /// Returns the runs within a range of the source, cut to it.
    pub(crate) fn runs_within(&self, range: &Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let from = self.runs.partition_point(|run| run.source + run.len <= range.start);
        let (start, end) = (range.start, range.end);
        self.runs[from..]
            .iter()
            .take_while(move |run| run.source < end)
            .map(move |run| run.source.max(start)..(run.source + run.len).min(end))
    }

    /// Appends a range of the source.
    pub(super) fn push(&mut self, source: &str, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let visible = self.text.len();
        self.text.push_str(&source[range.clone()]);
        match self.runs.last_mut() {
            Some(last) if last.source + last.len == range.start => last.len += range.len(),
            _ => self.runs.push(VisibleRun { source: range.start, visible, len: range.len() }),
        }
    }
}

/// Character counts of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CharacterCounts {
    /// Visible characters, without white space and line ends.
    pub characters: usize,
    /// Characters including white space within lines, as 小説家になろう counts on request.
    pub with_spaces: usize,
}

impl CharacterCounts {
    /// Counts the characters of a visible text.
    pub fn count(visible: &str) -> Self {
        let mut counts = Self::default();
        for c in visible.chars() {
            counts.characters += usize::from(is_counted(c));
            counts.with_spaces += usize::from(!is_modifier(c));
        }
        counts
    }
}

impl AddAssign for CharacterCounts {
    fn add_assign(&mut self, other: Self) {
        self.characters += other.characters;
        self.with_spaces += other.with_spaces;
    }
}

impl Sum for CharacterCounts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, one| {
            sum += one;
            sum
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{CharacterCounts, VisibleText};

    #[test]
    fn offsets_map_between_visible_text_and_source() {
        let source = "｜今日《きょう》は晴れ";
        let mut visible = VisibleText::default();
        visible.push(source, 3..9);
        visible.push(source, 24..27);
        visible.push(source, 27..source.len());
        assert_eq!(visible.text(), "今日は晴れ");
        assert_eq!(visible.runs().count(), 2);
        assert_eq!(visible.to_source(0), 3);
        assert_eq!(visible.to_source(3), 6);
        assert_eq!(visible.to_source(6), 24);
        assert_eq!(visible.to_source(visible.text().len()), source.len());
        for (source_at, visible_at) in [(0, 0), (3, 0), (6, 3), (9, 6), (15, 6), (24, 6), (27, 9)] {
            assert_eq!(visible.from_source(source_at), visible_at, "{source_at}");
        }
        assert_eq!(visible.within(&(0..24)), "今日");
        assert_eq!(visible.runs_within(&(6..27)).collect::<Vec<_>>(), [6..9, 24..27]);
    }

    #[test]
    fn spaces_are_counted_apart_and_line_ends_never() {
        let counts = CharacterCounts::count("　「ええ！　本当？」\n");
        assert_eq!((counts.characters, counts.with_spaces), (8, 10));
    }
}
