//! The toolset `code`: finding, searching and reading source text.
//!
//! Shared here: what the tools need of the process, and the groups of arguments. The groups are disjoint, because serde
//! would set a field of the same name in only one of two flattened structs, silently; a test proves it.

pub mod analyze_code_structure;
pub mod broken;
pub mod check_code_scale;
pub mod extract_code_section;
pub mod find_and_grep;
pub mod list_files;
pub mod named;
pub mod query_code;
pub mod search_content;
pub mod search_reply;
pub mod set_project_path;
pub mod source;

use std::{sync::Arc, time::SystemTime};

use fumi_base::{
    errors::{Book, Teach},
    project::{BOOK, Project, ProjectPath},
    roots::AllowedRoots,
};
use fumi_code::{
    errors::search::SearchError,
    parser_pool::ParserPool,
    walk::{FileFilter, FileOptions, Sort, Traversal},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Sessions;
use crate::{
    config::Config,
    tool::{Family, ToolError, validate::MAX_STRING},
};

/// The toolset's name.
pub const TOOLSET: &str = "code";

/// What its tools have in common.
pub static FAMILY: Family = Family {
    name: "code",
    renamed: &[
        ("path", "roots"),
        ("path", "file_path"),
        ("path", "project_path"),
        ("paths", "roots"),
        ("paths", "file_paths"),
    ],
    plain: None,
    is_open_world: false,
    longest: MAX_STRING,
    subject: &[],
    project: Some("project_root"),
    details: &[],
    book: None,
    unlisted: &[],
    guides: None,
};

/// Most results that any call keeps; a larger wish is brought down to it and the reply says so.
pub const MAX_RESULTS: u64 = 10_000;

/// What the finding and searching tools need.
#[derive(Debug)]
pub struct SearchDeps {
    /// Rows listed without a limit of the caller's.
    pub default_rows: usize,
    /// Largest file that is read, in bytes.
    pub file_bytes: u64,
    /// Files beyond which a project is large.
    project_files: u64,
    /// Refuse large projects instead of saying so.
    strict: bool,
    /// Where files are parsed.
    pub parsers: Arc<ParserPool>,
}

/// The walk met more files than the operator allows.
#[derive(Debug, thiserror::Error)]
#[error("{found} files, over {limit}")]
pub struct TooManyFiles {
    found: u64,
    limit: u64,
}

impl Teach for TooManyFiles {
    fn entry(&self) -> &'static str {
        "PROJECT_TOO_LARGE"
    }
    fn book(&self) -> &'static Book {
        &BOOK
    }
    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("found", self.found.to_string()), ("limit", self.limit.to_string())]
    }
}

impl SearchDeps {
    /// From the configuration.
    #[must_use]
    pub fn new(config: &Config, parsers: Arc<ParserPool>) -> Self {
        Self {
            default_rows: config.limits.reply_rows,
            file_bytes: config.limits.file_bytes,
            project_files: config.limits.project_files as u64,
            strict: config.limits.strict,
            parsers,
        }
    }

    /// How many files a walk met, if that is more than the design limit: the reply says so. Refused where the operator
    /// is strict.
    pub fn large(&self, found: u64) -> Result<Option<u64>, ToolError> {
        if found <= self.project_files {
            return Ok(None);
        }
        if self.strict {
            let limit = self.project_files;
            return Err(TooManyFiles { found, limit }.into());
        }
        Ok(Some(found))
    }
}

/// What `set_project_path` needs.
#[derive(Debug)]
pub struct ProjectDeps {
    /// The folders that may be projects.
    pub roots: Arc<AllowedRoots>,
    /// Where sessions' choices are kept.
    pub sessions: Arc<Sessions>,
}

/// How folders are walked.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Walk {
    /// Follow links inside the project.
    #[serde(default)]
    pub follow_symlinks: bool,
    /// Also hidden names.
    #[serde(default)]
    pub hidden: bool,
    /// Do not read ignore files.
    #[serde(default)]
    pub no_ignore: bool,
}

impl Walk {
    /// As the domain takes it.
    #[must_use]
    pub fn traversal(&self) -> Traversal {
        Traversal {
            follow_symlinks: self.follow_symlinks,
            hidden: self.hidden,
            no_ignore: self.no_ignore,
        }
    }
}

/// Which files, by name, kind, size and age.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Name {
    /// A regular expression, or a glob.
    pub pattern: Option<String>,
    /// The pattern is a glob.
    #[serde(default)]
    pub glob: bool,
    /// Kinds of entries.
    #[serde(default)]
    pub types: Vec<String>,
    /// File extensions.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Globs to leave out.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Levels below a root.
    #[schemars(range(min = 1))]
    pub depth: Option<usize>,
    /// Size bounds.
    #[serde(default)]
    pub size: Vec<String>,
    /// Changed since.
    pub changed_within: Option<String>,
    /// Not changed since.
    pub changed_before: Option<String>,
    /// Match the whole path.
    #[serde(default)]
    pub full_path_match: bool,
    /// The order, applied before any limit.
    #[serde(default)]
    pub sort: SortBy,
}

/// The order of files.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SortBy {
    /// By path.
    #[default]
    Path,
    /// Last changed first.
    Mtime,
    /// Largest first.
    Size,
}

impl From<SortBy> for Sort {
    fn from(sort: SortBy) -> Self {
        match sort {
            SortBy::Path => Self::Path,
            SortBy::Mtime => Self::Mtime,
            SortBy::Size => Self::Size,
        }
    }
}

impl Name {
    /// Whether the answer depends on the hour: a time span counts back from now.
    #[must_use]
    pub fn depends_on_now(&self) -> bool {
        self.changed_within.is_some() || self.changed_before.is_some()
    }

    /// The checked filter over these roots.
    pub fn filter(&self, project: &Arc<Project>, roots: &[ProjectPath], walk: &Walk) -> Result<FileFilter, ToolError> {
        let options = FileOptions {
            pattern: self.pattern.clone(),
            glob: self.glob,
            full_path_match: self.full_path_match,
            types: self.types.clone(),
            extensions: self.extensions.clone(),
            exclude: self.exclude.clone(),
            depth: self.depth,
            size: self.size.clone(),
            changed_within: self.changed_within.clone(),
            changed_before: self.changed_before.clone(),
            traversal: walk.traversal(),
        };
        FileFilter::new(project, roots, &options, SystemTime::now())
            .map_err(|errors: Vec<SearchError>| ToolError::all(&errors))
    }
}

/// A caller's limit, brought down to [`MAX_RESULTS`]; the second value is that bound if it was.
#[must_use]
pub fn clamp(wanted: Option<u64>, default: usize) -> (usize, Option<u64>) {
    let limit = wanted.unwrap_or(default as u64);
    let adjusted = (limit > MAX_RESULTS).then_some(MAX_RESULTS);
    (usize::try_from(limit.min(MAX_RESULTS)).unwrap_or(usize::MAX), adjusted)
}
