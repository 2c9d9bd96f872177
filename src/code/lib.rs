//! Code analysis: finding files, searching text, and the forms in which both are shown.
//!
//! Everything here takes and returns typed structs and knows no protocol, no locale and no clock: times are passed in.

// # search
pub mod changed;
pub mod errors;
mod excerpt;
mod fault;
mod one_file;
pub mod pages;
pub mod search;
pub mod shape;
pub mod size;
pub mod skipped;
pub mod text_query;
pub mod walk;
mod walkers;
