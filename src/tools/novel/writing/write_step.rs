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

/// Builds the specification of a step: its number, and its titles and summaries before the text that all steps share.
macro_rules! spec {
    ($number:literal, $en:literal, $does:literal, $ja:literal, $does_ja:literal) => {
        ToolSpec {
            name: concat!("write_step_", $number),
            toolset: STEPS,
            texts: ToolTextFiles {
                en: concat!(
                    "# ",
                    $en,
                    "\nsummary: ",
                    $does,
                    " (stage ",
                    $number,
                    " of 10).\nStage ",
                    $number,
                    " of 10. ",
                    include_str!("write_step.en.md")
                ),
                ja: concat!(
                    "# ",
                    $ja,
                    "\nsummary: ",
                    $does_ja,
                    "（十段階の第",
                    $number,
                    "段階）。\n十段階の第",
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
        1 => spec!(
            1,
            "Step 1: plot and data",
            "Gather the material for an episode",
            "ステップ1: プロット・データ準備",
            "話の材料を集める"
        ),
        2 => spec!(
            2,
            "Step 2: analyse the plot",
            "Analyse the plot of an episode and divide it into scenes",
            "ステップ2: プロット分析・設計",
            "話のプロットを分析し、場面に分ける"
        ),
        3 => spec!(
            3,
            "Step 3: emotions and relations",
            "Design the emotions and relationships in an episode",
            "ステップ3: 感情・関係性設計",
            "話の感情の流れと人物の関係を設計する"
        ),
        4 => spec!(
            4,
            "Step 4: humour and charm",
            "Design the humour and the characters' charm in an episode",
            "ステップ4: ユーモア・魅力設計",
            "話のユーモアと人物の魅力を設計する"
        ),
        5 => spec!(
            5,
            "Step 5: minds and dialogue",
            "Design the characters' minds and dialogue in an episode",
            "ステップ5: キャラ心理・対話設計",
            "話の人物の心理と対話を設計する"
        ),
        6 => spec!(
            6,
            "Step 6: scenes and atmosphere",
            "Design the scenes and atmosphere of an episode",
            "ステップ6: 場面演出・雰囲気設計",
            "話の場面の演出と雰囲気を設計する"
        ),
        7 => spec!(
            7,
            "Step 7: consistency",
            "Find and resolve contradictions in the design of an episode",
            "ステップ7: 論理整合性調整",
            "話の設計の食い違いを見つけて解消する"
        ),
        8 => spec!(
            8,
            "Step 8: the manuscript",
            "Write the manuscript of an episode",
            "ステップ8: 原稿執筆",
            "話の原稿を書く"
        ),
        9 => spec!(
            9,
            "Step 9: refine",
            "Find and correct weak passages in the manuscript of an episode",
            "ステップ9: 品質仕上げ",
            "話の原稿の弱い箇所を見つけて直す"
        ),
        10 => spec!(
            10,
            "Step 10: final adjustment",
            "Make the last small corrections to the manuscript of an episode",
            "ステップ10: 最終調整",
            "話の原稿に最後の細かな修正を加える"
        ),
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
        lines.extend(self.placed.lines());
        lines.extend(redo_notices(&self.recovered_stages, &self.stale_stages, locale));
        lines.extend(self.verbose.iter().flat_map(Verbose::lines));
        lines.extend(self.next_step.map(|next| {
            let arguments = json!({"episode": self.episode, "session_id": self.session_id});
            call_line(&format!("write_step_{next}"), &arguments)
        }));
        lines.join("\n")
    }
}
