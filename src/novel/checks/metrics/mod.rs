//! Metrics: measurements of a text, computed once for rules, items and replies.
//!
//! Each file is one kind of measurement with its formulas and their sources; none of them judges. All are of narration,
//! since speech has its own rhythm. Lists with one entry per sentence are in the order of [`Lengths::sentences`].

mod commas;
mod comparison;
mod endings;
mod lengths;
mod paragraphs;
mod readability;
mod rows;
mod scripts;
mod words;

pub use commas::Commas;
pub(super) use commas::is_comma;
pub use comparison::{BENCHMARK, Compared, compared, figures, windows};
pub use endings::{Ending, EndingClass, Endings};
pub use lengths::{Lengths, MEDIUM, SHORT, Spread};
pub use paragraphs::Paragraphs;
pub use readability::{Readability, VERY_LONG};
pub use rows::Rows;
pub use scripts::{ScriptShares, WrittenIn};
pub use words::{Opening, Repeat, WINDOW, Words, variety};

use super::material::Material;

/// All metrics of a text.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// The lengths of sentences.
    pub lengths: Lengths,
    /// The rows of adjacent sentences.
    pub rows: Rows,
    pub commas: Commas,
    /// The endings of sentences.
    pub endings: Endings,
    /// The shares of kanji and kana.
    pub scripts: WrittenIn,
    /// The lengths of paragraphs.
    pub paragraphs: Paragraphs,
    /// The vocabulary, conjunctions and repetitions.
    pub words: Words,
    /// The readability of the narration.
    pub readability: Readability,
}

impl Metrics {
    pub(super) fn of(material: &Material<'_>) -> Self {
        let lengths = Lengths::of(material);
        let rows = Rows::of(material, &lengths);
        let commas = Commas::of(material, &lengths);
        let scripts = WrittenIn::of(material);
        Self {
            endings: Endings::of(material, &lengths, &rows),
            paragraphs: Paragraphs::of(material),
            words: Words::of(material, &lengths),
            readability: Readability::of(&lengths, &commas, &scripts),
            lengths,
            rows,
            commas,
            scripts,
        }
    }
}

/// Returns the share of `some` in `all`; 0 if `all` is 0.
#[expect(clippy::cast_precision_loss, reason = "counts of a text are far below 2⁵²")]
fn share(some: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { some as f64 / all as f64 }
}

/// Helpers that measure texts in tests.
#[cfg(test)]
mod tests {
    use super::Metrics;
    use crate::{
        checks::{Context, Draft, Material, Tuning},
        manuscript::Reading,
        morphology::{Ipadic, Lexicon, NameKind},
    };

    /// Measures a text whose novel has the given names.
    pub(super) fn measured_with(text: &str, names: &[&str]) -> Metrics {
        let mut lexicon = Lexicon::default();
        for name in names {
            lexicon.add(name, None, NameKind::Person);
        }
        let context = Context {
            names: lexicon,
            ..Context::default()
        };
        let (draft, tuning) = (Draft::read(text, Reading::default()), Tuning::default());
        Material::of(&draft, &context, &tuning, Ipadic::shared())
            .metrics()
            .clone()
    }

    /// Measures a text of a novel without names.
    pub(super) fn measured(text: &str) -> Metrics {
        measured_with(text, &[])
    }

    /// True if two numbers are equal up to rounding errors.
    pub(super) fn is_near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn of_nothing_nothing_is_measured_and_nothing_divided_by() {
        for text in ["", "　\n", "「ああ」", "# 題"] {
            let metrics = measured(text);
            assert!(
                metrics.lengths.sentences.is_empty() && metrics.rows.rows.is_empty(),
                "{text}"
            );
            assert_eq!(
                (metrics.commas.score, metrics.words.variety, metrics.readability.score),
                (None, None, None)
            );
            assert!(is_near(metrics.words.conjunction_share, 0.0), "{text}");
        }
    }
}
