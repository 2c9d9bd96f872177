//! The commas of narration: their number per sentence, and how close that is to a steady rhythm.
//!
//! Baselines of 坊っちゃん: 1.07 per sentence (novel-checks §1), 6.7 % of sentences with more than three (textlint,
//! which splits sentences differently, has 7.3 %). Speech in the middle of a sentence is not counted.

use super::{SentenceLengths, lengths::Spread, share};
use crate::checks::material::CheckMaterial;

/// The maximum number of commas of a sentence that does not count as overloaded.
const MANY: usize = 3;

/// The mean without a penalty, the tolerated distance from it, and the penalty of each further such distance.
const STEADY: f64 = 1.1;
const FREE: f64 = 0.5;
const COST: f64 = 20.0;

/// The penalty of each percent of sentences with more than [`MANY`] commas.
const COST_OF_MANY: f64 = 2.0;

/// The commas of narration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Commas {
    /// The number of commas of each sentence.
    pub of_sentences: Vec<usize>,
    /// The mean and deviation of these numbers.
    pub spread: Spread,
    /// The share of sentences with more than three commas.
    pub many: f64,
    /// From 0 to 100; `None` without sentences.
    pub score: Option<f64>,
}

impl Commas {
    pub(super) fn from_material(material: &CheckMaterial<'_>, lengths: &SentenceLengths) -> Self {
        let sentences = lengths.sentences.iter().map(|(at, _)| &material.sentences()[*at]);
        let of_sentences: Vec<usize> = sentences
            .map(|sentence| {
                let pieces = sentence.pieces.iter();
                let count = |text: &str| text.matches(is_comma).count();
                pieces.map(|piece| count(&material.text()[piece.visible.clone()])).sum()
            })
            .collect();
        let spread = Spread::from_numbers(of_sentences.iter().map(|count| *count as f64));
        let many = share(of_sentences.iter().filter(|count| **count > MANY).count(), of_sentences.len());
        Self { score: (spread.count > 0).then(|| score(spread.mean, many)), of_sentences, spread, many }
    }
}

/// True if a character is a 読点.
pub(in crate::checks) fn is_comma(c: char) -> bool {
    matches!(c, '、' | '，' | '､')
}

/// Returns 100 − 20·max(0, |mean − 1.1| − 0.5)/0.5 − 2·(percent of sentences with more than three commas), at least 0
/// (novel-checks 2.2).
fn score(mean: f64, many: f64) -> f64 {
    let off = ((mean - STEADY).abs() - FREE).max(0.0);
    (100.0 - COST * off / FREE - COST_OF_MANY * many * 100.0).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::score;
    use crate::checks::metrics::tests::{is_near, measured};

    #[test]
    fn commas_in_speech_are_not_counted() {
        let commas = measured("　朝、昼、夜、そして、また朝。彼は、「ああ、うん」と、言った。").commas;
        assert_eq!(commas.of_sentences, [4, 2]);
        assert!(is_near(commas.spread.mean, 3.0) && is_near(commas.many, 0.5));
        // 100 − 20·(1.9 − 0.5)/0.5 − 2·50.
        assert_eq!(commas.score, Some(0.0));
    }

    #[test]
    fn steady_comma_rate_scores_full() {
        assert!(is_near(score(1.1, 0.0), 100.0) && is_near(score(0.6, 0.0), 100.0));
        // |0.1 − 1.1| − 0.5 = 0.5: one further distance, plus ten percent of sentences: 20.
        assert!(is_near(score(0.1, 0.10), 60.0));
    }
}
