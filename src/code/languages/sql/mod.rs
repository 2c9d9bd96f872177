//! Refinement of SQL elements.

mod lexer;
mod refine;

pub(super) use refine::refine;
