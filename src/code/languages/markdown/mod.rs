//! Markdown.

mod refine;

pub(super) use refine::{embeds, refine};
