//! Refinement of Python elements, and the indentation limit of the grammar.

mod depth;
mod refine;

pub(super) use depth::too_deep;
pub(super) use refine::refine;
