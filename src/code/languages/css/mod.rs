//! Refinement of CSS elements.

mod refine;

pub(super) use refine::refine;
