//! A manuscript as text to judge: sentences with who is heard, scripts, the share of speech.
//!
//! All of it is about the visible text and leads back to the source. Nothing is judged here, and no word is known.

mod ratios;
mod sentences;

pub use ratios::{DialogueRatio, Scripts};
pub use sentences::{Piece, Sentence, Sentences};
