//! Refinement that JavaScript, TypeScript and TSX share.

mod refine;

pub(super) use refine::refine;
