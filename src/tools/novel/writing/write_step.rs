//! The tools `write_step_1` to `write_step_10`: the stages by number, each call with its own timeout.
//!
//! The ten tools have the same form; they differ only in number and texts.

use fumi_base::text::Locale;
use fumi_kernel::{ArgumentRule, Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec, ToolTextFiles};
use fumi_novel::writing::WritingStage;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    PlacedManuscript, STAGE_TIMEOUT, StageResult, Verbose, localized, names, redo_notices, stage_result,
    verbose_argument,
    write_stage::{OneStage, open_question},
};
use crate::novel::{EpisodeNumber, NovelDeps, STEPS, WRITES, suggestion::call_line};

/// The tool of one stage, numbered 1 to 10.
#[derive(Debug)]
pub struct WriteStep<const N: usize>;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    session_id: Option<String>,
    content: Option<String>,
    #[schemars(regex(pattern = "^[a-z_]+:[1-3]$"))]
    step: Option<String>,
    user_feedback: Option<String>,
    #[serde(default)]
    verbose: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    summary: String,
    episode: u32,
    /// The number of the stage. In a question, `step` names a turn instead, so the published schema has both types.
    #[schemars(schema_with = "number_or_turn")]
    step: usize,
    stage: String,
    session_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_step: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<StageResult>,
    #[serde(flatten)]
    placed: PlacedManuscript,
    execution_time_seconds: f64,
    /// Always true: every stage has a time limit of its own.
    timeout_reset: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recovered_stages: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stale_stages: Vec<String>,
    #[serde(flatten)]
    verbose: Option<Verbose>,
}

fn number_or_turn(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"anyOf": [{"type": "integer"}, {"type": "string"}]})
}

/// Builds the specification of a step, with its title and summary before the text that all steps share.
macro_rules! spec {
    ($number:literal) => {
        ToolSpec {
            name: concat!("write_step_", $number),
            toolset: STEPS,
            texts: ToolTextFiles {
                en: concat!(
                    include_str!(concat!("write_step/", $number, ".en.md")),
                    "Stage ",
                    $number,
                    " of 10. ",
                    include_str!("write_step.en.md")
                ),
                ja: concat!(
                    include_str!(concat!("write_step/", $number, ".ja.md")),
                    "十段階の第",
                    $number,
                    "段階。",
                    include_str!("write_step.ja.md")
                ),
            },
            example: if $number == 1 {
                r#"{"episode": 1}"#
            } else {
                r#"{"episode": 1, "session_id": "session_20260131_100000_0a1b2c3d"}"#
            },
            rules: &[ArgumentRule::Without("user_feedback", &["content"])],
            timeout: STAGE_TIMEOUT,
            ..WRITES
        }
    };
}

impl<const N: usize> Tool for WriteStep<N> {
    const SPEC: ToolSpec = match N {
        1 => spec!(1),
        2 => spec!(2),
        3 => spec!(3),
        4 => spec!(4),
        5 => spec!(5),
        6 => spec!(6),
        7 => spec!(7),
        8 => spec!(8),
        9 => spec!(9),
        10 => spec!(10),
        _ => panic!("there are ten stages"),
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let stage = WritingStage::from_number(N).ok_or_else(ToolError::internal)?;
        let one = OneStage {
            tool: Self::SPEC.name,
            episode: args.episode,
            stage,
            session_id: args.session_id,
            content: args.content,
            step: args.step,
            user_feedback: args.user_feedback,
        };
        let worked = one.work(deps, cx).await?;
        let verbose = Verbose::for_call(&worked, args.verbose);
        let submit = verbose_argument(args.verbose);
        if let Some(ask) = open_question(&worked, stage, Self::SPEC.name, submit, verbose.clone(), cx).await? {
            return Ok(ToolOutcome::Ask(Box::new(ask)));
        }
        let session = &worked.session;
        Ok(ToolOutcome::Done(Output {
            success: true,
            summary: localized(
                cx.locale(),
                format!("Step {N} ({}) is done.", stage.title().get(Locale::En)),
                format!("ステップ {N}（{}）が完了しました。", stage.title().get(Locale::Ja)),
            ),
            episode: session.episode().number(),
            step: N,
            stage: stage.name().to_owned(),
            session_id: session.id().to_string(),
            next_step: session.current().map(WritingStage::number),
            result: stage_result(cx, session, stage).await?,
            placed: PlacedManuscript::for_call(&worked, cx.locale()),
            execution_time_seconds: 0.0,
            timeout_reset: true,
            recovered_stages: names(worked.lost.clone()),
            stale_stages: names(session.stale()),
            verbose,
        }))
    }
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![self.summary.clone()];
        lines.extend(self.result.as_ref().map(|result| result.line(locale)));
        lines.extend(self.placed.lines(locale));
        lines.extend(redo_notices(&self.recovered_stages, &self.stale_stages, locale));
        lines.extend(self.verbose.iter().flat_map(Verbose::lines));
        lines.extend(self.next_step.map(|next| {
            let arguments = json!({"episode": self.episode, "session_id": self.session_id});
            call_line(&format!("write_step_{next}"), &arguments)
        }));
        lines.join("\n")
    }
}
