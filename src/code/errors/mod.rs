//! The failures of code analysis: typed facts here, sentences in the `.toml` beside each file.
//!
//! Every variant has an entry in its book, and a test walks them. Nothing here decides what is shown to whom.

pub mod structure;
