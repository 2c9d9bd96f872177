//! Bash.

mod refine;

pub(super) use refine::refine;
