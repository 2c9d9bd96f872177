//! The enhanced writing tools: diagnosis of missing inputs, steps that repair their session, and resumption from an
//! earlier step. The eighteen steps are the ten stages and eight that finish the episode.
//!
//! Unlike in the other writing tools, the caller names no session (the latest one is found), a session with damaged
//! files is repaired without a request, and errors have the fields of a reply of this group.

pub mod execute_writing_step;
pub mod get_writing_tasks;
pub mod resume_from_partial_failure;

use fumi_base::{
    errors::UserError,
    text::{BilingualText, Locale},
};
use fumi_kernel::{Cx, ToolError};
use fumi_novel::{
    project::EpisodeId,
    writing::{STAGES, StageRoute, WritingSession, WritingSessionStore, WritingStage},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{BOOK, ENHANCED};

/// The `execution_method` of every reply and error of this group.
pub(super) const METHOD: &str = ENHANCED.details[0].1;

/// The number of steps, stages included.
pub(super) const STEPS: usize = 18;

/// The steps after the ten stages: the tool of each, and its title in English and Japanese.
const FINISHING: [(&str, &str, &str); STEPS - STAGES] = [
    ("check_basic", "Basic check", "基本チェック"),
    ("check_rhythm", "Rhythm check", "リズムのチェック"),
    ("check_writing_expression", "Expression check", "文章表現のチェック"),
    ("check_story_structure", "Structure check", "構成のチェック"),
    ("check_story_elements", "Story elements", "基本要素のチェック"),
    ("check_fix", "Safe fixes", "書式の修正（safe）"),
    ("noveler_check", "Check again", "もう一度チェック"),
    ("noveler_complete", "Complete and package", "公開の準備"),
];

/// One of the eighteen steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WritingStep {
    Stage(WritingStage),
    /// The number of a finishing step, from 11, with its tool's name.
    Finishing(usize, &'static str),
}

impl WritingStep {
    pub(super) fn numbered(number: f64) -> Result<Self, UnknownStep> {
        let unknown = || UnknownStep { asked: number.to_string() };
        if number.fract() != 0.0 || !(1.0..=18.0).contains(&number) {
            return Err(unknown());
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 1 to 18")]
        let number = number as usize;
        match WritingStage::from_number(number) {
            Some(stage) => Ok(Self::Stage(stage)),
            None => Ok(Self::Finishing(number, FINISHING[number - STAGES - 1].0)),
        }
    }

    /// Returns every step, in order.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let finishing = FINISHING.iter().zip(STAGES + 1..).map(|((tool, ..), number)| Self::Finishing(number, tool));
        StageRoute::Whole.stages().map(Self::Stage).chain(finishing)
    }

    pub(super) fn number(self) -> usize {
        match self {
            Self::Stage(stage) => stage.number(),
            Self::Finishing(number, _) => number,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Stage(stage) => stage.name(),
            Self::Finishing(_, tool) => tool,
        }
    }

    pub(super) fn title(self) -> BilingualText {
        match self {
            Self::Stage(stage) => stage.title().clone(),
            Self::Finishing(number, _) => {
                let (_, en, ja) = FINISHING[number - STAGES - 1];
                BilingualText::new(en, ja)
            }
        }
    }
}

/// The error for a number that is not a step.
#[derive(Debug, UserError)]
#[fact(plain(asked))]
#[fact(steps = steps())]
pub(super) struct UnknownStep {
    asked: String,
}

/// Returns the numbers and names of all steps.
fn steps() -> String {
    let steps = WritingStep::all().map(|step| format!("{} {}", step.number(), step.name()));
    steps.collect::<Vec<_>>().join(", ")
}

/// Returns the status of a step in Japanese.
pub(super) fn status_in_japanese(status: &str) -> &str {
    match status {
        "completed" => "完了",
        "in_progress" => "進行中",
        "stale" => "やり直しが必要",
        "pending" => "未着手",
        "planned" => "予定",
        other => other,
    }
}

impl WritingTask {
    fn line(&self, locale: Locale) -> String {
        let Self { step_id, name, title, status, .. } = self;
        match locale {
            Locale::En => format!("{step_id} {name} ({title}): {status}"),
            Locale::Ja => format!("{step_id} {name}（{title}）: {}", status_in_japanese(status)),
        }
    }
}

impl Diagnostics {
    fn lines(&self) -> impl Iterator<Item = String> {
        let all = self.missing_inputs.iter().chain(&self.path_fallbacks).chain(&self.damaged_stages);
        all.map(|found| format!("- {found}"))
    }
}

/// The problems that were found.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Diagnostics {
    /// Folders that have another name than the configured one.
    path_fallbacks: Vec<String>,
    /// Inputs that the episode needs and that are missing.
    missing_inputs: Vec<String>,
    /// Stages whose files are missing or changed.
    damaged_stages: Vec<String>,
}

