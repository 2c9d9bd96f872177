//! The tools `write_step_1` to `write_step_10`: the stages by number, each call with its own timeout.
//!
//! The ten tools have the same form; they differ only in number and texts.

use fumi_base::text::Locale;
use fumi_novel::writing::WritingStage;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{
    PlacedManuscript, STAGE_TIMEOUT, StageResult, Verbose, localized, names, stage_result, verbose_argument,
    write_stage::{OneStage, open_question},
};
use crate::{
    tool::{ArgumentRule, Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec, ToolTextFiles},
    tools::novel::{EpisodeNumber, NovelDeps, STEPS, WRITES},
};

/// The tool of one stage, numbered 1 to 10.
#[derive(Debug)]
pub struct WriteStep<const N: usize>;

/// What the client sends.
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

/// What it answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    summary: String,
    episode: u32,
    /// The number of the stage. In a question `step` names a turn, as in every question: the published schema has both types.
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
    /// Always true: every stage has a limit of time of its own.
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

/// Builds the specification of a step: its number, and its titles before the text that all steps share.
macro_rules! spec {
    ($number:literal, $en:literal, $ja:literal) => {
        ToolSpec {
            name: concat!("write_step_", $number),
            toolset: STEPS,
            texts: ToolTextFiles {
                en: concat!(
                    "# ",
                    $en,
                    "\nStage ",
                    $number,
                    " of 10. ",
                    include_str!("write_step.en.md")
                ),
                ja: concat!(
                    "# ",
                    $ja,
                    "\n十段階の第",
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
        1 => spec!(1, "Step 1: plot and data", "ステップ1: プロット・データ準備"),
        2 => spec!(2, "Step 2: analyse the plot", "ステップ2: プロット分析・設計"),
        3 => spec!(3, "Step 3: emotions and relations", "ステップ3: 感情・関係性設計"),
        4 => spec!(4, "Step 4: humour and charm", "ステップ4: ユーモア・魅力設計"),
        5 => spec!(5, "Step 5: minds and dialogue", "ステップ5: キャラ心理・対話設計"),
        6 => spec!(6, "Step 6: scenes and atmosphere", "ステップ6: 場面演出・雰囲気設計"),
        7 => spec!(7, "Step 7: consistency", "ステップ7: 論理整合性調整"),
        8 => spec!(8, "Step 8: the manuscript", "ステップ8: 原稿執筆"),
        9 => spec!(9, "Step 9: refine", "ステップ9: 品質仕上げ"),
        10 => spec!(10, "Step 10: final adjustment", "ステップ10: 最終調整"),
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
    fn text(&self, _: Locale) -> String {
        let mut lines = vec![self.summary.clone()];
        if let Some(result) = &self.result {
            lines.push(result.line());
        }
        lines.extend(self.placed.lines());
        if let Some(next) = self.next_step {
            lines.push(format!(
                "→ write_step_{next} {{\"episode\": {}, \"session_id\": \"{}\"}}",
                self.episode, self.session_id
            ));
        }
        lines.join("\n")
    }
}
