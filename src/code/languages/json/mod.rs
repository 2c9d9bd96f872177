//! The meaning of JSON nodes as data.

mod refine;

pub(super) use refine::refine;
