//! SQL.

mod refine;
mod words;

pub(super) use refine::refine;
