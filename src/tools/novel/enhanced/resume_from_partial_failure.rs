//! The `enhanced_resume_from_partial_failure` tool: goes back to a step of the latest session, reports the steps to be
//! done again, and asks the next question.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    errors::writing::WritingError,
    writing::{NextStep, OpenedSession, SessionAction, StageRoute, WritingStage},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{METHOD, execute_writing_step::ExecuteWritingStep, latest_session};
use crate::novel::{
    ENHANCED, EpisodeNumber, NovelDeps, REVIEW, WRITES, texts,
    writing::{
        PlacedManuscript, RequestedSession, STAGE_TIMEOUT, StepRequest, Verbose, localized, names, question, ranges,
        run_step, verbose_argument,
    },
};

#[derive(Debug)]
pub struct ResumeFromPartialFailure;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// The last step whose result is kept; 0 keeps none.
    #[schemars(range(max = 10))]
    recovery_point: usize,
    #[serde(default)]
    verbose: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    execution_method: String,
    summary: String,
    session_id: String,
    /// The steps that are repeated, in order.
    resumed_steps: Vec<usize>,
    /// The steps whose results are kept.
    results: Vec<KeptStep>,
    recovery_applied: bool,
    recovered_stages: Vec<String>,
    #[serde(flatten)]
    placed: PlacedManuscript,
    #[serde(flatten)]
    verbose: Option<Verbose>,
}

/// A step whose result is kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct KeptStep {
    step_id: usize,
    name: String,
    status: String,
}

impl Tool for ResumeFromPartialFailure {
    const SPEC: ToolSpec = ToolSpec {
        name: "enhanced_resume_from_partial_failure",
        toolset: REVIEW,
        family: &ENHANCED,
        texts: texts!("resume_from_partial_failure"),
        example: r#"{"episode": 1, "recovery_point": 0}"#,
        timeout: STAGE_TIMEOUT,
        ..WRITES
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        resume(args, deps, cx).await
    }
}

async fn resume(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
    let point = args.recovery_point;
    let latest = latest_session(cx, args.episode.0).await?;
    if latest.is_none() && point > 0 {
        return Err(WritingError::NoOpenSession { episode: args.episode.0 }.into());
    }
    let wanted = latest.map_or(RequestedSession::Open(StageRoute::Whole), |(session, _)| {
        RequestedSession::Named(session.id().to_string())
    });
    let worked = run_step(
        deps,
        cx,
        StepRequest {
            tool: ResumeFromPartialFailure::SPEC.name,
            episode: args.episode.0,
            wanted,
            target: None,
            places_draft: false,
            act: move |opened: &OpenedSession| match WritingStage::from_number(point + 1) {
                // Nothing is discarded if everything is to be kept.
                Some(stage) if opened.session().current() != Some(stage) || !opened.session().turns().is_empty() => {
                    Ok(SessionAction::Repeat(stage))
                }
                _ => Ok(SessionAction::Peek),
            },
        },
    )
    .await?;
    let session = &worked.session;
    let current = session.current();
    let resumed: Vec<usize> = session
        .route()
        .stages()
        .filter(|stage| current.is_some_and(|current| *stage >= current))
        .map(WritingStage::number)
        .collect();
    let kept = session.completed().iter().map(|stage| KeptStep {
        step_id: stage.number(),
        name: stage.name().to_owned(),
        status: "completed".to_owned(),
    });
    let results: Vec<KeptStep> = kept.collect();
    let recovered = names(worked.lost.clone());
    let verbose = Verbose::for_call(&worked, args.verbose);
    if let NextStep::Ask(asked) = &worked.next {
        let mut submit = verbose_argument(args.verbose);
        submit.insert("step_id".to_owned(), json!(asked.stage.number()));
        let mut more = Verbose::fields(verbose);
        more.extend([
            ("execution_method".to_owned(), json!(METHOD)),
            ("resumed_steps".to_owned(), json!(resumed)),
            ("results".to_owned(), json!(results)),
            ("recovery_applied".to_owned(), json!(!recovered.is_empty())),
            ("recovered_stages".to_owned(), json!(recovered)),
        ]);
        let mut ask = question(&worked, asked, cx, ExecuteWritingStep::SPEC.name, submit, more).await?;
        ask.submit.arguments.remove("session_id");
        let resumed = resumed_notice(&results, &resumed, cx.locale());
        let rest = std::mem::take(&mut ask.report);
        [resumed, rest].join("\n").trim_end().clone_into(&mut ask.report);
        return Ok(ToolOutcome::Ask(Box::new(ask)));
    }
    Ok(ToolOutcome::Done(Output {
        success: true,
        execution_method: METHOD.to_owned(),
        summary: localized(
            cx.locale(),
            "Every stage is done; nothing needs to be repeated.".to_owned(),
            "すべての段階が完了しており、やり直すものはありません。".to_owned(),
        ),
        session_id: session.id().to_string(),
        resumed_steps: resumed,
        results,
        recovery_applied: !recovered.is_empty(),
        recovered_stages: recovered,
        placed: PlacedManuscript::for_call(&worked, cx.locale()),
        verbose,
    }))
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let verbose = self.verbose.iter().flat_map(Verbose::lines);
        let lines = std::iter::once(self.summary.clone()).chain(self.placed.lines(locale)).chain(verbose);
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Says which steps are kept and which are asked again.
fn resumed_notice(kept: &[KeptStep], resumed: &[usize], locale: Locale) -> String {
    let kept = ranges(kept.iter().map(|step| step.step_id));
    let (resumed, none) = (ranges(resumed.iter().copied()), kept.is_empty());
    let (en, ja) = if none {
        (String::new(), String::new())
    } else {
        (format!("Kept: steps {kept}. "), format!("残すステップ: {kept}。"))
    };
    localized(locale, format!("{en}Asked again: steps {resumed}."), format!("{ja}やり直すステップ: {resumed}。"))
}
