//! Errors of writing an episode: stages out of order, rejected answers, unknown sessions.
//!
//! Each variant carries the facts that its sentences in `writing.toml` name. A text lost from the disk is not an error:
//! its stage is repeated.

use std::sync::LazyLock;

use fumi_base::{
    atomic_write::WriteError,
    errors::{ErrorCatalog, UserError},
    project::{PathError, quoted},
    text::Locale,
};

use super::{backup::BackupError, project::ProjectError};
use crate::{
    project::EpisodeId,
    writing::{MissedCriterion, WritingStage},
};

/// The error catalogue of writing an episode.
pub static BOOK: LazyLock<ErrorCatalog> = LazyLock::new(|| ErrorCatalog::embedded(include_str!("writing.toml")));

/// An error of a writing step.
#[derive(Debug, thiserror::Error)]
pub enum WritingError {
    #[error("unknown stage {asked}")]
    UnknownStage { asked: String },
    #[error("{stage} requires earlier stages")]
    TooEarly {
        stage: WritingStage,
        missing: Vec<WritingStage>,
    },
    #[error("turn {turn} of {stage} misses {} criteria", misses.len())]
    CriteriaMissed {
        stage: WritingStage,
        turn: usize,
        misses: Vec<MissedCriterion>,
    },
    #[error("the plot misses {} criteria", misses.len())]
    PlotMissed { misses: Vec<MissedCriterion> },
    #[error("episode {episode} already has a plot")]
    PlotExists { episode: EpisodeId, path: String },
    #[error("{stage} is already done")]
    StageDone { stage: WritingStage, current: WritingStage },
    #[error("the answer is for turn {asked} of {stage}, not turn {turn}")]
    WrongTurn {
        stage: WritingStage,
        asked: usize,
        turn: usize,
    },
    #[error("{id} is finished")]
    Finished { id: String },
    #[error("unknown session {id}")]
    NoSession { id: String, episode: EpisodeId },
    #[error("this text was already accepted for {stage}")]
    TakenAlready { stage: WritingStage },
    #[error("the answer is for {asked}, not {stage}")]
    OtherStage { stage: WritingStage, asked: WritingStage },
    #[error("the answer lacks a session")]
    AnswerWithoutSession,
    #[error("episode {episode} has no open session")]
    NoOpenSession { episode: EpisodeId },
    #[error("{stage} requires a session")]
    NoSessionId { stage: WritingStage },
    #[error("{path}: {reason}")]
    BrokenSession {
        path: String,
        reason: &'static str,
        reason_ja: &'static str,
    },
    #[error("{what} has {size} bytes")]
    TooLarge {
        what: &'static str,
        what_ja: &'static str,
        size: usize,
        limit: usize,
    },
    #[error("{id} does not have the stage {stage}")]
    OffRoute { stage: WritingStage, id: String },
    #[error("{id} cannot store more feedback")]
    FeedbackFull { id: String },
    #[error(transparent)]
    Project(#[from] ProjectError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Backup(#[from] BackupError),
}

fn listed(stages: impl Iterator<Item = WritingStage>) -> String {
    stages.map(WritingStage::name).collect::<Vec<_>>().join(", ")
}

/// Returns the facts on missed criteria, in both languages.
fn missed(misses: &[MissedCriterion]) -> Vec<(&'static str, String)> {
    let all = |locale, between: &str| {
        let lines = misses
            .iter()
            .map(|miss| format!("[{}] {}", miss.criterion, miss.message.get(locale)));
        lines.collect::<Vec<_>>().join(between)
    };
    vec![
        ("count", misses.len().to_string()),
        ("misses", all(Locale::En, " ")),
        ("misses_ja", all(Locale::Ja, "")),
    ]
}

impl UserError for WritingError {
    fn entry(&self) -> &'static str {
        match self {
            Self::UnknownStage { .. } => "UNKNOWN_STAGE",
            Self::TooEarly { .. } => "STAGE_TOO_EARLY",
            Self::CriteriaMissed { .. } => "CRITERIA_MISSED",
            Self::PlotMissed { .. } => "PLOT_MISSED",
            Self::PlotExists { .. } => "PLOT_EXISTS",
            Self::StageDone { .. } => "STAGE_DONE",
            Self::WrongTurn { .. } => "WRONG_TURN",
            Self::Finished { .. } => "WRITING_FINISHED",
            Self::NoSession { .. } => "WRITING_SESSION_NOT_FOUND",
            Self::TakenAlready { .. } => "ANSWER_TAKEN_ALREADY",
            Self::OtherStage { .. } => "OTHER_STAGE",
            Self::AnswerWithoutSession => "ANSWER_WITHOUT_SESSION",
            Self::NoOpenSession { .. } => "NO_OPEN_SESSION",
            Self::NoSessionId { .. } => "SESSION_ID_MISSING",
            Self::BrokenSession { .. } => "BROKEN_SESSION",
            Self::TooLarge { .. } => "CONTENT_TOO_LARGE",
            Self::OffRoute { .. } => "STAGE_OFF_ROUTE",
            Self::FeedbackFull { .. } => "FEEDBACK_FULL",
            Self::Backup(error) => error.entry(),
            Self::Project(error) => error.entry(),
            Self::Path(error) => error.entry(),
            Self::Write(error) => error.entry(),
        }
    }

