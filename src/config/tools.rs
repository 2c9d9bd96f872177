//! Settings of the tools: the toolsets that fumi offers, and the inputs that they need.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use fumi_base::text::Locale;
use fumi_code::{
    index::{IndexFolders, IndexLimits},
    user_queries::UserQueries,
};
use fumi_kernel::ResultForm;
use serde::Deserialize;

use super::ConfigError;

/// The tools that fumi offers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolsConfig {
    /// The available toolsets, all of them at `/mcp`. Empty: every toolset is available, and `/mcp` lists those that
    /// fit the project: `novel` if it contains a novel's settings, else `code`.
    pub toolsets: Vec<String>,
    /// True to forbid writing to all callers.
    pub readonly: bool,
    /// The language of descriptions if the caller names none: `en` or `ja`.
    pub language: Locale,
    /// The form of results by the name of the client. Replaces what fumi knows of that client (src/mcp/clients.toml).
    pub results: BTreeMap<String, ResultForm>,
    /// The tools that clients with a tool search should load from the start.
    pub always_load: Vec<String>,
}

/// The settings of code analysis.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeConfig {
    /// A folder of queries: `LANGUAGE/KEY.scm` in it becomes a `query_key` of that language. Empty: none.
    pub query_folder: PathBuf,
    /// The settings of the index.
    pub index: IndexConfig,
}

/// The settings of the index, by which listings need not walk and searches need not open files that cannot match.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexConfig {
    /// False: every call walks the folders, and every search opens all files.
    pub enabled: bool,
    /// The maximum memory of the indexes of all projects, in MB.
    pub most_memory_mb: usize,
    /// The maximum number of files of one project; searches open all others.
    pub most_files: usize,
    /// The maximum size of all indexes in the state folder, in MB: those that were written least recently are removed. A
    /// server that starts again loads them instead of reading all files. 0: none is kept.
    pub most_disk_mb: u64,
}

impl CodeConfig {
    /// Returns the bounds of an index, given the size of the largest file that is read, in bytes. `None` if the index is
    /// turned off.
    pub fn index_limits(&self, file_bytes: u64) -> Option<IndexLimits> {
        let IndexConfig { enabled, most_memory_mb, most_files, most_disk_mb: _ } = self.index;
        enabled.then_some(IndexLimits { file_bytes, files: most_files, memory: most_memory_mb << 20 })
    }

    /// Returns where indexes are kept below the state folder. `None` if none is.
    pub fn index_folders(&self, state: &Path) -> Option<IndexFolders> {
        let IndexConfig { enabled, most_disk_mb, .. } = self.index;
        (enabled && most_disk_mb > 0)
            .then(|| IndexFolders { folder: state.join("index"), most_bytes: most_disk_mb << 20 })
    }

    /// Reads and checks the queries of `query_folder`. Folders are languages, `*.scm` files in them are keys; other
    /// files are ignored.
    pub fn queries(&self) -> Result<UserQueries, ConfigError> {
        let folder = &self.query_folder;
        let mut queries = UserQueries::default();
        if folder.as_os_str().is_empty() {
            return Ok(queries);
        }
        for language in entries(folder)?.into_iter().filter(|entry| entry.is_dir()) {
            for file in entries(&language)? {
                let (Some(key), Some("scm")) = (stem(&file), file.extension().and_then(OsStr::to_str)) else {
                    continue;
                };
                let text = std::fs::read_to_string(&file).map_err(|error| unreadable(&file, &error))?;
                queries
                    .add(stem(&language).unwrap_or_default(), key, text)
                    .map_err(|error| ConfigError(format!("{}: {error}", file.display())))?;
            }
        }
        Ok(queries)
    }
}

/// Returns the paths in a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, ConfigError> {
    let listing = std::fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut paths: Vec<PathBuf> = listing.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn unreadable(path: &Path, error: &std::io::Error) -> ConfigError {
    ConfigError(format!("code.query_folder: {}: {error}", path.display()))
}

fn stem(path: &Path) -> Option<&str> {
    path.file_stem().and_then(OsStr::to_str)
}
