//! The `get_check_status` tool: the progress of a staged review and its next step. Reads only.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    errors::reviewing::ReviewError,
    project::EpisodeId,
    reviewing::{STEPS, StepExecution},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CHECKS, DETERMINISTIC, NOT_EVALUATED, NovelDeps, READS, REVIEW, caller_reviews::CallerReviews,
    get_check_tasks::CheckTask, next_step_line, tenths, texts,
};

#[derive(Debug)]
pub struct GetCheckStatus;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The id of the review.
    #[schemars(length(min = 1, max = 100))]
    session_id: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    session_id: String,
    episode: u32,
    progress_percentage: f64,
    completed_steps: Vec<u32>,
    total_steps: usize,
    /// The current phase; absent if all steps are done.
    #[serde(skip_serializing_if = "Option::is_none")]
    current_phase: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_step: Option<CheckTask>,
    issues_found: usize,
    /// The mean of the latest scores of the steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    quality_score: Option<f64>,
    /// True if the manuscript is still the one that the last step checked.
    is_current: bool,
    last_updated: String,
}

impl Tool for GetCheckStatus {
    const SPEC: ToolSpec = ToolSpec {
        name: "get_check_status",
        toolset: REVIEW,
        texts: texts!("get_check_status"),
        example: r#"{"session_id": "check_20260131_100000_0a1b2c3d"}"#,
        pool: CHECKS.pool,
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let (novel, locale, reader) = (deps.novel(cx), cx.locale(), CallerReviews::new(deps, cx));
        if cx.caller.access.read_only {
            reader.fetch(&args.session_id).await?;
        }
        let work = cx.blocking(move |_, _| {
            let review = reader.reviews(novel.project()).load(&args.session_id)?;
            let manifest = review.manifest();
            let next = STEPS.iter().find(|step| !manifest.completed_steps.contains(&step.id));
            let now = EpisodeId::new(manifest.subject.episode).and_then(|episode| novel.manuscript(episode).ok());
            let now = now.and_then(|file| fumi_novel::references::FileReference::read(&file).ok());
            Ok::<_, ReviewError>(Output {
                success: true,
                session_id: review.id().to_string(),
                episode: manifest.subject.episode,
                progress_percentage: tenths(percent(manifest.completed_steps.len())),
                completed_steps: manifest.completed_steps.clone(),
                total_steps: STEPS.len(),
                current_phase: next.map(|step| step.phase.as_str()),
                next_step: next.map(|step| CheckTask::from_step(step, locale)),
                issues_found: review.issues()?.len(),
                quality_score: score(&review.executions()?),
                is_current: now.is_some_and(|now| now.hash.digits() == manifest.subject.sha256),
                last_updated: manifest.last_updated.to_string(),
            })
        });
        Ok(ToolOutcome::Done(work.await?))
    }
}

fn percent(done: usize) -> f64 {
    100.0 * done as f64 / STEPS.len() as f64
}

/// Returns the mean of the steps' scores, if the steps with items to judge that were executed are judged.
fn score(executions: &[StepExecution]) -> Option<f64> {
    let newest = |step: u32| executions.iter().rev().find(|done| done.step_id == Some(step));
    let done: Vec<_> = STEPS.iter().filter_map(|step| Some((step, newest(step.id)?))).collect();
    let mut with_items = done.iter().filter(|(step, _)| step.judged_items() > 0).peekable();
    let is_judged = |done: &StepExecution| ![DETERMINISTIC, NOT_EVALUATED].contains(&done.method.as_str());
    if with_items.peek().is_none() || !with_items.all(|(_, done)| is_judged(done)) {
        return None;
    }
    let scores: Vec<f64> = done.iter().filter_map(|(_, done)| done.quality_score).collect();
    (!scores.is_empty()).then(|| tenths(scores.iter().sum::<f64>() / scores.len() as f64))
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let (episode, total) = (self.episode, self.total_steps);
        let done: Vec<String> = self.completed_steps.iter().map(u32::to_string).collect();
        let done = done.join(if locale == Locale::Ja { "、" } else { ", " });
        let score = self.quality_score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        let mut lines = vec![match locale {
            Locale::En if done.is_empty() => format!("Episode {episode}: none of {total} steps done"),
            Locale::En => {
                format!("Episode {episode}: steps {done} of {total} done, {} issues, score {score}", self.issues_found)
            }
            Locale::Ja if done.is_empty() => format!("第{episode}話: 全 {total} 手順、いずれも未実施"),
            Locale::Ja => format!(
                "第{episode}話: 全 {total} 手順のうち、手順 {done} が完了。指摘 {} 件、点数 {score}",
                self.issues_found
            ),
        }];
        lines.extend(self.next_step.as_ref().map(|task| {
            let call = next_step_line(episode, &self.session_id, task.id);
            format!("{call}: {}", task.line(locale))
        }));
        if !self.is_current {
            lines.push(match locale {
                Locale::En => "! the manuscript has changed since".to_owned(),
                Locale::Ja => "! その後、原稿が変わっています".to_owned(),
            });
        }
        lines.join("\n")
    }
}
