//! A manuscript in the published formats, each with its limits and a list of losses.
//!
//! Invariant: every format contains every visible character of the story, full-width marks that share a cell in their
//! half-width form; anything else that is left out is reported as a [`PublishLoss`]. This module posts nothing and
//! writes no files.

pub mod aozora;
pub mod epub;
pub mod html;
pub mod kakuyomu;
pub(crate) mod kanji_numbers;
mod losses;
pub mod narou;
mod site;
mod tate_chu_yoko;
mod xhtml;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use losses::{PublishLoss, PublishLossKind};
pub use xhtml::AuthorNotes;

/// A site where novels are posted by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PostingSite {
    Narou,
    Kakuyomu,
}

impl PostingSite {
    pub const ALL: [Self; 2] = [Self::Narou, Self::Kakuyomu];

    /// Returns the site's own name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Narou => "小説家になろう",
            Self::Kakuyomu => "カクヨム",
        }
    }

    /// Returns the serialised name.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Narou => "narou",
            Self::Kakuyomu => "kakuyomu",
        }
    }
}

/// The output of a writer with its losses.
#[derive(Clone, Debug)]
pub struct WriterOutput<T> {
    /// The text or bytes of the format.
    pub output: T,
    /// The losses in the order of the source.
    pub losses: Vec<PublishLoss>,
}

/// Title and author of a book or an episode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkTitle {
    pub title: String,
    /// The author's name as printed.
    pub author: String,
}
