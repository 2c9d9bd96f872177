//! The `enhanced_get_writing_tasks` tool: lists the eighteen steps of an episode with their status, and diagnoses
//! missing inputs.

use std::{sync::Arc, time::Duration};

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    errors::reviewing::ReviewError,
    finishing,
    project::{EpisodeId, NovelProject, SurveyRemark},
    references::FileReference,
    reviewing::ReviewStore,
    writing::{STAGES, StageRoute, WritingMaterial, WritingSession, WritingSessionStore},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Diagnostics, METHOD, WritingTask, latest_session, short_session, tasks};
use crate::novel::{
    ENHANCED, EpisodeNumber, NovelDeps, READS, REVIEW,
    rounding::tenths,
    suggestion::call_line,
    texts,
    writing::{TraceEntry, localized},
};

/// The number of most recent checks of the episode that are considered.
const HISTORY: usize = 100;

#[derive(Debug)]
pub struct GetWritingTasks;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    #[serde(default)]
    verbose: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    execution_method: String,
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// The step to do next; absent if the episode is finished or being written by the short route.
    #[serde(skip_serializing_if = "Option::is_none")]
    current_step: Option<usize>,
    progress_percentage: f64,
    tasks: Vec<WritingTask>,
    diagnostics: Diagnostics,
    /// The questions and answers of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_trace: Option<Vec<TraceEntry>>,
    #[serde(skip)]
    episode: u32,
    /// True if the session of the short route is open.
    #[serde(skip)]
    is_short_open: bool,
}

/// The state of an episode apart from its session.
struct EpisodeDiagnosis {
    diagnostics: Diagnostics,
    is_complete: bool,
    /// The tools that have checked the current manuscript.
    checks: Vec<String>,
}

impl Tool for GetWritingTasks {
    const SPEC: ToolSpec = ToolSpec {
        name: "enhanced_get_writing_tasks",
        toolset: REVIEW,
        family: &ENHANCED,
        texts: texts!("get_writing_tasks"),
        example: r#"{"episode": 1}"#,
        timeout: Duration::from_secs(10),
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let (novel, episode, locale) = (deps.novel(cx), args.episode.0, cx.locale());
        let look = cx.blocking(move |_, _| {
            let survey = novel.survey()?;
            survey.require_novel(novel.names())?;
            let fallbacks = survey.remarks.iter().filter(|remark| matches!(remark, SurveyRemark::OtherName(..)));
            let mut diagnostics = Diagnostics {
                path_fallbacks: fallbacks.map(|remark| remark.message().get(locale).to_owned()).collect(),
                ..Diagnostics::default()
            };
            match WritingMaterial::gather(&novel, episode) {
                Ok(material) => {
                    let faults = material
                        .faults
                        .iter()
                        .map(|fault| fumi_base::errors::UserError::error_message(fault).message.get(locale).to_owned());
                    diagnostics.missing_inputs.extend(faults);
                }
                Err(error) => {
                    let lesson = fumi_base::errors::UserError::error_message(&error);
                    diagnostics.missing_inputs.push(lesson.message.get(locale).to_owned());
                }
            }
            let files = survey.episodes.get(&episode);
            let is_complete = match files {
                Some(files) => finishing::finished(novel.project(), episode, files)?.is_some(),
                None => false,
            };
            Ok::<_, ReviewError>(EpisodeDiagnosis { diagnostics, is_complete, checks: checks(&novel, episode)? })
        });
        let EpisodeDiagnosis { mut diagnostics, is_complete, checks } = look.await?;
        let open = latest_session(cx, episode).await?;
        let session = open.as_ref().map(|(session, _)| session);
        if let Some((_, lost)) = &open {
            diagnostics.damaged_stages = lost.iter().map(|stage| stage.name().to_owned()).collect();
        }
        let trace = match session.filter(|_| args.verbose) {
            Some(session) => {
                let (project, session) = (Arc::clone(&cx.project), session.clone());
                let trace = cx.blocking(move |_, _| WritingSessionStore::new(project).trace(&session));
                Some(TraceEntry::all(&trace.await?))
            }
            None => None,
        };
        // The short route has other stages, so that its session has nothing to do with the ten.
        let short = short_session(cx, episode).await?;
        let session = session.filter(|_| short.is_none());
        let is_short_open = short.as_ref().is_some_and(|short| short.current().is_some());
        let is_written = (short.is_some() && !is_short_open) || (session.is_none() && is_complete);
        let tasks = tasks(session, &checks, (is_written, is_complete), locale);
        let current = match session.and_then(WritingSession::current) {
            Some(stage) => Some(stage.number()),
            None if is_complete || is_short_open => None,
            // All stages are written; the remaining steps finish the episode.
            None if session.is_some() || is_written => super::next_of(&tasks),
            None => Some(1),
        };
        let progress =
            if is_complete { 100.0 } else { super::completed_of(&tasks) as f64 / super::STEPS as f64 * 100.0 };
        Ok(ToolOutcome::Done(Output {
            success: true,
            execution_method: METHOD.to_owned(),
            summary: summary(episode, short.as_ref().or(session), is_complete, locale),
            is_short_open,
            session_id: short.as_ref().or(session).map(|session| session.id().to_string()),
            current_step: current,
            progress_percentage: tenths(progress),
            tasks,
            diagnostics,
            execution_trace: trace,
            episode: episode.number(),
        }))
    }
}

