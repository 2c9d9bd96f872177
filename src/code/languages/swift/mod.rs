//! Refinement of Swift elements.

mod refine;

pub(super) use refine::refine;
