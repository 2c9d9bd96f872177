//! The meaning of TOML nodes as data.

mod refine;

pub(super) use refine::refine;