/// Says how far the stages of an episode are written.
fn summary(episode: EpisodeId, session: Option<&WritingSession>, is_complete: bool, locale: Locale) -> String {
    let (number, done) = (episode.number(), session.map_or(0, |session| session.completed().len()));
    let stages = session.map_or(STAGES, |session| session.route().length());
    let is_short = session.is_some_and(|session| session.route() == StageRoute::Short);
    let (en, ja) = match (session.is_none() && is_complete, is_short, done == stages) {
        (true, ..) => (format!("Episode {number} is complete."), format!("第{number}話は完成しています。")),
        (_, true, true) => (
            format!("Episode {number} was written by the short route: all {stages} stages are done."),
            format!("第{number}話: 短い手順（short）の {stages} 段階をすべて書き終えています。"),
        ),
        (_, true, false) => (
            format!("Episode {number} is being written by the short route: {done} of {stages} stages are done."),
            format!("第{number}話: 短い手順（short）で執筆中です。{stages} 段階のうち {done} 段階が完了しています。"),
        ),
        _ => (
            format!("Episode {number}: {done} of {stages} stages are done."),
            format!("第{number}話: {stages} 段階のうち {done} 段階が完了しています。"),
        ),
    };
    localized(locale, en, ja)
}

/// Returns the tools whose checks were made of the current manuscript.
fn checks(novel: &NovelProject, episode: EpisodeId) -> Result<Vec<String>, ReviewError> {
    let Ok(file) = novel.manuscript(episode) else {
        return Ok(Vec::new());
    };
    let now = FileReference::read(&file)?;
    let history = ReviewStore::new(Arc::clone(novel.project())).history(episode, HISTORY)?;
    let of_now = history.into_iter().filter(|(_, done)| done.sha256 == now.hash.digits());
    Ok(of_now.map(|(_, done)| done.tool).collect())
}

impl Render for Output {
    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![self.summary.clone()];
        lines.extend(self.tasks.iter().map(|task| task.line(locale)));
        lines.extend(self.diagnostics.lines());
        lines.extend(self.execution_trace.iter().flatten().map(TraceEntry::line));
        lines.extend(self.session_id.as_ref().map(|id| format!("session_id {id}")));
        lines.extend(self.current_step.map(|step| {
            let arguments = json!({"episode": self.episode, "step_id": step});
            call_line("enhanced_execute_writing_step", &arguments)
        }));
        lines.extend(self.session_id.as_ref().filter(|_| self.is_short_open).map(|id| {
            let arguments = json!({"episode": self.episode, "session_id": id});
            call_line("noveler_write", &arguments)
        }));
        lines.join("\n")
    }
}
