//! The toolset `novel-data`: files by hash, texts by id, backups, and results in one form.
//!
//! Everything here identifies content by its SHA-256, so that changes since a read can be detected. `fumi-novel`
//! defines artifacts and where they are stored; this module only parses requests and presents results.

pub mod backup_management;
pub mod check_file_changes;
pub mod compare_versions;
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
