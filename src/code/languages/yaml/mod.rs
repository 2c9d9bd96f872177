//! YAML.

mod depth;
mod refine;

pub(super) use depth::too_deep;
pub(super) use refine::refine;
