//! The comparison of a text's figures with those of printed literature: what is usual, not what is good.

use fumi_base::text::Locale;
use fumi_novel::checks::{items::EvaluationMethod, metrics};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    CheckContext,
    aspect::{percent, title},
    hundredths, tenths,
};

/// Figures with a usualness below this limit are shown.
const UNUSUAL: f64 = 0.5;

/// Thirteen figures compared with printed literature. The comparison does not affect any score.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct LiteratureComparison {
    /// The usualness of the figures, from 0 to 100; absent if the text has no narration.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    benchmark: String,
    method: &'static str,
    /// `low`, because the reference is one book.
    confidence: &'static str,
    /// The unusual figures, or all with `verbose`.
    figures: Vec<Figure>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Figure {
    name: &'static str,
    value: f64,
    /// The share of windows of the reference with a lower value, from 0 to 1.
    percentile: f64,
}

impl LiteratureComparison {
    pub(super) fn measure(seen: &CheckContext<'_>) -> Self {
        let compared = metrics::compared(&metrics::figures(seen.material).unwrap_or_default());
        let usual = compared.iter().map(|one| one.usual).sum::<f64>() / compared.len().max(1) as f64;
        let is_shown = |one: &&metrics::FigureComparison| seen.job.verbose || one.usual < UNUSUAL;
        Self {
            score: (!compared.is_empty()).then(|| tenths(100.0 * usual)),
            benchmark: format!("{}, {} × 3000字", metrics::BENCHMARK, metrics::windows()),
            method: if compared.is_empty() {
                EvaluationMethod::NotEvaluated.name()
            } else {
                EvaluationMethod::Deterministic.name()
            },
            confidence: "low",
            figures: compared
                .iter()
                .filter(is_shown)
                .map(|one| Figure {
                    name: one.name,
                    value: hundredths(one.value),
                    percentile: hundredths(one.percentile),
                })
                .collect(),
        }
    }

    /// Returns the comparison as lines of text.
    pub(super) fn lines(&self, locale: Locale) -> Vec<String> {
        let score = self.score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        let mut lines = vec![match locale {
            Locale::En => {
                format!("professional_comparison {score} (with {}, confidence {})", self.benchmark, self.confidence)
            }
            Locale::Ja => {
                format!("文学作品との比較 {score}（比較対象: {}。一冊なので目安）", self.benchmark)
            }
        }];
        lines.extend(self.figures.iter().map(|figure| {
            let (name, value, above) = (figure.name, figure.value, percent(figure.percentile));
            let place = match (figure.percentile, locale) {
                (share, Locale::En) if share <= 0.0 => "lower than all of it".to_owned(),
                (share, Locale::En) if share >= 1.0 => "higher than all of it".to_owned(),
                (_, Locale::En) => format!("higher than {above} % of it"),
                (share, Locale::Ja) if share <= 0.0 => format!("比較対象のどれよりも{}", low_and_high(name).0),
                (share, Locale::Ja) if share >= 1.0 => format!("比較対象のどれよりも{}", low_and_high(name).1),
                (_, Locale::Ja) => format!("比較対象の {above} % より{}", low_and_high(name).1),
            };
            format!("  {} {value}: {place}", title(name, locale))
        }));
        lines
    }
}

/// Returns the Japanese words for a low and a high value of a figure.
fn low_and_high(name: &str) -> (&'static str, &'static str) {
    match name {
        "sentence_length" | "commas" => ("少ない", "多い"),
        "sentence_variation" => ("小さい", "大きい"),
        _ => ("低い", "高い"),
    }
}
