//! Matches the lines of two snapshots. Only order and identity of the lines are considered, not the changes within
//! them.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use super::lines::SnapshotLine;

/// The matching between the lines of two lists.
pub(crate) struct LineMatching {
    /// For each new line the index of its old line; the indices rise.
    pub(crate) of_new: Vec<Option<usize>>,
    /// For each old line, true if it has a new line.
    pub(crate) old_kept: Vec<bool>,
}

/// Matches equal lines first, then lines with the same key, then rows with the same first cell; among equals, the first
/// with the first. Lines whose order changed are not matched.
pub(crate) fn match_lines(old: &[SnapshotLine<'_>], new: &[SnapshotLine<'_>]) -> LineMatching {
    let mut of_new = vec![None; new.len()];
    let mut taken = vec![false; old.len()];
    match_by(old, new, |line| Some(line.fingerprint()), &mut of_new, &mut taken);
    match_by(old, new, |line| Some(line.key()), &mut of_new, &mut taken);
    match_by(old, new, SnapshotLine::first_cell, &mut of_new, &mut taken);
    let rising = longest_rising(&of_new);
    let mut old_kept = vec![false; old.len()];
    for (index, pair) in of_new.iter_mut().enumerate() {
        match *pair {
            Some(other) if rising.contains(&index) => old_kept[other] = true,
            _ => *pair = None,
        }
    }
    LineMatching { of_new, old_kept }
}

fn match_by<'lines, 'text, Key: Hash + Eq>(
    old: &'lines [SnapshotLine<'text>],
    new: &'lines [SnapshotLine<'text>],
    key: impl Fn(&'lines SnapshotLine<'text>) -> Option<Key>,
    of_new: &mut [Option<usize>],
    taken: &mut [bool],
) {
    let mut free: HashMap<Key, VecDeque<usize>> = HashMap::new();
    for (index, line) in old.iter().enumerate().filter(|(index, _)| !taken[*index]) {
        if let Some(key) = key(line) {
            free.entry(key).or_default().push_back(index);
        }
    }
    for (line, pair) in new.iter().zip(of_new).filter(|(_, pair)| pair.is_none()) {
        *pair = key(line).and_then(|key| free.get_mut(&key)?.pop_front());
        if let Some(index) = *pair {
            taken[index] = true;
        }
    }
}

/// Returns the positions of a longest rising subsequence of the pairs (patience sorting, O(n log n)).
fn longest_rising(pairs: &[Option<usize>]) -> HashSet<usize> {
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (position, value) in pairs.iter().enumerate() {
        let Some(value) = *value else { continue };
        let place = ends.partition_point(|&end| pairs[end].is_some_and(|other| other < value));
        before[position] = place.checked_sub(1).map(|previous| ends[previous]);
        if place == ends.len() {
            ends.push(position);
        } else {
            ends[place] = position;
        }
    }
    let mut rising = HashSet::new();
    let mut next = ends.last().copied();
    while let Some(position) = next {
        rising.insert(position);
        next = before[position];
    }
    rising
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(old: &str, new: &str) -> Vec<Option<usize>> {
        match_lines(&SnapshotLine::parse(old), &SnapshotLine::parse(new)).of_new
    }

    #[test]
    fn equal_lines_pair_first_with_first() {
        assert_eq!(pairs("- a\n- b\n- a", "- a\n- a"), [Some(0), Some(2)]);
    }

    #[test]
    fn a_changed_value_is_the_same_line() {
        assert_eq!(pairs("- text: x\n- b [ref=e1]", "- text: y\n- b [checked] [ref=e1]"), [Some(0), Some(1)]);
    }

    #[test]
    fn the_longest_order_that_stayed_is_kept() {
        assert_eq!(pairs("- a\n- b\n- c\n- d", "- d\n- a\n- b\n- c"), [None, Some(0), Some(1), Some(2)]);
    }
}
