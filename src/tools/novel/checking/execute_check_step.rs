//! The `execute_check_step` tool: one step of a staged review, with its rules, its items and the judgements submitted
//! for them.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    checks::aspects::score_with_rules,
    errors::reviewing::ReviewError,
    reviewing::{ReviewStep, STEPS, review_step},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{
    CHECKS, CheckDetails, CheckJob, CheckReply, CheckVerdict, EpisodeNumber, NovelDeps, REVIEW,
    aspect::ItemReport,
    check_story_elements::method_of,
    hundredths,
    issue::IssueReport,
    judging::{Judging, RejectedJudgement, SubmittedJudgement},
    review::{ItemSelection, ReviewContext, ReviewOptions, review_blocking},
    review_question, tenths, texts, yes,
};

#[derive(Debug)]
pub struct ExecuteCheckStep;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// The step, from 1 to 12.
    #[schemars(range(min = 1, max = 12))]
    step_id: u32,
    /// The review to continue; by default a new one.
    #[schemars(length(max = 100))]
    session_id: Option<String>,
    /// A text to check instead of the manuscript.
    manuscript_content: Option<String>,
    /// The words by which rules and items are selected: their name or title must contain one of them.
    #[schemars(length(min = 1, max = 20), inner(length(max = 50)))]
    check_focus: Option<Vec<String>>,
    /// The input that the step asked for.
    input_data: Option<InputData>,
    /// Further judgements, in addition to `input_data.judgements`.
    #[schemars(length(min = 1, max = 100))]
    judgements: Option<Vec<SubmittedJudgement>>,
    /// True to request judgements of open items.
    #[serde(default = "yes")]
    judge: bool,
    /// True for more issues and evidence.
    #[serde(default)]
    verbose: bool,
}

/// The input that a step asked for.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct InputData {
    /// The judgements of items.
    #[schemars(length(min = 1, max = 100))]
    judgements: Vec<SubmittedJudgement>,
}

/// The part of the reply that only this check has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepReport {
    step_id: u32,
    phase: &'static str,
    description: String,
    issues: Vec<IssueReport>,
    /// The items of the step, the lowest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    items_evaluated: Vec<ItemReport>,
    /// The evaluated share of the step's parts.
    coverage: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unstable_items: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rejected_judgements: Vec<RejectedJudgement>,
    /// The next step; absent after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_step: Option<u32>,
    #[serde(skip)]
    verdict: (Option<f64>, &'static str),
}

impl Tool for ExecuteCheckStep {
    const SPEC: ToolSpec = ToolSpec {
        name: "execute_check_step",
        toolset: REVIEW,
        texts: texts!("execute_check_step"),
        example: r#"{"episode": 1, "step_id": 1}"#,
        ..CHECKS
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = CheckReply<StepReport>;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<CheckReply<StepReport>>, ToolError> {
        let job = CheckJob::new("execute_check_step", args.episode, args.verbose, deps, cx)?;
        let step = review_step(args.step_id).ok_or(ReviewError::NoReviewStep { asked: args.step_id })?;
        let focus = args.check_focus.unwrap_or_default();
        let mut submit = Map::new();
        submit.insert("step_id".to_owned(), json!(step.id));
        let looks = ReviewOptions {
            groups: &step.groups,
            items: ItemSelection::Only(step.items.iter().map(String::as_str).collect()),
            step: Some(step.id),
            session_id: args.session_id,
            given: args.manuscript_content,
            reading: None,
        };
        let mut given = args.judgements.unwrap_or_default();
        given.extend(args.input_data.into_iter().flat_map(|data| data.judgements));
        // A text passed in the call cannot be read again later, so no judgements are requested for it.
        let judging = Judging::from_args(Some(given), args.judge && looks.given.is_none(), cx);
        let own = move |whole: &ReviewContext<'_>| executed(whole, step, &focus);
        let done = review_blocking(&job, looks, judging, cx, own).await?;
        review_question::outcome(done, &job, submit, cx).await
    }
}

fn executed(whole: &ReviewContext<'_>, step: &'static ReviewStep, focus: &[String]) -> StepReport {
    let seen = whole.seen;
    let is_in_focus = |name: &str| focus.is_empty() || focus.iter().any(|word| name.contains(word.trim()));
    let mut items: Vec<_> = whole.evaluations.iter().filter(|one| one.score.is_some()).collect();
    items.sort_by(|one, other| one.score.unwrap_or(1.0).total_cmp(&other.score.unwrap_or(1.0)));
    let shown: Vec<ItemReport> = items
        .iter()
        .filter(|one| {
            let title = &fumi_novel::reviewing::words(one.item, seen.job.locale).title;
            is_in_focus(one.item.name) || is_in_focus(title) || is_in_focus(&one.item.id)
        })
        .map(|one| ItemReport::with_advice(seen, one))
        .collect();
    let of_rules = (!step.groups.is_empty() && seen.material.characters() > 0).then_some(seen.score);
    let score = score_with_rules(of_rules, &whole.evaluations.iter().collect::<Vec<_>>()).map(tenths);
    let can_have_score = whole.evaluations.iter().filter(|one| one.can_have_score()).count();
    let (parts, total) =
        (items.len() + usize::from(of_rules.is_some()), can_have_score + usize::from(!step.groups.is_empty()));
    StepReport {
        step_id: step.id,
        phase: &step.phase,
        description: step.title.get(seen.job.locale).to_owned(),
        issues: seen.issues_of(is_in_focus),
        items_evaluated: shown,
        coverage: hundredths(parts as f64 / total.max(1) as f64),
        unstable_items: whole.unstable.iter().filter(|id| step.items.contains(id)).cloned().collect(),
        rejected_judgements: whole.rejected.to_vec(),
        next_step: STEPS.iter().map(|other| other.id).find(|other| *other > step.id),
        verdict: (score, method_of(score, whole.evaluations)),
    }
}

impl CheckDetails for StepReport {
    fn verdict(&self) -> Option<CheckVerdict> {
        let (score, method) = self.verdict;
        Some(CheckVerdict { score, method })
    }

    fn lines(&self, locale: Locale) -> Vec<String> {
        let mut lines = vec![format!("{} {} {}", self.step_id, self.phase, self.description)];
        let (full, others): (Vec<_>, Vec<_>) = self.items_evaluated.iter().partition(|item| item.is_full());
        lines.extend(others.into_iter().map(|item| item.line(locale)));
        if !full.is_empty() {
            let ids: Vec<&str> = full.into_iter().map(ItemReport::id).collect();
            let ids = ids.join(", ");
            lines.push(match locale {
                Locale::En => format!("Full score: {ids}"),
                Locale::Ja => format!("満点: {ids}"),
            });
        }
        lines
    }

    fn rejected(&self) -> &[RejectedJudgement] {
        &self.rejected_judgements
    }

    fn unstable(&self) -> &[String] {
        &self.unstable_items
    }

    fn step(&self) -> Option<u32> {
        Some(self.step_id)
    }

    fn next_step(&self) -> Option<u32> {
        self.next_step
    }

    fn shown(&self) -> Vec<&IssueReport> {
        self.issues.iter().collect()
    }
}
