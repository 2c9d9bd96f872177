//! A manuscript in the formats that are published, each with its limits and with a list of what it cannot say.
//!
//! Invariant: every visible character of the story is in every format, and whatever else is left out is a [`Loss`].
//! Nothing here posts anything or writes a file.

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

/// What a writer made, and what it could not say.
#[derive(Clone, Debug)]
pub struct Written<T> {
    /// The format's text or bytes.
    pub output: T,
    /// In the order of the source.
    pub losses: Vec<Loss>,
}

/// What a book or an episode is called and who wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The title.
    pub title: String,
    /// The author, as printed.
    pub author: String,
}
