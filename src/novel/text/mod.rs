//! A manuscript as text for analysis: sentences with their voices, scripts, the share of dialogue.
//!
//! Everything refers to the visible text and can be mapped to the source. Nothing is judged here, and no dictionary is
//! used.

mod ratios;
mod sentences;

pub use ratios::{DialogueRatio, ScriptCounts};
pub use sentences::{ManuscriptSentence, SentencePiece, Sentences};
