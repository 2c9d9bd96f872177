//! The `check_writing_expression` tool: naturalness, description, figures, style and readability of the sentences, and
//! a comparison of their figures with printed literature.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::checks::{
    RuleGroup,
    aspects::{ASPECTS, AspectScore, overall_score},
    items::EvaluationMethod,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CHECKS, CheckDetails, CheckJob, CheckReply, CheckVerdict, EpisodeNumber, NovelDeps,
    aspect::AspectReport,
    hundredths,
    issue::IssueReport,
    judging::Judging,
    literature::LiteratureComparison,
    review::{ItemSelection, ReviewContext, ReviewOptions, review},
    tenths, texts,
};

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
        lines.extend(self.expression_analysis.professional_comparison.lines(locale));
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
