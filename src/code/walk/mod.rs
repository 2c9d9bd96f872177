//! The rules of every walk of a project: which folders are entered, which ignore files are read, what is recorded.
//!
//! Invariant: no walk leaves the project, also when links are followed, and none waits for a file.

mod file_kind;
mod ignore_rules;
mod project_walk;
mod shared_walk;
mod traversal;
mod walked_paths;

pub(crate) use file_kind::FileKind;
pub(crate) use ignore_rules::{FD_IGNORE, FolderRules, RIPGREP_IGNORE, RuleReader, is_hidden};
pub(crate) use project_walk::{Walk, WalkEntry, leads_inside};
pub(crate) use shared_walk::walk_shared;
pub use traversal::Traversal;
pub(crate) use walked_paths::{compare_paths, strip_root};
