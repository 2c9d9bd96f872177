//! C, and what C++ has from it.

mod declarator;
mod refine;

pub(super) use refine::{read_declarators, refine};
