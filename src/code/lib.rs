//! Code analysis: what a file is made of, and where a text is.
//!
//! Knows no protocol, no tool and no JSON value: typed structs in, typed structs out. Paths are opened elsewhere.

pub mod complexity;
pub mod elements;
pub mod errors;
pub mod extract;
pub mod filter;
pub mod languages;
pub mod parse;
pub mod query;
pub mod scale;
pub mod section;
pub mod table;
