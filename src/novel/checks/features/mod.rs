//! Features: what items and the tools share about the story of a text. Scenes and sections, tension, who is in the novel, times,
//! senses, events of the plot, the ledger of foreshadowing.
//!
//! Each file is one kind, computed at the first question; none of them judges.

mod cast;
mod chronology;
mod events;
mod ledger;
mod scenes;
pub(super) mod sensed;
mod tension;
mod times;

pub use cast::{Cast, Member};
pub use chronology::{Chronology, StepBack};
pub use events::{Event, WordsOfScenes, words_of_plot};
pub use ledger::{Foreshadowing, Ledger, Step};
pub use scenes::{Scenes, Stretch};
pub use sensed::{Sense, Sensed};
pub use tension::{Tension, tension};
pub use times::{Told, When, told};
