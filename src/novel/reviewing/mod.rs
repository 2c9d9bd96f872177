//! Reviews of manuscripts: executed checks, issues and their outcomes, stored in `.noveler/checks/ID/`.
//!
//! A [`Review`] is a folder with a manifest, one line per executed step, per issue and per resolution, and the inputs
//! and outputs of steps. The manifest is written last, so that everything it counts exists; each file is replaced
//! atomically. Locking is left to the callers.

mod id;
mod judged;
mod kept;
mod lines;
mod look;
mod rubric;
mod scores;
mod shelf;
mod steps;
mod written;

pub use id::ReviewId;
pub use judged::{JudgementLine, Opinions};
pub use kept::{Execution, IssueLine, Manifest, Resolution, Review, Reviews, Subject, changes, tidy, write_new};
pub use look::{Looked, manuscript};
pub use rubric::{instruction, open_items, rubric, words};
pub use scores::{EpisodeScore, scores};
pub use shelf::Apart;
pub use steps::{Phase, ReviewStep, STEPS, review_step};
pub use written::{Written, can_be_written, put_back};
