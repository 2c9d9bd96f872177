//! The result of a file search: the found files, their order, and how much is known of each.

use std::time::Duration;

use fumi_base::project::ProjectPath;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{index::IndexUse, skipped::SkippedList};

/// The amount of information needed for each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListingDetail {
    /// Only the number of files.
    Count,
    /// The paths of the files.
    Names,
    /// Paths, sizes and times.
    Metadata,
}

/// The order of a listing; applied before the listing is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListingSort {
    /// By the bytes of the path.
    #[default]
    Path,
    /// Last changed first, then by path.
    Mtime,
    /// Largest first, then by path.
    Size,
}

/// The wanted content of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListingRequest {
    pub detail: ListingDetail,
    pub sort: ListingSort,
    /// The maximum number of files kept; further files are only counted.
    pub keep: usize,
}

/// A file, folder or link that was found.
#[derive(Clone, Debug)]
pub struct FoundFile {
    pub path: ProjectPath,
    /// True if the entry is a folder (a followed link counts as its target).
    pub is_dir: bool,
    /// True if the entry is a link that was not followed.
    pub is_symlink: bool,
    /// The size in bytes; that of the link itself if it was not followed. Only with [`ListingDetail::Metadata`].
    pub size_bytes: Option<u64>,
    /// The time of the last change, in Unix seconds. Only with [`ListingDetail::Metadata`].
    pub mtime: Option<i64>,
}

impl FoundFile {
    /// Returns the extension without its dot, as written; empty if the name has none.
    pub fn ext(&self) -> String {
        self.path.relative().extension().map(|ext| ext.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// The result of a file search.
#[derive(Clone, Debug, Default)]
pub struct FileListing {
    /// The first files in the requested order; empty for [`ListingDetail::Count`].
    pub entries: Vec<FoundFile>,
    /// The number of all matching files.
    pub total_count: u64,
    /// The number of entries visited.
    pub visited: u64,
    /// The entries that were skipped.
    pub skipped: SkippedList,
    /// The extent to which the index was used.
    pub index_use: IndexUse,
    /// The duration of the search.
    pub elapsed: Duration,
}
