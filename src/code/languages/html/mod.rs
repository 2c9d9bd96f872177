//! Refinement of HTML elements, with scripts and styles embedded in them.

mod refine;

pub(super) use refine::{embeds, refine};
