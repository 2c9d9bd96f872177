//! The meaning of YAML nodes as data, and the nesting limit of the grammar.

mod depth;
mod refine;

pub(super) use depth::too_deep;
pub(super) use refine::refine;
