//! Ruby.

mod heredoc;
mod refine;

pub(super) use heredoc::long_words;
pub(super) use refine::refine;
