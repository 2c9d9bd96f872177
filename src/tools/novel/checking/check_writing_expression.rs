//! The `check_writing_expression` tool: naturalness, description, figures, style and readability of the sentences, and
//! a comparison of their figures with printed literature.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::checks::{
    RuleGroup,
    aspects::{ASPECTS, AspectScore, overall_score},
    items::EvaluationMethod,
    metrics,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CHECKS, CheckContext, CheckDetails, CheckJob, CheckReply, CheckVerdict, EpisodeNumber, NovelDeps,
    aspect::{AspectReport, percent},
    hundredths,
    issue::IssueReport,
    judging::Judging,
    review::{ItemSelection, ReviewContext, ReviewOptions, review},
    tenths, texts,
};

/// Figures with a usualness below this limit are shown.
const UNUSUAL: f64 = 0.5;

#[derive(Debug)]
pub struct CheckWritingExpression;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// True for more issues, with their bytes and hashes.
    #[serde(default)]
    verbose: bool,
}

/// The part of the reply that only this check has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are those of the specification")]
pub struct Expression {
    expression_analysis: ExpressionAnalysis,
    /// The evaluated share of all aspects, from 0 to 1.
    coverage: f64,
    #[serde(skip)]
    verdict: (Option<f64>, &'static str),
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ExpressionAnalysis {
    naturalness: AspectReport,
    descriptive_power: AspectReport,
    metaphor_rhetoric: AspectReport,
    style_consistency: AspectReport,
    readability: AspectReport,
    professional_comparison: LiteratureComparison,
}

/// Twelve figures compared with printed literature. The comparison does not affect any score.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct LiteratureComparison {
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

impl Tool for CheckWritingExpression {
    const SPEC: ToolSpec = ToolSpec {
        name: "check_writing_expression",
        texts: texts!("check_writing_expression"),
        example: r#"{"episode": 1}"#,
        ..CHECKS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = CheckReply<Expression>;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<CheckReply<Expression>>, ToolError> {
        let job = CheckJob::new("check_writing_expression", args.episode, args.verbose, deps, cx)?;
        let looks = review_options();
        let work = cx.blocking(move |cancel, _| {
            let (checked, _) = review(&job, &looks, &Judging::default(), &|| cancel.is_cancelled(), expression)?;
            Ok::<_, fumi_novel::errors::reviewing::ReviewError>(checked)
        });
        Ok(ToolOutcome::Done(work.await?))
    }
}

/// Returns the rules of expression and the items of its aspects.
pub(super) fn review_options() -> ReviewOptions {
    let items = ASPECTS.expression.iter().flat_map(|aspect| &aspect.items).map(String::as_str);
    ReviewOptions {
        groups: &[RuleGroup::Expression],
        items: ItemSelection::Only(items.collect()),
        ..ReviewOptions::default()
    }
}

pub(super) fn expression(whole: &ReviewContext<'_>) -> Expression {
    let seen = whole.seen;
    let characters = seen.material.characters();
    let aspects = ASPECTS.expression.each_ref();
    let scores = aspects.map(|aspect| AspectScore::evaluate(aspect, seen.findings, characters, whole.evaluations));
    let (overall, coverage) = overall_score(&scores);
    let [naturalness, descriptive, metaphor, style, readability] =
        scores.map(|one| AspectReport::from_score(seen, &one));
    let method = if overall.is_some() { EvaluationMethod::Deterministic } else { EvaluationMethod::NotEvaluated };
    Expression {
        expression_analysis: ExpressionAnalysis {
            naturalness,
            descriptive_power: descriptive,
            metaphor_rhetoric: metaphor,
            style_consistency: style,
            readability,
            professional_comparison: LiteratureComparison::measure(seen),
        },
        coverage: hundredths(coverage),
        verdict: (overall.map(tenths), method.name()),
    }
}

impl LiteratureComparison {
    fn measure(seen: &CheckContext<'_>) -> Self {
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
}

impl ExpressionAnalysis {
    fn named(&self) -> [(&'static str, &AspectReport); 5] {
        [
            ("naturalness", &self.naturalness),
            ("descriptive_power", &self.descriptive_power),
            ("metaphor_rhetoric", &self.metaphor_rhetoric),
            ("style_consistency", &self.style_consistency),
            ("readability", &self.readability),
        ]
    }
}

impl CheckDetails for Expression {
    fn verdict(&self) -> Option<CheckVerdict> {
        let (score, method) = self.verdict;
        Some(CheckVerdict { score, method })
    }

    fn lines(&self, locale: Locale) -> Vec<String> {
        let named = self.expression_analysis.named();
        let mut lines: Vec<String> = named.iter().flat_map(|(name, aspect)| aspect.lines(name, locale)).collect();
        let compared = &self.expression_analysis.professional_comparison;
        let score = compared.score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        lines.push(match locale {
            Locale::En => format!(
                "professional_comparison {score} (with {}, confidence {})",
                compared.benchmark, compared.confidence
            ),
            Locale::Ja => format!(
                "professional_comparison {score}（比較対象: {}、信頼度 {}）",
                compared.benchmark, compared.confidence
            ),
        });
        lines.extend(compared.figures.iter().map(|figure| {
            let (name, value, above) = (figure.name, figure.value, percent(figure.percentile));
            match locale {
                Locale::En => format!("  {name} {value}: higher than {above} % of it"),
                Locale::Ja => format!("  {name} {value}: 比較対象の {above} % より高い"),
            }
        }));
        lines
    }

    fn continues(&self) -> bool {
        false
    }

    fn shown(&self) -> Vec<&IssueReport> {
        let named = self.expression_analysis.named();
        named.iter().flat_map(|(_, aspect)| aspect.shown()).collect()
    }
}