    fn catalog(&self) -> &'static ErrorCatalog {
        match self {
            Self::Project(error) => error.catalog(),
            Self::Path(error) => error.catalog(),
            Self::Write(error) => error.catalog(),
            Self::Backup(error) => error.catalog(),
            _ => &BOOK,
        }
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::UnknownStage { asked } => {
                let aliases: Vec<&str> = WritingStage::all().map(WritingStage::alias).collect();
                vec![
                    ("asked", quoted(asked)),
                    ("names", listed(WritingStage::all())),
                    ("aliases", aliases.join(", ")),
                ]
            }
            Self::TooEarly { stage, missing } => vec![
                ("stage", stage.to_string()),
                ("missing", listed(missing.iter().copied())),
                (
                    "first",
                    missing.first().map(WritingStage::to_string).unwrap_or_default(),
                ),
            ],
            Self::CriteriaMissed { stage, turn, misses } => {
                let mut facts = vec![("stage", stage.to_string()), ("turn", turn.to_string())];
                facts.extend(missed(misses));
                facts
            }
            Self::PlotMissed { misses } => missed(misses),
            Self::PlotExists { episode, path } => {
                vec![("episode", episode.number().to_string()), ("path", quoted(path))]
            }
            Self::StageDone { stage, current } => {
                vec![("stage", stage.to_string()), ("current", current.to_string())]
            }
            Self::WrongTurn { stage, asked, turn } => vec![
                ("stage", stage.to_string()),
                ("asked", asked.to_string()),
                ("turn", turn.to_string()),
            ],
            Self::Finished { id } | Self::FeedbackFull { id } => vec![("id", quoted(id))],
            Self::NoSession { id, episode } => {
                vec![("id", quoted(id)), ("episode", episode.number().to_string())]
            }
            Self::OtherStage { stage, asked } => vec![("stage", stage.to_string()), ("asked", asked.to_string())],
            Self::AnswerWithoutSession => Vec::new(),
            Self::NoOpenSession { episode } => vec![("episode", episode.number().to_string())],
            Self::NoSessionId { stage } | Self::TakenAlready { stage } => vec![("stage", stage.to_string())],
            Self::OffRoute { stage, id } => vec![("stage", stage.to_string()), ("id", id.clone())],
            Self::BrokenSession {
                path,
                reason,
                reason_ja,
            } => vec![
                ("path", quoted(path)),
                ("reason", (*reason).to_owned()),
                ("reason_ja", (*reason_ja).to_owned()),
            ],
            Self::TooLarge {
                what,
                what_ja,
                size,
                limit,
            } => vec![
                ("what", (*what).to_owned()),
                ("what_ja", (*what_ja).to_owned()),
                ("size", size.to_string()),
                ("limit", limit.to_string()),
            ],
            Self::Project(error) => error.params(),
            Self::Path(error) => error.params(),
            Self::Write(error) => error.params(),
            Self::Backup(error) => error.params(),
        }
    }
}

#[cfg(test)]
mod tests {
    use fumi_base::{errors::UserError, text::BilingualText};

    use super::{BOOK, WritingError};
    use crate::{
        project::EpisodeId,
        writing::{MissedCriterion, WritingStage},
    };

    #[test]
    fn every_error_has_both_texts_and_every_entry_is_used() {
        let stage = WritingStage::LAST;
        let text = || "x".to_owned();
        let all = [
            WritingError::UnknownStage { asked: text() },
            WritingError::TooEarly {
                stage,
                missing: WritingStage::all().take(9).collect(),
            },
            WritingError::CriteriaMissed {
                stage,
                turn: 1,
                misses: vec![MissedCriterion {
                    criterion: "length".to_owned(),
                    message: BilingualText::new("Too short.", "短すぎます。"),
                }],
            },
            WritingError::PlotMissed {
                misses: vec![MissedCriterion {
                    criterion: "synopsis".to_owned(),
                    message: BilingualText::new("Too short.", "短すぎます。"),
                }],
            },
            WritingError::PlotExists {
                episode: EpisodeId::new(1).expect("a number"),
                path: text(),
            },
            WritingError::StageDone { stage, current: stage },
            WritingError::WrongTurn {
                stage,
                asked: 2,
                turn: 1,
            },
            WritingError::Finished { id: text() },
            WritingError::NoSession {
                id: text(),
                episode: EpisodeId::new(1).expect("a number"),
            },
            WritingError::TakenAlready { stage },
            WritingError::OtherStage { stage, asked: stage },
            WritingError::AnswerWithoutSession,
            WritingError::NoOpenSession {
                episode: EpisodeId::new(1).expect("a number"),
            },
            WritingError::NoSessionId { stage },
            WritingError::BrokenSession {
                path: text(),
                reason: "why",
                reason_ja: "理由",
            },
            WritingError::TooLarge {
                what: "It",
                what_ja: "それ",
                size: 2,
                limit: 1,
            },
            WritingError::FeedbackFull { id: text() },
            WritingError::OffRoute { stage, id: text() },
        ];
        let mut entries: Vec<&str> = BOOK.entries().map(|(name, _)| name).collect();
        for error in &all {
            let lesson = error.error_message();
            for text in [&lesson.message, &lesson.next] {
                assert!(!text.en.contains('{') && !text.ja.contains('{'), "{text:?}");
                assert!(text.en != text.ja && text.ja.ends_with('。'), "{text:?}");
            }
            entries.retain(|entry| *entry != error.entry());
        }
        assert!(entries.is_empty(), "{entries:?} are never raised");
    }
}
