//! The `get_check_tasks` tool: the twelve steps of a staged review, and the session that they belong to.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    errors::reviewing::ReviewError,
    reviewing::{self, ReviewStep, STEPS},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CHECKS, CheckJob, EpisodeNumber, NovelDeps, REVIEW, Suggestion, review::ReviewOptions, texts};

#[derive(Debug)]
pub struct GetCheckTasks;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// The id to pass to `execute_check_step`.
    session_id: String,
    /// False if nothing was written to the project, because the caller may only read; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    persisted: Option<bool>,
    episode: u32,
    tasks: Vec<CheckTask>,
    next_suggested_actions: Vec<Suggestion>,
}

/// A step of the review before it is executed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct CheckTask {
    /// From 1 to 12: the `step_id` of `execute_check_step`.
    pub(super) id: u32,
    phase: &'static str,
    description: String,
    llm_instruction: String,
    /// The estimated seconds for the judging model or person; the time of fumi itself is negligible.
    estimated_duration: u32,
    /// The number of items that must be judged.
    judged_items: usize,
}

impl Tool for GetCheckTasks {
    const SPEC: ToolSpec = ToolSpec {
        name: "get_check_tasks",
        toolset: REVIEW,
        texts: texts!("get_check_tasks"),
        example: r#"{"episode": 1}"#,
        ..CHECKS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let job = CheckJob::new("get_check_tasks", args.episode, false, deps, cx)?;
        let (reader, id, keeps) = (job.caller_reviews.clone(), job.id().to_string(), job.may_store);
        let work = cx.blocking(move |_, _| {
            let looked = reviewing::read_manuscript(&job.novel, job.episode, None, &job.tuning)?;
            let review = job.reviews().begin(job.id(), looked.subject, &job.begun);
            review.save_manifest()?;
            job.write_down(&ReviewOptions::default())?;
            let first = job.suggestion("execute_check_step", "begins with the first step", "最初の手順から始める");
            Ok::<_, ReviewError>(Output {
                success: true,
                session_id: review.id().to_string(),
                persisted: (!job.may_store).then_some(false),
                episode: job.episode.number(),
                tasks: STEPS.iter().map(|step| CheckTask::from_step(step, job.locale)).collect(),
                next_suggested_actions: vec![first.in_session(review.id().to_string()).at_step(1)],
            })
        });
        let output = work.await?;
        if !keeps {
            reader.keep(&id).await?;
        }
        Ok(ToolOutcome::Done(output))
    }
}

impl CheckTask {
    pub(super) fn from_step(step: &'static ReviewStep, locale: Locale) -> Self {
        let judged = step.judged_items();
        let llm_instruction = match (locale, judged) {
            (Locale::En, 0) => format!("Call execute_check_step with step_id {}, and correct what it names.", step.id),
            (Locale::En, _) => format!(
                "Call execute_check_step with step_id {}; judge the {judged} items that it asks, with quotations from the manuscript.",
                step.id
            ),
            (Locale::Ja, 0) => format!("execute_check_step を step_id {} で呼び、指摘された箇所を直す。", step.id),
            (Locale::Ja, _) => format!(
                "execute_check_step を step_id {} で呼び、尋ねられた {judged} 項目を、原稿からの引用を添えて判定する。",
                step.id
            ),
        };
        Self {
            id: step.id,
            phase: &step.phase,
            description: step.title.get(locale).to_owned(),
            llm_instruction,
            estimated_duration: step.estimated_seconds,
            judged_items: judged,
        }
    }

    /// Returns the step as one line of text, without its number.
    pub(super) fn line(&self, locale: Locale) -> String {
        let description = &self.description;
        match (self.judged_items, locale) {
            (0, _) => description.clone(),
            (judged, Locale::En) => format!("{description} ({judged} to judge)"),
            (judged, Locale::Ja) => format!("{description}（判定 {judged} 項目）"),
        }
    }
}

impl Render for Output {
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        Suggestion::keep_callable(&mut self.next_suggested_actions, can_call);
    }

    fn text(&self, locale: Locale) -> String {
        let mut lines: Vec<String> = Vec::new();
        let mut phase = "";
        for task in &self.tasks {
            if task.phase != phase {
                phase = task.phase;
                lines.push(format!("{phase}:"));
            }
            lines.push(format!("{} {}", task.id, task.line(locale)));
        }
        lines.extend(self.next_suggested_actions.iter().map(Suggestion::line));
        lines.join("\n")
    }
}
