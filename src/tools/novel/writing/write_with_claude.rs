//! The `write_with_claude` tool: writes a whole episode in one go with the client's own model, from the project's plot
//! or from one passed as an argument.
//!
//! A provider is never asked, and no session is stored: the question can be rebuilt from its arguments, and its
//! `session_id` only shows which reply belongs to it. The manuscript that the text replaces is backed up.

use std::sync::Arc;

use fumi_base::text::Locale;
use fumi_kernel::{
    AnswerCall, AskStatus, Audience, CallProgress, Cx, QuestionReply, Render, Tool, ToolError, ToolOutcome, ToolSpec,
};
use fumi_novel::{
    change_set,
    errors::writing::WritingError,
    project::NovelProject,
    writing::{
        AnswerCriterion, CitedFile, DeliveredManuscript, WholeEpisodeRequest, WholeEpisodeText, WritingMaterial,
        manuscript, place_manuscript, plot_of,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{
    ResourceUsage, STAGE_TIMEOUT, backup_note, call_time, localized, material, noveler_write::to_finish, preview,
    reference, warnings, work_id,
};
use tokio_util::sync::CancellationToken;

use crate::novel::{EpisodeNumber, NovelDeps, WRITES, alone, suggestion::Suggestion, texts};

#[derive(Debug)]
pub struct WriteWithClaude;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// A plot, as YAML or prose.
    #[schemars(length(min = 1, max = 20_000))]
    plot_content: Option<String>,
    #[schemars(range(min = 1000, max = 20000))]
    word_count_target: Option<u32>,
    /// The session of the question that is answered.
    #[schemars(length(max = 100))]
    session_id: Option<String>,
    /// The manuscript that answers the question.
    content: Option<String>,
    /// True to return the whole text.
    #[serde(default)]
    include_text: bool,
    #[serde(default)]
    verbose: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    summary: String,
    session_id: String,
    /// The whole text if it was requested, else at most 200 characters.
    manuscript_generated: String,
    manuscript_path: String,
    artifact_id: String,
    word_count: usize,
    /// The origin of the text: `host` or `llm_sampling`.
    generation_method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_id: Option<String>,
    /// The criteria that the text misses slightly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    next_suggested_actions: Vec<Suggestion>,
    execution_time_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_usage: Option<ResourceUsage>,
    /// True if the whole text was requested.
    #[serde(skip)]
    is_whole: bool,
}

/// The inputs gathered before a question is asked or an answer is judged.
struct EpisodeInputs {
    novel: NovelProject,
    material: WritingMaterial,
    plot: String,
}

/// The result of examining the arguments.
enum EpisodeOutcome {
    Question {
        instruction: String,
        context: Vec<CitedFile>,
        criteria: Vec<AnswerCriterion>,
    },
    /// The accepted text, the place of the manuscript, and the files written with their sizes in bytes.
    Text(WholeEpisodeText, DeliveredManuscript, Vec<(String, usize)>),
}

impl Tool for WriteWithClaude {
    const SPEC: ToolSpec = ToolSpec {
        name: "write_with_claude",
        texts: texts!("write_with_claude"),
        example: r#"{"episode": 1, "plot_content": "みちるが検潮所の鍵を返しに行き、返さずに帰る。"}"#,
        timeout: STAGE_TIMEOUT,
        ..WRITES
    };
    const ASKS: bool = true;
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let id = work_id(args.session_id.as_deref(), &call_time()?)?;
        let (novel, episode, passed) = (deps.novel(cx), args.episode.0, args.plot_content.clone());
        let prepared = cx.blocking(move |_, _| {
            let material = WritingMaterial::gather_for(&novel, episode, passed.as_deref().map(plot_of))?;
            let plot = passed.unwrap_or_else(|| material.plot.to_yaml());
            Ok::<_, WritingError>(EpisodeInputs { novel, material, plot })
        });
        let prepared = prepared.await?;
        let looked = look(&args, prepared, cx).await?;
        Ok(match looked {
            EpisodeOutcome::Question { instruction, context, criteria } => {
                let mut ask = ask(&args, id, instruction, &criteria, cx.locale());
                ask.context = context.iter().map(|cited| reference(cited, cx.locale())).collect();
                ask.material = material(&context, cx).await?;
                ToolOutcome::Ask(Box::new(ask))
            }
            EpisodeOutcome::Text(text, place, written) => {
                let resource_usage = args.verbose.then(|| ResourceUsage::from_files(&written));
                ToolOutcome::Done(Output { resource_usage, ..output(&args, id, &text, place, cx) })
            }
        })
    }
}

