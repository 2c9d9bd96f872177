//! Refinement of SQL elements.

mod refine;
mod words;

pub(super) use refine::refine;
