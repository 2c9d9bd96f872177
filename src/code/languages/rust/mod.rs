//! Refinement of Rust elements.

mod refine;

pub(super) use refine::refine;
