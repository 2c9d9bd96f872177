//! The `enhanced_execute_writing_step` tool: executes one of the eighteen steps. It finds the session itself, and
//! repairs it if files are missing.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    errors::writing::WritingError,
    finishing::PublishExtent,
    writing::{NextStep as Next, OpenedSession, StageRoute, StepOutcome, WritingStage},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{METHOD, WritingStep, latest_session, status_in_japanese};
use crate::novel::{
    ENHANCED, EpisodeNumber, NovelDeps, REVIEW, WRITES, alone,
    checking::finishing::FinishingCheck,
    noveler_complete, now,
    suggestion::call_line,
    texts,
    writing::{
        PlacedManuscript, RequestedSession, STAGE_TIMEOUT, StageResult, StepRequest, Verbose, call_time, localized,
        names, one_stage, preview, question, redo_notices, run_step, stage_result, task_of, verbose_argument,
        with_earlier_stage, writing_service,
    },
};

#[derive(Debug)]
pub struct ExecuteWritingStep;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// The step, from 1 to 18.
    step_id: f64,
    /// True to show the question without writing anything.
    #[serde(default)]
    dry_run: bool,
    content: Option<String>,
    #[schemars(regex(pattern = "^[a-z_]+:[1-3]$"))]
    step: Option<String>,
    #[serde(default)]
    verbose: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    execution_method: String,
    summary: String,
    episode: u32,
    step_id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<WritingStepResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_step_id: Option<usize>,
    execution_time_seconds: f64,
    #[serde(flatten)]
    placed: PlacedManuscript,
    #[serde(flatten)]
    verbose: Option<Verbose>,
    /// True if the caller cannot call the tool of the step.
    #[serde(skip)]
    hides_call: bool,
}

/// The result of a step.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(super) struct WritingStepResult {
    /// `completed`, or `planned` for a dry run.
    status: String,
    /// True if a damaged session was repaired.
    recovery_applied: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recovered_stages: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage_result: Option<StageResult>,
    /// The question that would be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<String>,
    /// The result of a check of the episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<FinishingCheck>,
    /// The record of the completed episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<String>,
}

impl Tool for ExecuteWritingStep {
    const SPEC: ToolSpec = ToolSpec {
        name: "enhanced_execute_writing_step",
        toolset: REVIEW,
        family: &ENHANCED,
        texts: texts!("execute_writing_step"),
        example: r#"{"episode": 1, "step_id": 1}"#,
        timeout: STAGE_TIMEOUT,
        ..WRITES
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let step = WritingStep::numbered(args.step_id)?;
        match step {
            WritingStep::Stage(stage) if args.dry_run => planned(&args, stage, deps, cx).await,
            WritingStep::Stage(stage) => stage_of(args, stage, deps, cx).await,
            WritingStep::Finishing(..) if args.dry_run => {
                deps.check_manuscript(cx, args.episode.0).await?;
                Ok(ToolOutcome::Done(finishing(&args, step, WritingStepResult::planned(), cx.locale())))
            }
            WritingStep::Finishing(18, _) => finished(&args, deps, cx).await,
            WritingStep::Finishing(_, tool) => {
                deps.check_manuscript(cx, args.episode.0).await?;
                let found = FinishingCheck::run(tool, args.episode, deps, cx).await?;
                Ok(ToolOutcome::Done(finishing(&args, step, WritingStepResult::found(found), cx.locale())))
            }
        }
    }
}

