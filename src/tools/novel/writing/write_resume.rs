//! The `write_resume` tool: continues a session after any interruption. It reports the current stage and the remaining
//! ones, and asks the next question.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::writing::{NextStep, OpenedSession, SessionAction, WritingStage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    RequestedSession, STAGE_TIMEOUT, StepRequest, Verbose, edit_notice, localized, names,
    noveler_write::{self, next_outcome},
    run_step, stage_numbers,
};
use crate::novel::{EpisodeNumber, NovelDeps, WRITES, texts};

#[derive(Debug)]
pub struct WriteResume;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    #[schemars(length(min = 1))]
    session_id: String,
    #[serde(default)]
    verbose: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    summary: String,
    /// The stage at which the session stopped, counted from 1; 11 if all were done.
    resumed_from_stage: usize,
    remaining_stages: Vec<String>,
    /// Completed stages that must be repeated because a file is missing or changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recovered_stages: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stale_stages: Vec<String>,
    /// The same report as `noveler_write` returns for a finished episode.
    execution_result: noveler_write::Output,
    /// A notice that the manuscript was edited outside of the session, and how this was handled.
    #[serde(skip_serializing_if = "Option::is_none")]
    manuscript_edited: Option<String>,
    #[serde(flatten)]
    verbose: Option<Verbose>,
}

impl Tool for WriteResume {
    const SPEC: ToolSpec = ToolSpec {
        name: "write_resume",
        texts: texts!("write_resume"),
        example: r#"{"episode": 1, "session_id": "session_20260131_100000_0a1b2c3d"}"#,
        timeout: STAGE_TIMEOUT,
        ..WRITES
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let worked = run_step(
            deps,
            cx,
            StepRequest {
                tool: Self::SPEC.name,
                episode: args.episode.0,
                wanted: RequestedSession::Resumed(args.session_id),
                target: None,
                places_draft: false,
                act: |_: &OpenedSession| Ok(SessionAction::Peek),
            },
        )
        .await?;
        let current = worked.session.current();
        let route = worked.session.route();
        let remaining = names(route.stages().filter(|stage| current.is_some_and(|current| *stage >= current)));
        let from = current.map_or(route.last().number() + 1, WritingStage::number);
        let recovered = names(worked.lost.clone());
        if let NextStep::Ask(_) = &worked.next {
            let ToolOutcome::Ask(mut ask) = next_outcome(Self::SPEC.name, false, args.verbose, worked, cx).await?
            else {
                return Err(ToolError::internal());
            };
            let stopped = resumed(current, &remaining, cx.locale());
            let rest = std::mem::take(&mut ask.report);
            [stopped, rest].join("\n").trim_end().clone_into(&mut ask.report);
            ask.more.insert("resumed_from_stage".to_owned(), json!(from));
            ask.more.insert("remaining_stages".to_owned(), json!(remaining));
            return Ok(ToolOutcome::Ask(ask));
        }
        let manuscript_edited = edit_notice(&worked, cx.locale());
        let verbose = Verbose::for_call(&worked, args.verbose);
        let ToolOutcome::Done(result) = next_outcome(Self::SPEC.name, false, false, worked, cx).await? else {
            return Err(ToolError::internal());
        };
        Ok(ToolOutcome::Done(Output {
            success: true,
            summary: localized(
                cx.locale(),
                "All stages were done already.".to_owned(),
                "すべての段階が完了しています。".to_owned(),
            ),
            resumed_from_stage: from,
            remaining_stages: remaining,
            recovered_stages: recovered,
            stale_stages: Vec::new(),
            execution_result: result,
            manuscript_edited,
            verbose,
        }))
    }
}

/// Says where a session stopped and what is left.
fn resumed(current: Option<WritingStage>, remaining: &[String], locale: Locale) -> String {
    let stage = current.map(|stage| stage.to_string()).unwrap_or_default();
    let left = stage_numbers(remaining);
    localized(
        locale,
        format!("Resumed at {stage}; left: stages {left}."),
        format!("{stage} から再開します。残りの段階: {left}。"),
    )
}

impl Render for Output {
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        self.execution_result.keep_callable(can_call);
    }

    fn text(&self, locale: Locale) -> String {
        let verbose = self.verbose.iter().flat_map(Verbose::lines);
        let lines = [self.summary.clone(), self.execution_result.text(locale)].into_iter().chain(verbose);
        lines.collect::<Vec<_>>().join("\n")
    }
}
