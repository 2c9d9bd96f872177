//! A changed paragraph as one line: `[-…-]` around what was removed, `{+…+}` around what was inserted, a few characters
//! around each change, `…` for the rest.
//!
//! Characters are compared with the marks that belong to them (variation selectors, combining marks), so that no half
//! of one is shown. Two changes with hardly a character between them are one change.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::manuscript::is_modifier;

/// The number of characters shown on either side of a change.
const AROUND: usize = 12;

/// The largest number of removed or inserted characters that are shown of one change.
const SHOWN: usize = 400;

/// The largest number of equal characters between two changes that are taken as one.
const BETWEEN: usize = 2;

/// A paragraph counts as replaced as a whole if fewer than one in this many of its characters stay the same.
const KEPT: usize = 4;

/// The largest paragraph, in characters of both versions, that is compared by characters.
const LONGEST: usize = 20_000;

/// The number of bytes after which the further changes of a paragraph are only counted.
const TEXT: usize = 6_000;

/// The mark for an empty line and for the end of a line.
const LINE_END: &str = "⏎";

/// A paragraph with its changes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MarkedText {
    pub(super) text: String,
    /// The number of inserted characters.
    pub(super) added: usize,
    /// The number of removed characters.
    pub(super) removed: usize,
}

impl MarkedText {
    /// Returns a paragraph that was removed or inserted as a whole.
    pub(super) fn whole(line: &str, is_removed: bool) -> String {
        let line = if line.is_empty() { LINE_END } else { line };
        let all: Vec<&str> = characters(line).collect();
        let mut text = String::new();
        if is_removed {
            change(&mut text, &all, &[]);
        } else {
            change(&mut text, &[], &all);
        }
        text
    }
}

/// Iterates over the characters of a text, each with the marks that modify it.
pub(super) fn characters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut ends = rest.char_indices().skip(1).filter(|(_, c)| !is_modifier(*c));
        if rest.is_empty() {
            return None;
        }
        let (first, left) = rest.split_at(ends.next().map_or(rest.len(), |(at, _)| at));
        rest = left;
        Some(first)
    })
}

/// Compares two forms of a paragraph.
pub(super) fn marked(before: &str, after: &str) -> MarkedText {
    let (old, new): (Vec<&str>, Vec<&str>) = (characters(before).collect(), characters(after).collect());
    let changes = changes(&old, &new);
    let mut marked = MarkedText { text: String::new(), added: 0, removed: 0 };
    let (mut at, mut hidden) = (0, 0);
    for (number, one) in changes.iter().enumerate() {
        marked.removed += one.old.len();
        marked.added += one.new.len();
        if marked.text.len() > TEXT {
            hidden += 1;
            continue;
        }
        context(&mut marked.text, &old[at..one.old.start], number > 0, true);
        change(&mut marked.text, &old[one.old.clone()], &new[one.new.clone()]);
        at = one.old.end;
    }
    if hidden > 0 {
        marked.text.push_str(&format!("…(+{hidden})"));
    } else {
        context(&mut marked.text, &old[at..], true, false);
    }
    marked
}

/// A range of the old characters, and of the new ones in their place.
struct CharacterChange {
    old: std::ops::Range<usize>,
    new: std::ops::Range<usize>,
}

/// Returns the changes in order. They cover everything that is not equal.
fn changes(old: &[&str], new: &[&str]) -> Vec<CharacterChange> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let whole = || vec![CharacterChange { old: head..old.len() - tail, new: head..new.len() - tail }];
    let (one, other) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if one.is_empty() || other.is_empty() || one.len() + other.len() > LONGEST {
        return whole();
    }
    let mut changes: Vec<CharacterChange> = Vec::new();
    let mut kept = head + tail;
    for op in capture_diff_slices(Algorithm::Myers, one, other) {
        if let DiffOp::Equal { len, .. } = op {
            kept += len;
            continue;
        }
        let shifted = |range: std::ops::Range<usize>| head + range.start..head + range.end;
        let (old, new) = (shifted(op.old_range()), shifted(op.new_range()));
        match changes.last_mut() {
            Some(last) if old.start - last.old.end <= BETWEEN => (last.old.end, last.new.end) = (old.end, new.end),
            _ => changes.push(CharacterChange { old, new }),
        }
    }
    if kept * KEPT < old.len().max(new.len()) { whole() } else { changes }
}

/// Adds characters that are equal, shortened to those beside a change.
fn context(text: &mut String, equal: &[&str], has_before: bool, has_after: bool) {
    let (first, last) = (if has_before { AROUND } else { 0 }, if has_after { AROUND } else { 0 });
    if equal.len() <= first + last + 1 {
        text.extend(equal.iter().copied());
        return;
    }
    text.extend(equal[..first].iter().copied());
    text.push('…');
    text.extend(equal[equal.len() - last..].iter().copied());
}

/// Adds a change.
fn change(text: &mut String, removed: &[&str], inserted: &[&str]) {
    for (open, part, close) in [("[-", removed, "-]"), ("{+", inserted, "+}")] {
        if part.is_empty() {
            continue;
        }
        text.push_str(open);
        text.extend(part.iter().take(SHOWN).copied());
        if let Some(more) = part.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            text.push_str(&format!("…({more})"));
        }
        text.push_str(close);
    }
}