/// Executes a stage in the latest session or, for the first stage, in a new one if there is none.
async fn stage_of(
    args: Args,
    stage: WritingStage,
    deps: &NovelDeps,
    cx: &Cx,
) -> Result<ToolOutcome<Output>, ToolError> {
    let latest = latest_session(cx, args.episode.0).await?;
    let wanted = match &latest {
        Some((session, _)) => RequestedSession::Named(session.id().to_string()),
        None if stage.number() == 1 => RequestedSession::Open(StageRoute::Whole),
        None => {
            let missing = StageRoute::Whole.stages().filter(|other| *other < stage).collect();
            let error = WritingError::StageTooEarly { stage, missing };
            return Err(with_earlier_stage(error, ExecuteWritingStep::SPEC.name, args.episode.0, ""));
        }
    };
    let (content, step, is_verbose) = (args.content, args.step, args.verbose);
    let act = move |opened: &OpenedSession| one_stage(stage, opened, content, step.as_deref());
    let worked = run_step(
        deps,
        cx,
        StepRequest {
            tool: ExecuteWritingStep::SPEC.name,
            episode: args.episode.0,
            wanted,
            target: None,
            places_draft: false,
            act,
        },
    )
    .await?;
    let verbose = Verbose::for_call(&worked, is_verbose);
    let mended = WritingStepResult {
        status: "completed".to_owned(),
        recovery_applied: !worked.lost.is_empty(),
        recovered_stages: names(worked.lost.clone()),
        ..WritingStepResult::default()
    };
    if let Next::Ask(asked) = &worked.next
        && asked.stage == stage
    {
        let mut submit = verbose_argument(is_verbose);
        submit.insert("step_id".to_owned(), json!(stage.number()));
        let mut more = Verbose::fields(verbose.clone());
        more.extend([
            ("execution_method".to_owned(), json!(METHOD)),
            ("step_id".to_owned(), json!(stage.number())),
            ("result".to_owned(), json!(WritingStepResult { status: "needs_text".to_owned(), ..mended })),
        ]);
        let mut ask = question(&worked, asked, cx, ExecuteWritingStep::SPEC.name, submit, more).await?;
        // The session is found without an id, so the arguments omit it.
        ask.submit.arguments.remove("session_id");
        return Ok(ToolOutcome::Ask(Box::new(ask)));
    }
    let report = report(stage, mended, &worked, cx).await?;
    Ok(ToolOutcome::Done(Output { verbose, ..report }))
}

async fn report(
    stage: WritingStage,
    mended: WritingStepResult,
    worked: &StepOutcome,
    cx: &Cx,
) -> Result<Output, ToolError> {
    let session = &worked.session;
    Ok(Output {
        success: true,
        execution_method: METHOD.to_owned(),
        summary: localized(
            cx.locale(),
            format!("Step {} ({stage}) is done.", stage.number()),
            format!("ステップ {}（{}）が完了しました。", stage.number(), stage.title().get(Locale::Ja)),
        ),
        episode: session.episode().number(),
        step_id: stage.number(),
        session_id: Some(session.id().to_string()),
        result: Some(WritingStepResult { stage_result: stage_result(cx, session, stage).await?, ..mended }),
        next_step_id: Some(session.current().map_or(11, WritingStage::number)),
        execution_time_seconds: 0.0,
        placed: PlacedManuscript::for_call(worked, cx.locale()),
        verbose: None,
        hides_call: false,
    })
}

/// Returns the question that a stage would ask, without writing anything.
async fn planned(
    args: &Args,
    stage: WritingStage,
    deps: &NovelDeps,
    cx: &Cx,
) -> Result<ToolOutcome<Output>, ToolError> {
    let desk = writing_service(deps, cx, args.episode.0).await?;
    let plan = desk.plan(StageRoute::Whole, None, &call_time()?);
    let first = plan.into_iter().find(|planned| planned.stage == stage);
    Ok(ToolOutcome::Done(Output {
        success: true,
        execution_method: METHOD.to_owned(),
        summary: localized(
            cx.locale(),
            format!("Step {} would ask this; nothing was written.", stage.number()),
            format!("ステップ {} の問いは次のとおりです。何も書き込んでいません。", stage.number()),
        ),
        episode: args.episode.0.number(),
        step_id: stage.number(),
        session_id: None,
        result: Some(WritingStepResult {
            status: "planned".to_owned(),
            instruction: first.map(|planned| preview(task_of(&planned.instruction))),
            ..WritingStepResult::default()
        }),
        next_step_id: Some(stage.number()),
        execution_time_seconds: 0.0,
        placed: PlacedManuscript::default(),
        verbose: None,
        hides_call: false,
    }))
}

