//! The readability of narration as one number. It serves to compare texts; it is not validated and does not measure
//! quality.
//!
//! R = 100 − 1.2·max(0, mean length of a sentence − 30) − 150·max(0, share of kanji − 0.33) − 4·max(0, commas per
//! sentence − 1.6) − 2·(percent of sentences with more than 80 characters), at least 0 (decision 39). As everywhere
//! here, the share of kanji is that among kanji and kana.

use super::{Commas, ScriptMetrics, SentenceLengths, share};

/// The maximum number of characters of a sentence that is not very long.
pub const VERY_LONG: usize = 80;

/// The readability of narration with the factors that lower it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Readability {
    /// The mean number of characters per sentence.
    pub mean_length: f64,
    /// The share of kanji among kanji and kana.
    pub kanji: f64,
    /// The mean number of commas per sentence.
    pub commas: f64,
    /// The share of sentences with more than 80 characters.
    pub very_long: f64,
    /// From 0 to 100; `None` without sentences.
    pub score: Option<f64>,
}

impl Readability {
    pub(super) fn from_metrics(lengths: &SentenceLengths, commas: &Commas, scripts: &ScriptMetrics) -> Self {
        let very_long = lengths.sentences.iter().filter(|(_, length)| *length > VERY_LONG);
        let mut read = Self {
            mean_length: lengths.spread.mean,
            kanji: scripts.shares.kanji,
            commas: commas.spread.mean,
            very_long: share(very_long.count(), lengths.sentences.len()),
            score: None,
        };
        read.score = (lengths.spread.count > 0).then(|| read.formula());
        read
    }

    fn formula(&self) -> f64 {
        let over = |value: f64, limit: f64| (value - limit).max(0.0);
        let cost = 1.2 * over(self.mean_length, 30.0)
            + 150.0 * over(self.kanji, 0.33)
            + 4.0 * over(self.commas, 1.6)
            + 2.0 * self.very_long * 100.0;
        (100.0 - cost).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Readability;
    use crate::checks::metrics::tests::is_near;

    #[test]
    fn readability_follows_its_formula() {
        let easy = Readability { mean_length: 30.0, kanji: 0.33, commas: 1.6, ..Readability::default() };
        assert!(is_near(easy.formula(), 100.0));
        let hard = Readability { mean_length: 40.0, kanji: 0.43, commas: 2.6, very_long: 0.05, score: None };
        // 12 + 15 + 4 + 10.
        assert!(is_near(hard.formula(), 59.0), "{}", hard.formula());
        let worst = Readability { very_long: 1.0, ..hard };
        assert!(is_near(worst.formula(), 0.0));
    }
}
