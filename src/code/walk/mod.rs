//! The rules of every walk of a project: which folders are entered, which ignore files are read, what is recorded.
//!
//! Invariant: no walk leaves the project, also when links are followed.

mod file_kind;
mod project_walk;
mod rule_files;
mod traversal;
mod walked_paths;

pub(crate) use file_kind::FileKind;
pub(crate) use project_walk::{
    FD_IGNORE, RIPGREP_IGNORE, leads_inside, record_entry, record_walk_error, skip_reason, walk_builder,
};
pub(crate) use rule_files::{CheckedFolders, RuleFiles};
pub use traversal::Traversal;
pub(crate) use walked_paths::{compare_paths, strip_root};
