//! Refinement of C elements, including the part that C++ shares.

mod declarator;
mod refine;

pub(super) use refine::{read_declarators, refine};
