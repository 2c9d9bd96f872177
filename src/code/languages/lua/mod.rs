//! Refinement of Lua elements.

mod refine;

pub(super) use refine::refine;
