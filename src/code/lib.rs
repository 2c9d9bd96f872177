//! Code analysis: where files and texts are, and what a file is made of.
//!
//! Everything here takes and returns typed structs and knows no protocol, no tool and no clock: times are passed in,
//! sentences are made where the reader is known, and paths are opened by `fumi-base`.

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

// Structure.
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

// For whoever measures.
pub mod work;
