//! Refinement of Markdown elements, with code blocks and front matter embedded in them.

mod refine;

pub(super) use refine::{embeds, refine};
