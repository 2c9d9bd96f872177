//! Twelve figures of a text beside those of printed literature: how usual each is, never how good.
//!
//! The reference is small: windows of some 3,000 characters of 坊っちゃん (`reference.toml`, made by the example
//! `make_reference`). So a comparison is of low confidence, and says so.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use crate::{checks::material::Material, text::DialogueRatio};

/// What the reference is called.
pub const BENCHMARK: &str = "PD-JP v1 (坊っちゃん)";

/// A figure among the middle four fifths of the reference is usual.
const USUAL: (f64, f64) = (0.1, 0.9);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    /// Each figure of each window, from the least.
    figures: BTreeMap<String, Vec<f64>>,
}

static REFERENCE: LazyLock<Reference> =
    LazyLock::new(|| toml::from_str(include_str!("reference.toml")).expect("the embedded reference is well-formed"));

/// A figure beside the reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Its name.
    pub name: &'static str,
    /// Of this text.
    pub value: f64,
    /// The share of windows of the reference that have less.
    pub percentile: f64,
    /// From 1 where it is usual to 0 where it is as far outside as the usual range is wide.
    pub usual: f64,
}

/// The figures of a text; `None` without narration.
#[must_use]
pub fn figures(material: &Material<'_>) -> Option<Vec<(&'static str, f64)>> {
    let metrics = material.metrics();
    let lengths = &metrics.lengths;
    if lengths.sentences.is_empty() {
        return None;
    }
    let shares = metrics.scripts.shares;
    let top_ending = metrics.endings.shares.values().copied().fold(0.0, f64::max);
    Some(vec![
        ("sentence_length", lengths.spread.mean),
        ("sentence_variation", lengths.spread.variation()),
        ("short_sentences", lengths.shares[0]),
        ("long_sentences", lengths.shares[2]),
        ("commas", metrics.commas.spread.mean),
        ("kanji", shares.kanji),
        ("hiragana", shares.hiragana),
        ("katakana", shares.katakana),
        ("variety_of_words", metrics.words.variety.unwrap_or_default()),
        ("conjunctions", metrics.words.conjunction_share),
        ("most_frequent_ending", top_ending),
        (
            "dialogue",
            DialogueRatio::of(material.manuscript())
                .by_characters()
                .unwrap_or_default(),
        ),
    ])
}

/// The figures beside the reference.
#[must_use]
pub fn compared(figures: &[(&'static str, f64)]) -> Vec<Compared> {
    let known = figures
        .iter()
        .filter_map(|(name, value)| Some((*name, *value, REFERENCE.figures.get(*name)?)));
    known
        .map(|(name, value, windows)| beside(name, value, windows))
        .collect()
}

/// How many windows the reference has.
#[must_use]
pub fn windows() -> usize {
    REFERENCE.figures.values().map(Vec::len).max().unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "there are some thirty windows")]
fn beside(name: &'static str, value: f64, windows: &[f64]) -> Compared {
    let count = windows.len().max(1) as f64;
    let less = windows.partition_point(|window| *window < value) as f64;
    let (low, high) = (quantile(windows, USUAL.0), quantile(windows, USUAL.1));
    let outside = (low - value).max(value - high).max(0.0);
    let wide = (high - low).max(f64::EPSILON);
    Compared {
        name,
        value,
        percentile: less / count,
        usual: (1.0 - outside / wide).clamp(0.0, 1.0),
    }
}

/// The value below which a share of sorted numbers lies.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place among some thirty"
)]
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let at = (share * last as f64).round() as usize;
    sorted.get(at).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn what_is_usual_is_whole_and_what_is_far_outside_is_nothing() {
        let windows: Vec<f64> = (0..=10).map(f64::from).collect();
        let usual = |value| format!("{:.2}", beside("x", value, &windows).usual);
        assert_eq!([usual(1.0), usual(5.0), usual(9.0)], ["1.00"; 3]);
        assert_eq!([usual(13.0), usual(17.0), usual(-7.0)], ["0.50", "0.00", "0.00"]);
        assert!((beside("x", 5.0, &windows).percentile - 5.0 / 11.0).abs() < 1e-9);
    }
}
