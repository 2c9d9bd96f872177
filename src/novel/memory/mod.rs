//! The memory of a serial: the state of each finished episode as a reader noted it, and later contradictions to it.
//!
//! A state is a YAML file of typed facts, each with its quotation, in `.noveler/states/`. The author may edit it. Facts
//! of two episodes are compared here; who reads an episode and notes its facts is not known here.

mod comparison;
mod facts;
mod remembered;
mod state_files;
mod state_prompt;

pub use comparison::{KnownFacts, compare_with_earlier, facts_of_settings};
pub(crate) use facts::is_quoted;
pub use facts::{EpisodeState, FactError, NotedContradiction, StoryFact, StoryFactKind};
pub(crate) use remembered::cut_lines;
pub use remembered::{Remembering, remembered};
pub use state_files::{EpisodeStates, state_path, states_until};
pub use state_prompt::state_instruction;
