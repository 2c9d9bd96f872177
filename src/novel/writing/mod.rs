//! Writing an episode in ten stages: who asks for what next, whether an answer will do, and what is kept of it.
//!
//! Invariant: a [`Workflow`] touches no file, no clock and no chance. A step takes a session and perhaps an answer, and gives the
//! next question and the files to write, in an order in which every beginning of the list can be recovered from. A refused answer
//! changes nothing. Who answers (a client, a model, a provider) is not known here.

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
