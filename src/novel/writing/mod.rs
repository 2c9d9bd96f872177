//! Writing an episode in stages, by one of the routes: the next question, the validation of answers, and the stored results.
//!
//! Invariant: a [`Workflow`] uses no files, no clock and no random numbers. A step takes a session and possibly an
//! answer, and returns the next question and the files to write, in an order that allows recovery after any prefix of
//! the writes. A rejected answer changes nothing. The module does not know who answers (a client, a model, a provider).

mod criteria;
mod draft_findings;
mod material;
mod material_text;
mod overview;
mod prompt;
mod scenes;
mod session;
mod session_service;
mod stages;
mod store;
mod style_anchor;
mod trace;
mod utc_time;
mod whole_episode;
mod workflow;

pub use criteria::{AnswerCriterion, MissedCriterion};
pub(crate) use criteria::{keys_of, remnants, without_fence};
pub use material::{LengthJudgement, LengthRange, PlotMember, WritingMaterial};
pub use overview::SessionsOverview;
pub use session::{APPROVED, AcceptedAnswer, StageFeedback, StageOutput, WaivedCriterion, WritingSession, is_approval};
pub use session_service::{
    CallTime, DeliveredManuscript, EditedManuscript, OpenedSession, PlannedTurn, SessionAction, SessionSelector,
    StepOutcome, WritingService, manuscript, place_manuscript,
};
pub use stages::{AnswerKey, KeyContents, SCENES, STAGES, StageRoute, TIMEOUT, TurnContents, WritingStage};
pub use store::{RecoveredSession, WritingSessionStore, apply};
pub use style_anchor::EarlierTexts;
pub use trace::TracedTurn;
pub(crate) use utc_time::matches_shape;
pub use utc_time::{UtcTime, WritingSessionId};
pub use whole_episode::{WholeEpisodeRequest, WholeEpisodeText, plot_of};
pub use workflow::{
    AnswerTarget, CONTENT_BYTES, CitedFile, FileWrite, FinishedText, NextStep, SessionTexts, TurnAnswer, TurnQuestion,
    Workflow, WorkflowStep,
};
