//! Kotlin.

mod refine;

pub(super) use refine::refine;
