//! The links between paragraphs: how much vocabulary a paragraph shares with the two before it, compared with the same
//! paragraphs in random orders.
//!
//! If the order of the paragraphs is arbitrary, about half of the random orders have weaker links. The same is true of texts
//! with few long paragraphs, and of texts with loosely connected parts. Words that neighbouring sentences share are the
//! simplest measure of lexical cohesion (Halliday & Hasan, *Cohesion in English*, 1976); comparing a text with its own
//! permutations is how such measures are evaluated (Barzilay & Lapata, *Modeling Local Coherence*, 2008).

use std::collections::{BTreeMap, HashMap};

use crate::checks::material::CheckMaterial;

/// The number of random orders.
const ORDERS: usize = 200;

/// The smallest number of paragraphs with words; with fewer, chance decides.
const FEWEST: usize = 4;

/// The largest number of paragraphs that are compared, from the beginning.
const MOST: usize = 1_000;

/// The number of preceding paragraphs whose words are looked up.
const BEFORE: usize = 2;

/// Returns the share of random orders of the paragraphs, from 0 to 1, in which neighbours share less vocabulary than in
/// the text; equal orders count half. `None` for a text with fewer than four paragraphs.
pub(super) fn paragraph_links(material: &CheckMaterial<'_>) -> Option<f64> {
    let mut paragraphs = vocabulary(material);
    paragraphs.truncate(MOST);
    if paragraphs.len() < FEWEST {
        return None;
    }
    let own = links(&paragraphs);
    let mut random = Random(paragraphs.len() as u64);
    let mut below = 0.0;
    for _ in 0..ORDERS {
        random.shuffle(&mut paragraphs);
        below += match own.total_cmp(&links(&paragraphs)) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        };
    }
    Some(below / ORDERS as f64)
}

/// Returns the different content words of each paragraph of the story as ascending numbers. Paragraphs without any are left
/// out.
fn vocabulary(material: &CheckMaterial<'_>) -> Vec<Vec<u32>> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut lines: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for word in material.words() {
        let sentence = &material.sentences()[word.sentence];
        if sentence.is_story() && word.is_content() {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            lines.entry(sentence.line).or_default().push(*numbers.entry(word.base).or_insert(next));
        }
    }
    let sorted = lines.into_values().map(|mut words| {
        words.sort_unstable();
        words.dedup();
        words
    });
    sorted.filter(|words| !words.is_empty()).collect()
}

/// Returns the mean share of common words between each paragraph and the two before it: the common words divided by the
/// geometric mean of both numbers of words.
fn links(paragraphs: &[Vec<u32>]) -> f64 {
    let mut sum = 0.0;
    for at in 1..paragraphs.len() {
        let mut before: Vec<u32> = paragraphs[at.saturating_sub(BEFORE)..at].concat();
        before.sort_unstable();
        before.dedup();
        let own = &paragraphs[at];
        let common = own.iter().filter(|word| before.binary_search(word).is_ok()).count();
        sum += common as f64 / (own.len() as f64 * before.len() as f64).sqrt();
    }
    sum / (paragraphs.len() - 1) as f64
}

/// Random numbers with a fixed beginning, so that equal texts have equal values (`SplitMix64`).
struct Random(u64);

impl Random {
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Shuffles items (Fisher and Yates).
    #[expect(clippy::cast_possible_truncation, reason = "a remainder of a length")]
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, (self.number() % (last as u64 + 1)) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Random, links};

    #[test]
    fn neighbours_with_common_words_are_linked() {
        let chain: Vec<Vec<u32>> = (0..9).map(|at| vec![at, at + 1]).collect();
        let own = links(&chain);
        // 0·1 beside 1·2: one of two words; from the third paragraph on the two before have three words.
        let expected = (1.0 / 2.0 + 7.0 / 6.0_f64.sqrt()) / 8.0;
        assert!((own - expected).abs() < 1e-9, "{own}");
        let mut random = Random(1);
        let mut shuffled = chain.clone();
        random.shuffle(&mut shuffled);
        assert!(shuffled != chain && links(&shuffled) < own);
        shuffled.sort();
        assert_eq!(shuffled, chain);
    }
}
