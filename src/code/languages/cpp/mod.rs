//! Refinement of C++ elements.

mod refine;

pub(super) use refine::refine;
