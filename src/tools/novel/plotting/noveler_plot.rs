//! The `noveler_plot` tool: returns the existing plot of an episode, asks for a new one, or stores the answer.

use std::{sync::Arc, time::Duration};

use fumi_base::{
    pools::Pool,
    text::{BilingualText, Locale},
};
use fumi_kernel::{
    AnswerCall, AskStatus, Audience, CallProgress, Cx, QuestionReply, Render, Tool, ToolError, ToolOutcome, ToolSpec,
};
use fumi_novel::{
    errors::writing::WritingError,
    plotting::{self, PlotMaterial, PlotPreview, StoredPlot},
    writing::CitedFile,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use tokio_util::sync::CancellationToken;

use crate::novel::{
    EpisodeNumber, NovelDeps, WRITES, alone, stamp,
    suggestion::Suggestion,
    texts,
    writing::{
        artifact, backup_note, call_time, localized, material, noveler_write::to_write, preview, reference, work_id,
    },
};

#[derive(Debug)]
pub struct NovelerPlot;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// True to replace the existing plot.
    #[serde(default)]
    regenerate: bool,
    /// The session of the question that is answered.
    #[schemars(length(max = 100))]
    session_id: Option<String>,
    /// The plot that answers the question.
    content: Option<String>,
    /// True to return the whole plot.
    #[serde(default)]
    include_text: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    summary: String,
    session_id: String,
    /// The whole plot if it was requested, else at most 200 characters.
    plot_generated: String,
    plot_file_path: String,
    artifact_id: String,
    /// The origin of the plot: `existing`, `host`, `llm_sampling` or `llm_provider`.
    generation_method: String,
    plot_quality_preview: PlotQuality,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_id: Option<String>,
    next_suggested_actions: Vec<Suggestion>,
    execution_time_seconds: f64,
}

/// The quality of a plot, as far as it can be counted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct PlotQuality {
    estimated_length: u32,
    complexity_score: u32,
    key_elements: Vec<String>,
}

/// The result of examining the arguments and the project.
enum PlotOutcome {
    Question(String, Vec<CitedFile>, Option<BilingualText>),
    Plot(Box<StoredPlot>, PlotPreview, bool),
}

impl Tool for NovelerPlot {
    const SPEC: ToolSpec = ToolSpec {
        name: "noveler_plot",
        texts: texts!("noveler_plot"),
        example: r#"{"episode": 1}"#,
        pool: Pool::Plot,
        // Only storing a plot takes the project's lock, and that is short.
        exclusive: false,
        timeout: Duration::from_mins(2),
        ..WRITES
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let id = work_id(args.session_id.as_deref(), &call_time()?)?;
        let looked = look(&args, deps, cx).await?;
        Ok(match looked {
            PlotOutcome::Question(instruction, context, notice) => {
                let mut ask = ask(&args, id, instruction, &context, cx.locale());
                ask.material = material(&context, cx).await?;
                ask.report = notice.map_or_else(String::new, |said| format!("! {}", said.get(cx.locale())));
                ToolOutcome::Ask(Box::new(ask))
            }
            PlotOutcome::Plot(placed, preview, is_new) => {
                ToolOutcome::Done(output(&args, id, *placed, (preview, is_new), cx))
            }
        })
    }
}

async fn look(args: &Args, deps: &NovelDeps, cx: &Cx) -> Result<PlotOutcome, ToolError> {
    let (project, novel, episode, locale) = (Arc::clone(&cx.project), deps.novel(cx), args.episode.0, cx.locale());
    let (content, regenerate, stamp) = (args.content.clone(), args.regenerate, stamp());
    let is_answered = content.is_some();
    let work = move |_: &CancellationToken, _: &CallProgress| {
        let existing = plotting::existing(&novel, episode)?;
        let target = || PlotMaterial::gather(&novel, episode, None).map(|material| material.target());
        match (content, existing) {
            (None, Some(existing)) if !regenerate => {
                let preview = plotting::preview(&existing.plot, target()?);
                Ok::<_, WritingError>(PlotOutcome::Plot(Box::new(existing), preview, false))
            }
            (Some(_), Some(existing)) if !regenerate => Err(WritingError::PlotExists { episode, path: existing.path }),
            (Some(content), _) => {
                let plot = plotting::validate_answer(episode, &content)?;
                let placed = plotting::store_plot(&project, &novel, episode, plot, &stamp)?;
                let preview = plotting::preview(&placed.plot, target()?);
                Ok(PlotOutcome::Plot(Box::new(placed), preview, true))
            }
            (None, existing) => {
                let material = PlotMaterial::gather(&novel, episode, existing.map(|existing| existing.text))?;
                let instruction = material.instruction(episode, locale);
                let notice = material.sample_notice();
                Ok(PlotOutcome::Question(instruction, material.references, notice))
            }
        }
    };
    if is_answered {
        deps.check_novel(cx).await?;
        alone(deps.novel(cx), cx, &format!("{} {episode}", NovelerPlot::SPEC.name), work).await
    } else {
        cx.blocking(work).await
    }
}

