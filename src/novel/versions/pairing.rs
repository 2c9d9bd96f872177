//! The pairing of the old paragraphs of a block with the new ones that are their rewritten forms.
//!
//! Two paragraphs are counterparts if they share enough pairs of neighbouring characters; the order is kept. The work of
//! one comparison is limited: beyond the limit, paragraphs are paired by their position if a block has as many old ones as
//! new ones, and otherwise not at all.

use std::cmp::Ordering;

/// The least similarity of counterparts, from 0 to 1: two unrelated Japanese sentences have about 0.15.
const SIMILAR: f64 = 0.35;

/// The largest number of pairs of paragraphs compared in one block.
const BLOCK: usize = 2_500;

/// The largest number of characters of a paragraph that are compared.
const BEGINNING: usize = 1_000;

/// The largest number of steps of all blocks of a comparison: some tenths of a second.
const STEPS: usize = 100_000_000;

/// The pairing of a comparison.
#[derive(Debug)]
pub(super) struct Pairing {
    steps: usize,
}

impl Default for Pairing {
    fn default() -> Self {
        Self { steps: STEPS }
    }
}

impl Pairing {
    /// Returns the indices of counterparts, in order.
    pub(super) fn pairs(&mut self, old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
        if old.is_empty() || new.is_empty() {
            return Vec::new();
        }
        let is_text = |line: &str| !line.trim().is_empty();
        let [[one], [other]] = [old, new] else {
            if old.len() * new.len() > BLOCK || self.steps == 0 {
                let is_pair = |at: &usize| old.len() == new.len() && is_text(old[*at]) == is_text(new[*at]);
                return (0..old.len()).filter(is_pair).map(|at| (at, at)).collect();
            }
            return self.most_similar(old, new);
        };
        // A paragraph in the place of another is its new form, however much was rewritten.
        if is_text(one) == is_text(other) { vec![(0, 0)] } else { Vec::new() }
    }

    /// Returns the pairs with the largest sum of similarities.
    fn most_similar(&mut self, old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
        let (old, new): (Vec<_>, Vec<_>) =
            (old.iter().map(|line| bigrams(line)).collect(), new.iter().map(|line| bigrams(line)).collect());
        let width = new.len() + 1;
        let mut similarities = vec![0.0; old.len() * new.len()];
        for (i, one) in old.iter().enumerate() {
            for (j, other) in new.iter().enumerate() {
                self.steps = self.steps.saturating_sub(one.len() + other.len());
                similarities[i * new.len() + j] = similarity(one, other);
            }
        }
        let fitting = |i: usize, j: usize| similarities[i * new.len() + j];
        // The best sum for the paragraphs from (i, j) on.
        let mut best = vec![0.0_f64; (old.len() + 1) * width];
        for i in (0..old.len()).rev() {
            for j in (0..new.len()).rev() {
                let skipped = best[(i + 1) * width + j].max(best[i * width + j + 1]);
                let paired = fitting(i, j) + best[(i + 1) * width + j + 1];
                best[i * width + j] = if fitting(i, j) >= SIMILAR { skipped.max(paired) } else { skipped };
            }
        }
        let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
        while i < old.len() && j < new.len() {
            let here = best[i * width + j];
            if fitting(i, j) >= SIMILAR && here <= fitting(i, j) + best[(i + 1) * width + j + 1] {
                pairs.push((i, j));
                (i, j) = (i + 1, j + 1);
            } else if here <= best[(i + 1) * width + j] {
                i += 1;
            } else {
                j += 1;
            }
        }
        pairs
    }
}

/// Returns the pairs of neighbouring characters at the beginning of a paragraph, sorted. The indentation is left out.
fn bigrams(line: &str) -> Vec<(char, char)> {
    let text: Vec<char> = line.trim().chars().take(BEGINNING).collect();
    let mut pairs: Vec<(char, char)> = match text.as_slice() {
        [single] => vec![(*single, ' ')],
        text => text.windows(2).map(|pair| (pair[0], pair[1])).collect(),
    };
    pairs.sort_unstable();
    pairs
}

/// Returns the share of common pairs, from 0 to 1. Empty lines are never counterparts.
fn similarity(one: &[(char, char)], other: &[(char, char)]) -> f64 {
    let (mut i, mut j, mut common) = (0, 0, 0_u32);
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        match a.cmp(b) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => (i, j, common) = (i + 1, j + 1, common + 1),
        }
    }
    let all = u32::try_from(one.len() + other.len()).unwrap_or(u32::MAX);
    if all == 0 { 0.0 } else { f64::from(2 * common) / f64::from(all) }
}
