//! Reviews of manuscripts: what is checked, what was found, and what became of it, kept in `.noveler/checks/ID/`.
//!
//! A [`Review`] is a folder with a manifest, one line a step that was executed, one line an issue and one a resolution, and what
//! went in and came out. The manifest is written last, so that what it counts is there; each file is old or new, never half.
//! Who may write when is decided elsewhere.

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
