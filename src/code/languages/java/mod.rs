//! Refinement of Java elements.

mod refine;

pub(super) use refine::refine;