/// Executes the last step: makes the episode in every format.
async fn finished(args: &Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
    let (novel, episode, now) = (deps.novel(cx), args.episode.0, now());
    deps.check_manuscript(cx, episode).await?;
    let holder = format!("{} {episode}", ExecuteWritingStep::SPEC.name);
    let work = alone(deps.novel(cx), cx, &holder, move |cancel, _| {
        noveler_complete::complete_episode(&novel, episode, PublishExtent::Formats, &now, &|| cancel.is_cancelled())
    });
    let (completed, ..) = work.await?;
    Ok(ToolOutcome::Done(Output {
        success: true,
        execution_method: METHOD.to_owned(),
        summary: localized(
            cx.locale(),
            format!("{} is finished.", completed.heading),
            format!("「{}」を公開用にまとめました。", completed.heading),
        ),
        episode: episode.number(),
        step_id: 18,
        session_id: None,
        result: Some(WritingStepResult {
            status: "completed".to_owned(),
            record: Some(completed.path),
            ..WritingStepResult::default()
        }),
        next_step_id: None,
        execution_time_seconds: 0.0,
        placed: PlacedManuscript::default(),
        verbose: None,
        hides_call: false,
    }))
}

impl WritingStepResult {
    fn planned() -> Self {
        Self { status: "planned".to_owned(), ..Self::default() }
    }

    fn found(found: FinishingCheck) -> Self {
        Self { status: "completed".to_owned(), review: Some(found), ..Self::default() }
    }
}

/// Returns the reply of a step that finishes the episode, with its result.
fn finishing(args: &Args, step: WritingStep, result: WritingStepResult, locale: Locale) -> Output {
    let (number, status) = (step.number(), result.status.clone());
    let found = result.review.as_ref().map(|found| found.words(locale)).unwrap_or_default();
    Output {
        success: true,
        execution_method: METHOD.to_owned(),
        summary: localized(
            locale,
            format!("Step {number} ({}) of episode {}: {status}{found}.", step.name(), args.episode.0.number()),
            format!(
                "第{}話 ステップ {number}（{}）: {}{found}",
                args.episode.0.number(),
                step.title().get(Locale::Ja),
                status_in_japanese(&status)
            ),
        ),
        episode: args.episode.0.number(),
        step_id: number,
        session_id: None,
        result: Some(result),
        // After a dry run the step itself is next.
        next_step_id: if args.dry_run { Some(number) } else { (number < 18).then_some(number + 1) },
        execution_time_seconds: 0.0,
        placed: PlacedManuscript::default(),
        verbose: None,
        hides_call: false,
    }
}

impl Render for Output {
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        self.hides_call = self.finishing_tool().is_some_and(|tool| !can_call(tool));
    }

    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![self.summary.clone()];
        if let Some(result) = &self.result {
            lines.extend(result.stage_result.as_ref().map(|stage| stage.line(locale)));
            lines.extend(redo_notices(&result.recovered_stages, &[], locale));
            lines.extend(result.instruction.clone());
            lines.extend(result.record.clone());
            lines.extend(result.review.as_ref().and_then(|found| self.issues_call(found, locale)));
        }
        lines.extend(self.placed.lines(locale));
        lines.extend(self.verbose.iter().flat_map(Verbose::lines));
        lines.extend(self.next_step_id.map(|next| {
            let arguments = json!({"episode": self.episode, "step_id": next});
            call_line(ExecuteWritingStep::SPEC.name, &arguments)
        }));
        lines.join("\n")
    }
}

impl Output {
    /// Returns the tool of a step that finishes the episode.
    fn finishing_tool(&self) -> Option<&'static str> {
        match WritingStep::all().nth(self.step_id.checked_sub(1)?)? {
            WritingStep::Finishing(_, tool) => Some(tool),
            WritingStep::Stage(_) => None,
        }
    }

    /// Returns the call that shows the issues of a check, which the step only counts.
    fn issues_call(&self, found: &FinishingCheck, locale: Locale) -> Option<String> {
        let tool = self.finishing_tool().filter(|_| !self.hides_call)?;
        let arguments = match tool {
            "check_fix" => json!({"episode": self.episode, "dry_run": true}),
            _ => json!({"episode": self.episode}),
        };
        let reason = match locale {
            Locale::En => "shows the issues",
            Locale::Ja => "指摘を表示する",
        };
        found.has_issues().then(|| format!("{}: {reason}", call_line(tool, &arguments)))
    }
}
