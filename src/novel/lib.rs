//! Novel writing: what a manuscript is made of, where a project keeps its files, and the formats that are published.
//!
//! Everything here takes and returns typed structs and knows no protocol, no tool and no clock: times are passed in,
//! sentences are made where the reader is known, and files are opened by `fumi-base`.

pub mod artifacts;
pub mod backups;
pub mod charts;
pub mod checks;
pub mod completion;
pub mod errors;
pub mod lexicons;
pub mod manuscript;
pub mod morphology;
pub mod plotting;
pub mod project;
pub mod publish;
pub mod references;
pub mod reviewing;
pub mod saving;
pub mod scaffold;
pub mod sections;
pub mod status;
pub mod text;
pub mod together;
pub mod writing;
