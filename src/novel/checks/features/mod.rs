//! Features: what items and the tools share about the story of a text. Scenes and sections, tension, who is in the novel.
//!
//! Each file is one kind, computed at the first question; none of them judges.

mod cast;
mod scenes;
mod tension;

pub use cast::{Cast, Member};
pub use scenes::{Scenes, Stretch};
pub use tension::{Tension, tension};
