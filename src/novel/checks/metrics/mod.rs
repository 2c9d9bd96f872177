//! Metrics: measurements of a text, computed once for rules, items and replies.
//!
//! Each file is one kind of measurement with its formulas and their sources; none of them judges. All are of narration,
//! since speech has its own rhythm. Lists with one entry per sentence are in the order of [`SentenceLengths::sentences`].

mod commas;
mod comparison;
mod endings;
mod lengths;
mod links;
mod paragraphs;
mod readability;
mod rows;
mod scripts;
mod words;

pub use commas::Commas;
pub(super) use commas::is_comma;
pub use comparison::{BENCHMARK, FigureComparison, compared, figures, windows};
pub use endings::{EndingClass, EndingMetrics, SentenceEnding};
pub use lengths::{MEDIUM, SHORT, SentenceLengths, Spread};
pub use paragraphs::ParagraphLengths;
pub use readability::{Readability, VERY_LONG};
pub use rows::SentenceRows;
pub use scripts::{ScriptMetrics, ScriptShares};
pub use words::{ConjunctionOpening, Repeat, VocabularyMetrics, WINDOW, variety};

use super::material::CheckMaterial;

#[derive(Clone, Debug)]
pub struct TextMetrics {
    pub lengths: SentenceLengths,
    /// The rows of adjacent sentences.
    pub rows: SentenceRows,
    pub commas: Commas,
    /// The endings of sentences.
    pub endings: EndingMetrics,
    /// The shares of kanji and kana.
    pub scripts: ScriptMetrics,
    pub paragraphs: ParagraphLengths,
    /// The vocabulary, conjunctions and repetitions.
    pub words: VocabularyMetrics,
    /// The readability of the narration.
    pub readability: Readability,
}

impl TextMetrics {
    pub(super) fn from_material(material: &CheckMaterial<'_>) -> Self {
        let lengths = SentenceLengths::from_material(material);
        let rows = SentenceRows::from_material(material, &lengths);
        let commas = Commas::from_material(material, &lengths);
        let scripts = ScriptMetrics::from_material(material);
        Self {
            endings: EndingMetrics::from_material(material, &lengths, &rows),
            paragraphs: ParagraphLengths::from_material(material),
            words: VocabularyMetrics::from_material(material, &lengths),
            readability: Readability::from_metrics(&lengths, &commas, &scripts),
            lengths,
            rows,
            commas,
            scripts,
        }
    }
}

/// Returns the share of `some` in `all`; 0 if `all` is 0.
fn share(some: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { some as f64 / all as f64 }
}

/// Helpers that measure texts in tests.
#[cfg(test)]
mod tests {
    use super::TextMetrics;
    use crate::{
        checks::{AnalysedDraft, CheckMaterial, NovelContext, Tuning},
        manuscript::ManuscriptOptions,
        morphology::{Ipadic, NameKind, NameLexicon},
    };

    /// Measures a text whose novel has the given names.
    pub(super) fn measured_with(text: &str, names: &[&str]) -> TextMetrics {
        let mut lexicon = NameLexicon::default();
        for name in names {
            lexicon.add(name, None, NameKind::Person);
        }
        let context = NovelContext { names: lexicon, ..NovelContext::default() };
        let (draft, tuning) = (AnalysedDraft::read(text, ManuscriptOptions::default()), Tuning::default());
        CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared()).metrics().clone()
    }

    /// Measures a text of a novel without names.
    pub(super) fn measured(text: &str) -> TextMetrics {
        measured_with(text, &[])
    }

    /// True if two numbers are equal up to rounding errors.
    pub(super) fn is_near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn empty_text_yields_no_metrics() {
        for text in ["", "　\n", "「ああ」", "# 題"] {
            let metrics = measured(text);
            assert!(metrics.lengths.sentences.is_empty() && metrics.rows.rows.is_empty(), "{text}");
            assert_eq!((metrics.commas.score, metrics.words.variety, metrics.readability.score), (None, None, None));
            assert!(is_near(metrics.words.conjunction_share, 0.0), "{text}");
        }
    }
}
