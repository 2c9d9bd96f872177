//! Features: what items and the tools share about the story of a text. Scenes and sections, tension, who is in the novel.
//!
//! Each file is one kind, computed at the first question; none of them judges.

mod cast;
mod ends;
mod facts;
mod glossary;
mod hooks;
mod ledger;
mod runs;
mod scenes;
pub(super) mod sensed;
mod tension;
mod viewpoint;
mod vocabulary;
mod whereabouts;

pub use cast::{Cast, Member};
pub use ends::{head, tail};
pub use facts::{Fact, Facts, Place, number};
pub use glossary::{Entry, Glossary, Mention};
pub use hooks::{asks_within, breaks_off, has_question_word, is_question, pauses, questions};
pub use ledger::{Foreshadowing, Ledger, Step};
pub use runs::{Run, Script, runs, script};
pub use scenes::{Scenes, Stretch};
pub use sensed::{Sense, Sensed};
pub use tension::{Tension, tension, tension_of};
pub use viewpoint::Viewpoint;
pub use vocabulary::{is_telling, key, telling, telling_of, tells};
pub use whereabouts::Whereabouts;
