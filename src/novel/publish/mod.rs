//! A manuscript in the published formats, each with its limits and a list of losses.
//!
//! Invariant: every format contains every visible character of the story; anything else that is left out is reported as
//! a [`Loss`]. This module posts nothing and writes no files.

pub mod aozora;
pub mod epub;
pub mod html;
pub mod kakuyomu;
mod losses;
pub mod narou;
mod site;
mod upright;
mod xhtml;

pub use losses::{Loss, LossKind};

/// The output of a writer with its losses.
#[derive(Clone, Debug)]
pub struct Written<T> {
    /// The text or bytes of the format.
    pub output: T,
    /// The losses in the order of the source.
    pub losses: Vec<Loss>,
}

/// Title and author of a book or an episode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    pub title: String,
    /// The author's name as printed.
    pub author: String,
}
