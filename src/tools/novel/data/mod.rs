//! The toolset `novel-data`: files by their content, texts by their id, backups, and results in one form.
//!
//! Everything here names a content by its SHA-256, so that what was read can be told from what is there now. What an artifact is,
//! and where it lies, is known to `fumi-novel`; here is only how it is asked for and shown.

pub mod backup_management;
pub mod check_file_changes;
pub mod conversion;
pub mod convert_cli_to_json;
pub mod fetch_artifact;
pub mod get_file_by_hash;
pub mod get_file_reference_info;
pub mod list_artifacts;
pub mod list_files_with_hashes;
pub mod reference;
pub mod responses;
pub mod validate_json_response;

use super::{DATA, NovelDeps, READS, WRITES, alone, now, stamp, texts};
