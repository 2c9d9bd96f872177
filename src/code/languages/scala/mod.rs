//! Refinement of Scala elements.

mod refine;

pub(super) use refine::refine;
