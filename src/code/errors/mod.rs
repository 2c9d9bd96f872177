//! What code analysis can refuse, one file and one book for each half: [`search`] for files and text.
//!
//! Errors carry facts; their sentences stand in the `.toml` of the same name.

// # search
pub mod search;
