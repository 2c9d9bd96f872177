//! Writing an episode in ten stages: the next question, the validation of answers, and the stored results.
//!
//! Invariant: a [`Workflow`] uses no files, no clock and no random numbers. A step takes a session and possibly an
//! answer, and returns the next question and the files to write, in an order that allows recovery after any prefix of
//! the writes. A rejected answer changes nothing. The module does not know who answers (a client, a model, a provider).

mod at_once;
mod criteria;
mod desk;
mod material;
mod moment;
mod overview;
mod prompt;
mod session;
mod stages;
mod store;
mod trace;
mod workflow;

pub use at_once::{AtOnce, WholeText, plot_of};
pub(crate) use criteria::remnants;
pub use criteria::{Criterion, Miss};
pub use desk::{Act, Delivered, Desk, Edited, Now, Opened, Planned, Which, Worked, manuscript, place_manuscript};
pub use material::{Length, Material, Member};
pub(crate) use moment::is_like;
pub use moment::{Moment, SessionId};
pub use overview::Overview;
pub use session::{APPROVED, Feedback, Piece, Session, StageOutput, is_approval};
pub use stages::{Gives, Holds, Key, Route, STAGES, Stage, TIMEOUT};
pub use store::{Recovered, Sessions, apply};
pub use trace::Traced;
pub use workflow::{Answer, Ask, CONTENT_BYTES, Cited, Done, Step, Stepped, Submit, Texts, Workflow, Write};