/// Returns the newest session of an episode, finished or not, and the stages whose files are damaged. Returns `None` in
/// a project without a sessions folder.
pub(super) async fn latest_session(
    cx: &Cx,
    episode: EpisodeId,
) -> Result<Option<(WritingSession, Vec<WritingStage>)>, ToolError> {
    let sessions = WritingSessionStore::new(std::sync::Arc::clone(&cx.project));
    let latest =
        cx.blocking(move |_, _| sessions.latest(episode, |session| session.route() == StageRoute::Whole)).await?;
    Ok(latest.map(|recovered| (recovered.session, recovered.lost)))
}

/// Returns the newest session of an episode if it writes the episode by the short route, whose stages are not steps.
pub(super) async fn short_session(cx: &Cx, episode: EpisodeId) -> Result<Option<WritingSession>, ToolError> {
    let sessions = WritingSessionStore::new(std::sync::Arc::clone(&cx.project));
    let latest =
        cx.blocking(move |_, _| sessions.latest(episode, |session| session.route().writes_an_episode())).await?;
    Ok(latest.map(|latest| latest.session).filter(|session| session.route() == StageRoute::Short))
}

/// A step in a list of steps.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct WritingTask {
    step_id: usize,
    name: String,
    title: String,
    /// `completed`, `in_progress`, `stale` or `pending`. A check is completed if it was made of the current manuscript.
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<usize>,
}

/// Returns all steps with their status. `is_written` if the manuscript was finished without the ten stages.
pub(super) fn tasks(
    session: Option<&WritingSession>,
    done: &[String],
    (is_written, is_complete): (bool, bool),
    locale: Locale,
) -> Vec<WritingTask> {
    let of_stage = |stage: WritingStage, session: &WritingSession| match session.output(stage) {
        Some(output) if output.stale => "stale",
        Some(_) if session.completed().contains(&stage) => "completed",
        _ if session.current() == Some(stage) => "in_progress",
        _ => "pending",
    };
    let status = |step: WritingStep| match step {
        WritingStep::Stage(_) if is_written => "completed",
        WritingStep::Stage(stage) => session.map_or("pending", |session| of_stage(stage, session)),
        WritingStep::Finishing(STEPS, _) if is_complete => "completed",
        WritingStep::Finishing(STEPS, _) => "pending",
        WritingStep::Finishing(_, tool) if done.iter().any(|known| known == tool) => "completed",
        WritingStep::Finishing(..) => "pending",
    };
    let task = |step: WritingStep| WritingTask {
        step_id: step.number(),
        name: step.name().to_owned(),
        title: step.title().get(locale).to_owned(),
        status: status(step).to_owned(),
        turns: match step {
            WritingStep::Stage(stage) => Some(stage.turns().len()),
            WritingStep::Finishing(..) => None,
        },
    };
    WritingStep::all().map(task).collect()
}

/// Returns the number of the first step that is not completed.
pub(super) fn next_of(tasks: &[WritingTask]) -> Option<usize> {
    tasks.iter().find(|task| task.status != "completed").map(|task| task.step_id)
}

/// Returns the number of completed steps.
pub(super) fn completed_of(tasks: &[WritingTask]) -> usize {
    tasks.iter().filter(|task| task.status == "completed").count()
}
