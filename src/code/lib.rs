//! Code analysis: finding files and text, and the structure of a file.
//!
//! The crate takes and returns typed structs and does not depend on the protocol, the tools or a clock: times are
//! arguments, user-facing sentences are built where the reader is known, and `fumi-base` opens paths.

pub mod errors;

// Finding and searching.
mod answers_file;
mod byte_form;
mod cancellable_matcher;
mod excerpt;
mod file_searcher;
pub mod index;
pub mod listing;
pub mod modified_filter;
pub mod pages;
mod pattern_error;
mod pcre2_matcher;
pub mod place_filter;
pub mod search;
mod search_reply_text;
pub mod shape;
pub mod size;
pub mod skipped;
pub mod source_files;
pub mod text_query;
mod thread_budget;
pub mod walk;

// The structure of files.
pub mod complexity;
pub mod elements;
pub mod extract;
pub mod file_scale;
pub mod filter;
pub mod hit_context;
pub mod languages;
pub mod notation;
pub mod outline;
pub mod parse;
mod parser_answers;
mod parser_job;
pub mod parser_pool;
pub mod parser_process;
pub mod pattern;
mod program_stamp;
pub mod project_stats;
pub mod query;
pub mod query_files;
pub mod query_syntax;
pub mod ranked;
pub mod roles;
pub mod section;
pub mod syntax_errors;
pub mod table;
pub mod user_queries;

// Counters for measurements.
pub mod work_counters;
