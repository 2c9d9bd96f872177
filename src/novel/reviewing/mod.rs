//! Reviews of manuscripts: executed checks, issues and their outcomes, stored in `.noveler/checks/ID/`.
//!
//! A [`ManuscriptReview`] is a folder with a manifest, one line per executed step, per issue and per resolution, and the inputs
//! and outputs of steps. The manifest is written last, so that everything it counts exists; each file is replaced
//! atomically. Locking is left to the callers.

mod checked_manuscript;
mod compared_texts;
mod contradictions;
mod corrections;
mod id;
mod json_lines;
mod judgements;
mod proofreading;
mod replace_manuscript;
mod review_files;
mod review_store;
mod rubric;
mod scores;
mod steps;

pub use checked_manuscript::{CheckedManuscript, read_manuscript};
pub use compared_texts::compared_texts;
pub use contradictions::stands;
pub use corrections::CorrectionLine;
pub use id::ReviewId;
pub use judgements::{CombinedJudgements, JudgementLine};
pub use proofreading::proofreading_instruction;
pub use replace_manuscript::{ReplacedManuscript, can_be_written, prepare_replacement};
pub use review_files::ReviewOverlay;
pub use review_store::{
    IssueLine, IssueResolution, ManuscriptReview, ReviewManifest, ReviewStore, ReviewSubject, StepExecution, changes,
    remove_old_reviews, write_new,
};
pub use rubric::{instruction, open_items, rubric, words};
pub use scores::{EpisodeScore, scores};
pub use steps::{ReviewStep, STEPS, review_step};
