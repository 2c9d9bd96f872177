//! Refinement of Ruby elements, and the heredoc limit of the grammar.

mod heredoc;
mod refine;

pub(super) use heredoc::long_heredoc_words;
pub(super) use refine::refine;
