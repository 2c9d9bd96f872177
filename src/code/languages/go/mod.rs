//! Refinement of Go elements.

mod refine;

pub(super) use refine::refine;
