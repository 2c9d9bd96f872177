//! What JavaScript, TypeScript and TSX have in common: queries and meaning.

mod refine;

pub(super) use refine::refine;
