//! The foundation of fumi, used by every family of tools.
//!
//! It does not depend on tools or protocols. Paths come from [`project`], bytes from [`files`], bilingual texts from
//! [`text`], and error messages from [`errors`].

#[cfg(not(unix))]
compile_error!("fumi needs a Unix system: it relies on inodes, permissions, process groups and locks of Unix");

// The derive macro names the crate, also in it.
extern crate self as fumi_base;

pub mod atomic_write;
pub mod audit;
pub mod cache;
pub mod change_log;
pub mod changes;
pub mod embedded;
pub mod encoding;
pub mod errors;
pub mod expectation;
mod failpoints;
mod fair_queue;
pub mod file_stamp;
pub mod files;
pub mod freshness;
pub mod listing;
mod mounts;
pub mod nearest;
mod outside_rules;
pub mod path_maps;
mod path_spellings;
pub mod pools;
pub mod private_folder;
pub mod project;
pub mod project_locks;
pub mod redact;
mod root_watcher;
pub mod roots;
pub mod rule_file;
pub mod shares;
pub mod store;
pub mod system;
pub mod template;
pub mod text;
pub mod tokens;
pub mod watched_path;

pub use fumi_derive::Named;
