//! Refinement of Bash elements.

mod refine;

pub(super) use refine::refine;
