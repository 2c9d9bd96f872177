//! The difference of two versions, paragraph by paragraph, and inside a changed paragraph by characters.
//!
//! Invariant: all changes are counted, and a bounded number of them is returned. The result depends on the two texts
//! alone: the work is bounded by their sizes, not by a clock. Ends of lines and a byte order mark are not compared.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{
    marked::{MarkedText, characters, marked},
    pairing::Pairing,
};

/// The largest number of changes returned. A client reads some dozens.
const CHANGES: usize = 2_000;

/// The largest number of paragraphs, of both versions, that are compared one by one after their common beginning and end
/// are left out. A novel of a million characters has half as many.
const PARAGRAPHS: usize = 60_000;

/// A change of one paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParagraphChange {
    pub kind: ParagraphChangeKind,
    /// The line in the first version, counted from 1; `None` for an added paragraph.
    pub before: Option<usize>,
    /// The line in the second version, counted from 1; `None` for a removed paragraph.
    pub after: Option<usize>,
    /// The paragraph with its changes marked: `兄は[-以-]{+意+}外な`. An empty line is ⏎.
    pub text: String,
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParagraphChangeKind {
    Changed,
    Added,
    Removed,
}

/// The difference of two versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextDifference {
    /// The first changes, in the order of the text.
    pub changes: Vec<ParagraphChange>,
    /// The number of all changes: of paragraphs and of empty lines.
    pub total: usize,
    /// The number of paragraphs that were changed, added and removed. Empty lines are not paragraphs.
    pub changed: usize,
    pub added: usize,
    pub removed: usize,
    /// The number of paragraphs that are the same.
    pub unchanged: usize,
    /// The number of empty lines that were added or removed.
    pub empty_lines: usize,
    /// The number of inserted and of deleted characters, white space among them.
    pub characters_added: usize,
    pub characters_removed: usize,
    /// True if the versions have too many different paragraphs to compare them one by one.
    pub is_coarse: bool,
}

/// Compares two texts. Returns `None` if cancelled.
pub fn compare(before: &str, after: &str, is_cancelled: &dyn Fn() -> bool) -> Option<TextDifference> {
    let (old, new) = (lines(before), lines(after));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = (&old[head..], &new[head..]);
    let tail = rest.0.iter().rev().zip(rest.1.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_middle, new_middle) = (&rest.0[..rest.0.len() - tail], &rest.1[..rest.1.len() - tail]);
    let mut difference = Collector::new(is_cancelled);
    let is_text = |line: &&&str| !line.trim().is_empty();
    difference.found.unchanged = old[..head].iter().chain(&old[old.len() - tail..]).filter(is_text).count();
    if is_cancelled() {
        return None;
    }
    if old_middle.len() + new_middle.len() > PARAGRAPHS {
        difference.found.is_coarse = true;
        difference.replace(old_middle, new_middle, (head, head))?;
        return Some(difference.found);
    }
    for op in capture_diff_slices(Algorithm::Myers, old_middle, new_middle) {
        let (old_range, new_range) = (op.old_range(), op.new_range());
        if let DiffOp::Equal { .. } = op {
            difference.found.unchanged += old_middle[old_range].iter().filter(is_text).count();
            continue;
        }
        let at = (head + old_range.start, head + new_range.start);
        difference.replace(&old_middle[old_range], &new_middle[new_range], at)?;
    }
    Some(difference.found)
}

/// Returns the lines of a text without their ends.
fn lines(text: &str) -> Vec<&str> {
    text.strip_prefix('\u{feff}').unwrap_or(text).lines().collect()
}

/// Collects the changes of a comparison.
struct Collector<'a> {
    found: TextDifference,
    pairing: Pairing,
    is_cancelled: &'a dyn Fn() -> bool,
}

impl<'a> Collector<'a> {
    fn new(is_cancelled: &'a dyn Fn() -> bool) -> Self {
        Self { found: TextDifference::default(), pairing: Pairing::default(), is_cancelled }
    }

    /// Adds a block of lines that was replaced by another. `at` are the indices of their first lines.
    fn replace(&mut self, old: &[&str], new: &[&str], at: (usize, usize)) -> Option<()> {
        let pairs = if self.found.is_coarse { Vec::new() } else { self.pairing.pairs(old, new) };
        let (mut old_at, mut new_at) = (0, 0);
        for (old_next, new_next) in pairs.into_iter().chain([(old.len(), new.len())]) {
            for (offset, line) in old[old_at..old_next].iter().enumerate() {
                self.whole(ParagraphChangeKind::Removed, line, at.0 + old_at + offset)?;
            }
            for (offset, line) in new[new_at..new_next].iter().enumerate() {
                self.whole(ParagraphChangeKind::Added, line, at.1 + new_at + offset)?;
            }
            if let (Some(one), Some(other)) = (old.get(old_next), new.get(new_next)) {
                self.changed(one, other, (at.0 + old_next, at.1 + new_next))?;
            }
            (old_at, new_at) = (old_next + 1, new_next + 1);
        }
        Some(())
    }

    /// Adds a line that one version lacks.
    fn whole(&mut self, kind: ParagraphChangeKind, line: &str, at: usize) -> Option<()> {
        let is_removed = kind == ParagraphChangeKind::Removed;
        let length = characters(line).count();
        let found = &mut self.found;
        match (line.trim().is_empty(), is_removed) {
            (true, _) => found.empty_lines += 1,
            (false, true) => found.removed += 1,
            (false, false) => found.added += 1,
        }
        *(if is_removed { &mut found.characters_removed } else { &mut found.characters_added }) += length;
        let (before, after) = if is_removed { (Some(at + 1), None) } else { (None, Some(at + 1)) };
        self.push(|| ParagraphChange { kind, before, after, text: MarkedText::whole(line, is_removed) })
    }

    /// Adds a line that has a counterpart.
    fn changed(&mut self, one: &str, other: &str, at: (usize, usize)) -> Option<()> {
        let marked = marked(one, other);
        self.found.changed += 1;
        self.found.characters_added += marked.added;
        self.found.characters_removed += marked.removed;
        let kind = ParagraphChangeKind::Changed;
        self.push(|| ParagraphChange { kind, before: Some(at.0 + 1), after: Some(at.1 + 1), text: marked.text })
    }

    fn push(&mut self, change: impl FnOnce() -> ParagraphChange) -> Option<()> {
        self.found.total += 1;
        if self.found.changes.len() < CHANGES {
            self.found.changes.push(change());
        }
        // Asked once for each change: a paragraph is compared in milliseconds.
        (!(self.is_cancelled)()).then_some(())
    }
}
