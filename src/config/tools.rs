//! Which tools fumi offers, and what they need to know.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use fumi_base::text::Locale;
use fumi_code::user_queries::UserQueries;
use serde::{Deserialize, Serialize};

use super::ConfigError;

/// Which tools fumi offers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tools {
    /// Toolsets that there are, all of them at `/mcp`. Empty: every one, and `/mcp` lists what the project is: `novel` where a novel's
    /// settings lie, else `code`.
    pub toolsets: Vec<String>,
    /// Nothing may be written, by anybody.
    pub readonly: bool,
    /// The language of descriptions when the caller names none: `en` or `ja`.
    pub language: Locale,
}

/// Code analysis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Code {
    /// A folder of queries: `LANGUAGE/KEY.scm` there becomes a `query_key` of that language. Empty: none.
    pub query_folder: PathBuf,
}

impl Code {
    /// The queries of `query_folder`, checked. Folders are languages, `*.scm` in them keys; other files are nothing.
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

/// What stands in a folder, by name.
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
