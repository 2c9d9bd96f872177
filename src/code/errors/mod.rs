//! Errors of code analysis: typed parameters in Rust, messages in the `.toml` beside each file, with one catalogue for
//! each half.
//!
//! [`search`] is for files and text, [`structure`] for parsing and queries. Every variant has an entry in its
//! catalogue, which a test checks. [`expressions`] says what is wrong with a query or a pattern. This module does not decide which message a reader sees.

pub(crate) mod expressions;
pub mod search;
pub mod structure;
