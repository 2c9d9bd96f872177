//! Code analysis: finding files and text, and the structure of a file.
//!
//! The crate takes and returns typed structs and does not depend on the protocol, the tools or a clock: times are
//! arguments, user-facing sentences are built where the reader is known, and `fumi-base` opens paths.

pub mod errors;

// Finding and searching.
mod backtracking;
pub mod changed;
mod excerpt;
mod fault;
mod one_file;
pub mod pages;
mod polled;
pub mod search;
pub mod shape;
pub mod shared_walk;
pub mod size;
pub mod skipped;
pub mod sources;
pub mod text_query;
pub mod walk;
mod walkers;
pub mod within;

// The structure of files.
pub mod broken;
pub mod complexity;
pub mod elements;
pub mod extract;
pub mod filter;
pub mod languages;
pub mod outline;
pub mod parse;
mod parse_job;
pub mod parser_pool;
pub mod parser_process;
pub mod pattern;
pub mod project_stats;
pub mod query;
pub mod query_files;
pub mod ranked;
pub mod scale;
pub mod section;
mod starts;
pub mod table;
pub mod user_queries;

// Counters for measurements.
pub mod work;
