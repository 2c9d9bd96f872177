//! Novel writing: the structure of manuscripts, the files of a project, checks, and the published formats.
//!
//! The crate takes and returns typed structs and knows no protocol, tool or clock: times are passed in, sentences are
//! made in the reader's language by the callers, and files are opened through `fumi-base`.

pub mod artifacts;
pub mod backups;
pub mod blurb;
pub mod book_checks;
pub mod change_set;
pub mod charts;
pub mod checks;
pub mod errors;
pub mod file_writing;
pub mod finishing;
pub mod lexicons;
pub mod manuscript;
pub mod memory;
pub mod morphology;
pub mod numbering;
pub mod plotting;
pub mod project;
pub mod publish;
pub mod references;
pub mod reviewing;
pub mod rewriting;
pub mod scaffold;
pub mod sections;
pub mod status;
pub mod text;
pub mod versions;
pub mod writing;
