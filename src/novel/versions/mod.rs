//! Versions of an episode's text (the manuscript, drafts of writing sessions, copies in backups, artifacts), and what
//! differs between two of them.
//!
//! Nothing is written, and no version is preferred: the caller names both. A copy or an output that does not have the
//! contents of its hash is an error and is never compared.

mod difference;
mod marked;
mod pairing;
mod version_name;
mod version_text;

pub use difference::{ParagraphChange, ParagraphChangeKind, TextDifference, compare};
pub use version_name::VersionName;
pub use version_text::{VersionText, read_version};

#[cfg(test)]
mod tests;
