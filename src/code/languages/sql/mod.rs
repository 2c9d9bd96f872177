//! Refinement of SQL elements.

mod columns;
mod definitions;
mod lexer;
mod phrases;
mod refine;
mod relations;
mod routines;
mod types;

pub(super) use refine::refine;

#[cfg(test)]
mod tests;