fn ask(args: &Args, id: String, instruction: String, context: &[CitedFile], locale: Locale) -> QuestionReply {
    let mut arguments =
        Map::from_iter([("episode".to_owned(), json!(args.episode.0.number())), ("session_id".to_owned(), json!(id))]);
    for (name, wanted) in [("regenerate", args.regenerate), ("include_text", args.include_text)] {
        if wanted {
            arguments.insert(name.to_owned(), json!(true));
        }
    }
    QuestionReply {
        status: AskStatus::NeedsText,
        session_id: id,
        step: "plot".to_owned(),
        instruction,
        context: context.iter().map(|cited| reference(cited, locale)).collect(),
        acceptance_criteria: plotting::criteria().iter().map(|criterion| criterion.get(locale).to_owned()).collect(),
        response_schema: Some(plot_schema()),
        submit: AnswerCall { tool: NovelerPlot::SPEC.name, arguments, answer: "content", sample: None },
        material: Vec::new(),
        report: String::new(),
        audience: Audience::AnyModel,
        title: Some(BilingualText::new("Planning", "プロット作成")),
        more: Map::new(),
    }
}

/// Returns the schema of a plot, with the keys that an answer must have.
fn plot_schema() -> Map<String, Value> {
    let text = json!({"type": "string"});
    let list = |least: usize| json!({"type": "array", "minItems": least});
    let schema = json!({
        "type": "object",
        "required": ["episode_info", "synopsis", "key_events", "story_structure", "characters"],
        "properties": {
            "episode_info": {"type": "object", "required": ["title"], "properties": {"title": text}},
            "synopsis": {"type": "string", "minLength": 40},
            "key_events": list(3),
            "story_structure": {
                "type": "object",
                "required": ["setup", "confrontation", "resolution"],
                "properties": {"setup": text, "confrontation": text, "resolution": text},
            },
            "characters": list(1),
            "emotional_elements": {"type": "object"},
            "foreshadowing": list(0),
            "scene_structure": {"type": "object"},
            "quality_checkpoints": list(0),
        },
    });
    schema.as_object().cloned().unwrap_or_default()
}

fn output(
    args: &Args,
    session_id: String,
    placed: StoredPlot,
    (quality, is_new): (PlotPreview, bool),
    cx: &Cx,
) -> Output {
    let (episode, locale) = (args.episode.0, cx.locale());
    let title = plotting::title_of(&placed.plot, locale);
    Output {
        success: true,
        summary: summary(episode.number(), &title, placed.plot.events().len(), is_new, locale),
        session_id,
        plot_generated: if args.include_text { placed.text.clone() } else { preview(&placed.text) },
        artifact_id: artifact(&placed.sha256),
        plot_file_path: placed.path,
        generation_method: if is_new { cx.answerer.method() } else { "existing" }.to_owned(),
        plot_quality_preview: PlotQuality {
            estimated_length: quality.estimated_length,
            complexity_score: quality.complexity_score,
            key_elements: quality.key_elements,
        },
        backup_id: placed.backup,
        next_suggested_actions: vec![Suggestion::for_episode("noveler_write", episode, &to_write(), locale)],
        execution_time_seconds: 0.0,
    }
}

fn summary(episode: u32, title: &str, events: usize, is_new: bool, locale: Locale) -> String {
    if is_new {
        localized(
            locale,
            format!("Saved the plot of episode {episode}, {title}: {events} events."),
            format!("第{episode}話「{title}」のプロットを保存しました（出来事 {events} 件）。"),
        )
    } else {
        localized(
            locale,
            format!("Episode {episode} has a plot already, {title}: {events} events."),
            format!("第{episode}話「{title}」のプロットはすでにあります（出来事 {events} 件）。"),
        )
    }
}

impl Render for Output {
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        Suggestion::keep_callable(&mut self.next_suggested_actions, can_call);
    }

    fn text(&self, locale: Locale) -> String {
        let backup = backup_note(self.backup_id.as_deref(), locale);
        let place = format!("{}{backup} {}", self.plot_file_path, self.artifact_id);
        let length = self.plot_quality_preview.estimated_length;
        let planned = match locale {
            Locale::En => format!("Planned length: {length} characters"),
            Locale::Ja => format!("予定の長さ: {length} 字"),
        };
        let mut lines = vec![self.summary.clone(), place, planned, self.plot_generated.clone()];
        // The beginning of a plot ends with an ellipsis.
        if self.plot_generated.ends_with('…') {
            lines.push(match locale {
                Locale::En => "The rest: fetch_artifact with the id above".to_owned(),
                Locale::Ja => "続きは上の id を fetch_artifact に渡して取得できます".to_owned(),
            });
        }
        lines.extend(self.next_suggested_actions.iter().map(Suggestion::line));
        lines.join("\n")
    }
}
