//! Refinement of Kotlin elements.

mod refine;

pub(super) use refine::refine;
