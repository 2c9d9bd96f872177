//! The lengths of the sentences of narration, in visible characters without white space.
//!
//! Baselines of 坊っちゃん: mean 33.4, coefficient of variation 0.64, 31 % up to 20 characters, 52 % from 21 to 50
//! (novel-checks §1).

use crate::{checks::material::CheckMaterial, manuscript::TextVoice};

/// The maximum length of a short sentence, in characters; one up to [`MEDIUM`] is medium (novel-checks 2.2).
pub const SHORT: usize = 20;
/// The maximum length of a medium sentence, in characters; a longer one is long (novel-checks 2.2).
pub const MEDIUM: usize = 50;

/// The shares of short, medium and long sentences in a balanced text (novel-checks 2.2, close to those of 坊っちゃん).
const BALANCED: [f64; 3] = [0.30, 0.52, 0.18];

/// The same shares for texts that are read on a screen; a starting value.
const BALANCED_ON_SCREEN: [f64; 3] = [0.45, 0.45, 0.10];

/// The mean and standard deviation of a set of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The number of values.
    pub count: usize,
    /// The mean; 0 without values.
    pub mean: f64,
    /// The population standard deviation.
    pub deviation: f64,
}

impl Spread {
    /// Computes mean and deviation of numbers.
    pub fn from_numbers(numbers: impl IntoIterator<Item = f64> + Clone) -> Self {
        let count = numbers.clone().into_iter().count();
        if count == 0 {
            return Self::default();
        }
        let mean = numbers.clone().into_iter().sum::<f64>() / count as f64;
        let squares: f64 = numbers.into_iter().map(|number| (number - mean).powi(2)).sum();
        Self { count, mean, deviation: (squares / count as f64).sqrt() }
    }

    /// Returns the coefficient of variation, the deviation divided by the mean; 0 if the mean is 0.
    pub fn variation(&self) -> f64 {
        if self.mean == 0.0 { 0.0 } else { self.deviation / self.mean }
    }
}

/// The lengths of the sentences of narration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SentenceLengths {
    /// For each sentence, its index in the text and its number of characters.
    pub sentences: Vec<(usize, usize)>,
    /// The mean and deviation of the lengths.
    pub spread: Spread,
    /// The shares of short, medium and long sentences; zeros without sentences.
    pub shares: [f64; 3],
    /// The similarity of the shares to those of a balanced text, from 0 to 100; `None` without sentences.
    pub balance: Option<f64>,
}

impl SentenceLengths {
    pub(super) fn from_material(material: &CheckMaterial<'_>) -> Self {
        let manuscript = material.manuscript();
        let heard = material.sentences_in_voice(TextVoice::Narration);
        let sentences: Vec<(usize, usize)> = heard
            .map(|(at, sentence, _)| (at, sentence.counts(manuscript).characters))
            .filter(|(_, length)| *length > 0)
            .collect();
        let mut counts = [0_usize; 3];
        for (_, length) in &sentences {
            let class = usize::from(*length > SHORT) + usize::from(*length > MEDIUM);
            counts[class] += 1;
        }
        let all = sentences.len().max(1) as f64;
        let shares = counts.map(|count| count as f64 / all);
        let reference = if material.context().is_on_screen() { BALANCED_ON_SCREEN } else { BALANCED };
        Self {
            spread: Spread::from_numbers(sentences.iter().map(|(_, length)| *length as f64)),
            balance: (!sentences.is_empty()).then(|| balance(shares, reference)),
            shares,
            sentences,
        }
    }
}

/// Returns 100 · (1 − ½ Σ|p − ref| / (1 − min ref)): 100 for equal shares, 0 for the most distant ones (novel-checks
/// 2.2).
fn balance(shares: [f64; 3], reference: [f64; 3]) -> f64 {
    let distance: f64 = shares.iter().zip(reference).map(|(own, ideal)| (own - ideal).abs()).sum();
    let farthest = 1.0 - reference.into_iter().fold(f64::MAX, f64::min);
    (100.0 * (1.0 - distance / 2.0 / farthest)).clamp(0.0, 100.0)
}

#[cfg(test)]
mod tests {
    use super::{BALANCED, Spread, balance};

    #[test]
    fn balance_depends_on_length_shares() {
        assert!((balance(BALANCED, BALANCED) - 100.0).abs() < 1e-9);
        assert!(balance([0.0, 0.0, 1.0], BALANCED).abs() < 1e-9);
    }

    #[test]
    fn variation_is_deviation_over_mean() {
        let spread = Spread::from_numbers([10.0, 30.0]);
        assert_eq!((spread.count, spread.mean, spread.deviation, spread.variation()), (2, 20.0, 10.0, 0.5));
        assert!(Spread::from_numbers([]).variation().abs() < 1e-9);
    }
}