/// Builds the question, or judges the answer and places it among the manuscripts.
async fn look(args: &Args, prepared: EpisodeInputs, cx: &Cx) -> Result<EpisodeOutcome, ToolError> {
    let (episode, target, locale, now) = (args.episode.0, args.word_count_target, cx.locale(), call_time()?);
    let (project, content) = (Arc::clone(&cx.project), args.content.clone());
    let (is_answered, own) = (content.is_some(), prepared.novel.clone());
    let work = move |_: &CancellationToken, _: &CallProgress| {
        let EpisodeInputs { novel, material, plot } = prepared;
        let at_once = WholeEpisodeRequest { episode, material: &material, target, locale };
        let Some(content) = content else {
            return Ok::<_, WritingError>(EpisodeOutcome::Question {
                instruction: at_once.instruction(&plot, &now.moment),
                context: at_once.context().to_vec(),
                criteria: at_once.criteria(),
            });
        };
        let text = at_once.accept(&content)?;
        let title = material.plot.episode_info.title.clone().unwrap_or_default();
        let whole = manuscript(episode, &title, &text.text);
        let (place, change) = place_manuscript(&project, &novel, episode, &title, &whole, &now.stamp)?;
        let written = change.iter().map(|_| (place.path.clone(), whole.len())).collect();
        change_set::apply(&project, None, change.into_iter().collect())?;
        Ok(EpisodeOutcome::Text(text, place, written))
    };
    if is_answered {
        alone(own, cx, &format!("{} {episode}", WriteWithClaude::SPEC.name), work).await
    } else {
        cx.blocking(work).await
    }
}

fn ask(args: &Args, id: String, instruction: String, criteria: &[AnswerCriterion], locale: Locale) -> QuestionReply {
    let mut arguments =
        Map::from_iter([("episode".to_owned(), json!(args.episode.0.number())), ("session_id".to_owned(), json!(id))]);
    if let Some(plot) = &args.plot_content {
        arguments.insert("plot_content".to_owned(), json!(plot));
    }
    if let Some(target) = args.word_count_target {
        arguments.insert("word_count_target".to_owned(), json!(target));
    }
    for (name, wanted) in [("include_text", args.include_text), ("verbose", args.verbose)] {
        if wanted {
            arguments.insert(name.to_owned(), json!(true));
        }
    }
    QuestionReply {
        status: AskStatus::NeedsText,
        session_id: id,
        step: "whole_episode".to_owned(),
        instruction,
        context: Vec::new(),
        acceptance_criteria: criteria.iter().map(|criterion| criterion.sentence().get(locale).to_owned()).collect(),
        response_schema: None,
        submit: AnswerCall { tool: WriteWithClaude::SPEC.name, arguments, answer: "content", sample: None },
        material: Vec::new(),
        report: String::new(),
        // A caller of this tool wants no external service, so only the client's model is asked.
        audience: Audience::Client,
        title: None,
        more: Map::new(),
    }
}

fn output(args: &Args, session_id: String, text: &WholeEpisodeText, place: DeliveredManuscript, cx: &Cx) -> Output {
    let locale = cx.locale();
    let episode = args.episode.0;
    Output {
        success: true,
        summary: localized(
            locale,
            format!("Episode {} is written: {} characters.", episode.number(), text.characters),
            format!("第{}話を書き終えました（{} 字）。", episode.number(), text.characters),
        ),
        session_id,
        manuscript_generated: if args.include_text { text.text.clone() } else { preview(&text.text) },
        artifact_id: super::artifact(&place.sha256),
        manuscript_path: place.path,
        word_count: text.characters,
        warnings: warnings(&text.warnings, locale),
        generation_method: cx.answerer.method().to_owned(),
        backup_id: place.backup,
        next_suggested_actions: vec![Suggestion::for_episode("noveler_complete", episode, &to_finish(), locale)],
        execution_time_seconds: 0.0,
        resource_usage: None,
        is_whole: args.include_text,
    }
}

impl Render for Output {
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        Suggestion::keep_callable(&mut self.next_suggested_actions, can_call);
    }

    fn text(&self, locale: Locale) -> String {
        let backup = backup_note(self.backup_id.as_deref(), locale);
        let place = format!("{}{backup} {}", self.manuscript_path, self.artifact_id);
        let mut lines = vec![self.summary.clone(), place];
        lines.extend(self.warnings.iter().map(|said| format!("! {said}")));
        // The caller has just written the text.
        lines.extend(self.is_whole.then(|| self.manuscript_generated.clone()));
        lines.extend(self.next_suggested_actions.iter().map(Suggestion::line));
        lines.join("\n")
    }
}
