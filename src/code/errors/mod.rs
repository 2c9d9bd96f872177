//! What code analysis can refuse: typed facts here, sentences in the `.toml` beside each file, one book for each half.
//!
//! [`search`] for files and text, [`structure`] for parsing and queries. Every variant has an entry in its book, and a
//! test walks them. Nothing here decides what is shown to whom.

pub mod search;
pub mod structure;
