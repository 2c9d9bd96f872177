//! Errors of writing an episode: stages out of order, rejected answers, unknown sessions.
//!
//! Each variant carries the facts that its sentences in `writing.toml` name. A text lost from the disk is not an error:
//! its stage is repeated.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, Fact, UserError},
    nearest::nearest,
    project::PathError,
    text::{BilingualText, Locale},
};

use super::{backup::BackupError, project::ProjectError};
use crate::{
    project::EpisodeId,
    writing::{MissedCriterion, StageRoute, WritingStage},
};

/// The error catalogue of writing an episode.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("writing.toml")));

/// An error of a writing step.
#[derive(Debug, UserError)]
#[fact(misses = missed(misses))]
pub enum WritingError {
    /// `step` is that of an answer that names the stage; `None` if the stage is an argument.
    #[fact(skip(step))]
    #[fact(names = listed(WritingStage::all()))]
    #[fact(first = nearest_hint(asked))]
    #[fact(change = nearest_change(asked, step.as_deref()))]
    UnknownStage { asked: String, step: Option<String> },
    /// The stage requires earlier stages.
    #[fact(missing = listed(missing.iter().copied()))]
    #[fact(first = missing.first().map(ToString::to_string).unwrap_or_default())]
    #[fact(number = missing.first().map_or(1, |stage| stage.number()))]
    StageTooEarly { stage: WritingStage, missing: Vec<WritingStage> },
    #[fact(count = misses.len())]
    #[fact(waiver = waiver(misses))]
    CriteriaMissed { stage: WritingStage, turn: usize, misses: Vec<MissedCriterion> },
    /// A text that is written without a session misses criteria.
    #[fact(count = misses.len())]
    TextMissed { misses: Vec<MissedCriterion> },
    /// The episode has a session that follows another route than the requested one.
    OtherRoute { id: String, route: &'static str },
    #[fact(plain(criterion))]
    WaiverReason { criterion: String, limit: usize },
    /// A waiver names a criterion that the question does not have or that cannot be waived.
    #[fact(known = known.join(", "))]
    #[fact(first = nearest_criterion(asked, known))]
    UnknownWaiver { asked: String, known: Vec<String> },
    #[fact(count = misses.len())]
    PlotMissed { misses: Vec<MissedCriterion> },
    /// The episode has a plot already.
    PlotExists { episode: EpisodeId, path: String },
    /// The stage is finished.
    StageDone { stage: WritingStage, current: WritingStage },
    /// The answer is for another turn of the stage.
    WrongTurn { stage: WritingStage, asked: usize, turn: usize },
    /// Feedback is about a scene that has no text yet.
    #[fact(step = format!("{stage}:{written}"))]
    SceneNotWritten { stage: WritingStage, asked: usize, written: usize },
    /// All stages of the session are finished.
    WritingFinished { id: String },
    /// The episode has no session with the id.
    WritingSessionNotFound { id: String, episode: EpisodeId },
    /// A newer session was begun in the place of the one to resume.
    #[fact(plain(newer))]
    SessionReplaced { id: String, newer: String, episode: EpisodeId },
    /// The same answer was accepted before.
    AnswerTakenAlready { stage: WritingStage },
    /// The answer is for another stage than the open one.
    OtherStage { stage: WritingStage, asked: WritingStage },
    /// The id does not come from a question of the tool.
    SessionOfNoQuestion { id: String },
    /// An answer names no session.
    AnswerWithoutSession,
    /// The episode has no session that is not finished.
    NoOpenSession { episode: EpisodeId },
    /// A stage needs the session that it continues.
    SessionIdMissing { stage: WritingStage },
    /// The file of a session cannot be used.
    BrokenSession { path: String, reason: BilingualText },
    /// The text is larger than a session may have.
    ContentTooLarge { what: BilingualText, size: usize, limit: usize },
    /// The session has no such stage.
    #[fact(skip(route), plain(id))]
    #[fact(names = listed(route.stages()))]
    StageOffRoute { stage: WritingStage, id: String, route: StageRoute },
    /// The session has as much feedback as it may have.
    FeedbackFull { id: String },
    #[from]
    Project(ProjectError),
    #[from]
    Path(PathError),
    #[from]
    Write(WriteError),
    #[from]
    Backup(BackupError),
}

impl Fact for WritingStage {
    fn fact(&self) -> Option<BilingualText> {
        self.to_string().fact()
    }
}

fn listed(stages: impl Iterator<Item = WritingStage>) -> String {
    stages.map(WritingStage::name).collect::<Vec<_>>().join(", ")
}

/// Returns the criterion that is nearest to a wrong one, otherwise the first.
fn nearest_criterion(asked: &str, known: &[String]) -> String {
    let names = || known.iter().map(String::as_str);
    nearest(asked, names(), 1).first().copied().or_else(|| names().next()).unwrap_or_default().to_owned()
}

/// Returns the stage whose name or alias is nearest to a wrong one.
fn nearest_stage(asked: &str) -> Option<WritingStage> {
    let names = WritingStage::all().flat_map(|stage| [stage.name(), stage.alias()]);
    WritingStage::parse(nearest(asked, names, 1).first()?).ok()
}

fn nearest_hint(asked: &str) -> BilingualText {
    nearest_stage(asked).map_or_else(
        || BilingualText::same(""),
        |stage| BilingualText::new(format!(" Nearest: {stage}."), format!("近い名前: {stage}。")),
    )
}

/// Returns the change of the call that names the nearest stage. If none is near, the call asks for the open question or
/// for the first stage.
fn nearest_change(asked: &str, step: Option<&str>) -> String {
    let turn = step.map(|step| step.split_once(':').map_or("1", |(_, turn)| turn));
    match (nearest_stage(asked), turn) {
        (Some(stage), Some(turn)) => {
            let step = serde_json::to_string(&format!("{stage}:{turn}")).unwrap_or_default();
            format!(r#"{{"step": {step}}}"#)
        }
        (None, Some(_)) => r#"{"step": null, "content": null, "user_feedback": null}"#.to_owned(),
        (stage, None) => {
            let first = StageRoute::Whole.stages().next();
            let stage = stage.or(first).map_or("", WritingStage::name);
            format!(r#"{{"stage": "{stage}"}}"#)
        }
    }
}

/// Returns advice to waive the missed criteria if all of them can be waived.
fn waiver(misses: &[MissedCriterion]) -> BilingualText {
    if misses.iter().all(|miss| miss.can_be_waived) {
        BilingualText::new(
            "; if you mean it, noveler_write takes the criterion with a reason in waive",
            "（意図してのことなら、noveler_write の waive に判定基準の名前と理由を渡せます）",
        )
    } else {
        BilingualText::new("", "")
    }
}

/// Joins what the criteria say.
pub(super) fn missed(misses: &[MissedCriterion]) -> BilingualText {
    let all = |locale, between: &str| {
        let lines = misses.iter().map(|miss| miss.line(locale));
        lines.collect::<Vec<_>>().join(between)
    };
    BilingualText::new(all(Locale::En, " "), all(Locale::Ja, ""))
}

#[cfg(test)]
mod tests {
    use fumi_base::errors::UserError;

    use super::{BOOK, WritingError};

    #[test]
    fn every_error_has_its_sentences() {
        assert_eq!(BOOK.faults(&[WritingError::shapes()]), [""; 0]);
    }
}
