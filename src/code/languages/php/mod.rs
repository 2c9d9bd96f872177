//! Refinement of PHP elements.

mod refine;

pub(super) use refine::refine;
