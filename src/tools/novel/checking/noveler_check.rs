//! The `noveler_check` tool: the complete review with all rules, the 68 items and judgements by a model, optionally
//! after fixes.

use std::time::Duration;

use fumi_base::text::Locale;
use fumi_kernel::{ArgumentRule, Cx, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::checks::{RuleGroup, items::Evaluation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::{
    CHECKS, CheckDetails, CheckJob, CheckReply, CheckVerdict, EpisodeNumber, NovelDeps,
    check_fix::{RequestedFixLevel, fix_first},
    check_story_elements::{AutoFixResults, ElementsReport, elements, method_of},
    issue::IssueReport,
    judging::{Judging, RejectedJudgement, SubmittedJudgement},
    literature::LiteratureComparison,
    review::{ItemSelection, ReviewContext, ReviewOptions, review_blocking},
    review_charts::ChartKind,
    review_question, tenths, texts, yes,
};

#[derive(Debug)]
pub struct NovelerCheck;

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is an argument of its own")]
pub struct Args {
    episode: EpisodeNumber,
    /// True to apply safe fixes before the check.
    #[serde(default)]
    auto_fix: bool,
    /// The review that the judgements belong to.
    #[schemars(length(max = 100))]
    session_id: Option<String>,
    /// Judgements of the items that an earlier reply asked for.
    #[schemars(length(min = 1, max = 100))]
    judgements: Option<Vec<SubmittedJudgement>>,
    /// True to request judgements of open items.
    #[serde(default = "yes")]
    judge: bool,
    /// True to draw charts.
    #[serde(default)]
    include_charts: bool,
    /// True to list every item and more issues.
    #[serde(default)]
    verbose: bool,
}

/// The part of the reply that only this check has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Everything {
    /// `basic`, `a31`, and `claude_analysis` once judgements exist.
    check_stages_completed: Vec<&'static str>,
    /// The overall score of the items, from 0 to 100; absent without judgements.
    #[serde(skip_serializing_if = "Option::is_none")]
    overall_quality_score: Option<f64>,
    basic_check_result: RulesSummary,
    /// The figures of the text beside those of printed literature.
    measurements: LiteratureComparison,
    a31_evaluation_result: ElementsReport,
    claude_analysis_result: JudgementSummary,
    auto_fix_applied: bool,
    fixed_issues_count: usize,
    /// The id of the backup of the text before the fixes.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_id: Option<String>,
    #[serde(skip)]
    method: &'static str,
}

/// The findings of the rules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct RulesSummary {
    /// From 0 to 100 by the detected faults.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// The most severe issues.
    issues: Vec<IssueReport>,
}

/// The judgements of the items.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct JudgementSummary {
    method: &'static str,
    judged_items: usize,
    open_items: usize,
    /// The mean score of the judged items, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
}

impl Tool for NovelerCheck {
    const SPEC: ToolSpec = ToolSpec {
        name: "noveler_check",
        texts: texts!("noveler_check"),
        example: r#"{"episode": 1, "judge": false}"#,
        rules: &[ArgumentRule::Without("auto_fix", &["session_id", "judgements"])],
        timeout: Duration::from_mins(2),
        ..CHECKS
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = CheckReply<Everything>;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<CheckReply<Everything>>, ToolError> {
        let job = CheckJob::new("noveler_check", args.episode, args.verbose, deps, cx)?;
        let job = job.with_pictures(args.include_charts, &ChartKind::ALL);
        let fixed = if args.auto_fix { Some(fix_first(&job, RequestedFixLevel::Safe, cx).await?) } else { None };
        let looks = ReviewOptions {
            groups: &RuleGroup::ALL,
            items: ItemSelection::All,
            session_id: args.session_id.or_else(|| args.auto_fix.then(|| job.id().to_string())),
            ..ReviewOptions::default()
        };
        let judging = Judging::from_args(args.judgements, args.judge, cx);
        let mended = fixed.map(AutoFixResults::from);
        let own = move |whole: &ReviewContext<'_>| everything(whole, mended);
        let done = review_blocking(&job, looks, judging, cx, own).await?;
        review_question::outcome(done, &job, Map::new(), cx).await
    }
}

pub(super) fn everything(whole: &ReviewContext<'_>, fixed: Option<AutoFixResults>) -> Everything {
    let seen = whole.seen;
    let has_text = seen.material.characters() > 0;
    let basic = has_text.then_some(seen.score.0);
    let mut elements = elements(whole);
    let overall = elements.overall();
    let analysis = JudgementSummary::from_evaluations(whole.evaluations);
    let mut stages = Vec::new();
    if has_text {
        stages.extend(["basic", "a31"]);
    }
    if analysis.judged_items > 0 {
        stages.push("claude_analysis");
    }
    Everything {
        check_stages_completed: stages,
        overall_quality_score: overall,
        basic_check_result: RulesSummary { score: basic, issues: seen.issues_of(|_| true) },
        measurements: LiteratureComparison::measure(seen),
        method: method_of(overall, whole.evaluations),
        claude_analysis_result: analysis,
        auto_fix_applied: fixed.is_some(),
        fixed_issues_count: fixed.as_ref().map_or(0, |fixed| fixed.fixed_count),
        backup_id: fixed.as_ref().and_then(|fixed| fixed.backup_id.clone()),
        a31_evaluation_result: {
            elements.auto_fix_results = fixed;
            elements
        },
    }
}

impl JudgementSummary {
    fn from_evaluations(all: &[Evaluation]) -> Self {
        let asked = || all.iter().filter(|one| one.is_judgeable);
        let scores: Vec<f64> = asked().filter_map(|one| Some(one.judged.as_ref()?.judgement.score)).collect();
        let mean = scores.iter().sum::<f64>() / scores.len().max(1) as f64;
        let score = (!scores.is_empty()).then(|| tenths(100.0 * mean));
        Self {
            method: method_of(score, all),
            judged_items: scores.len(),
            open_items: asked().count() - scores.len(),
            score,
        }
    }
}

impl CheckDetails for Everything {
    fn verdict(&self) -> Option<CheckVerdict> {
        Some(CheckVerdict { score: self.overall_quality_score, method: self.method })
    }

    fn lines(&self, locale: Locale) -> Vec<String> {
        let basic = self.basic_check_result.score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        let analysis = &self.claude_analysis_result;
        let mut lines = vec![match locale {
            Locale::En => {
                format!("rules {basic}/100; items judged: {}, open: {}", analysis.judged_items, analysis.open_items)
            }
            Locale::Ja => format!(
                "ルール {basic}/100、判定済み {} 項目、未判定 {} 項目",
                analysis.judged_items, analysis.open_items
            ),
        }];
        lines.extend(self.measurements.lines(locale));
        lines.extend(self.a31_evaluation_result.lines(locale));
        lines
    }

    fn rejected(&self) -> &[RejectedJudgement] {
        self.a31_evaluation_result.rejected()
    }

    fn unstable(&self) -> &[String] {
        self.a31_evaluation_result.unstable()
    }

    fn shown(&self) -> Vec<&IssueReport> {
        self.basic_check_result.issues.iter().collect()
    }
}
