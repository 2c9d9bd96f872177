//! The toolset `code`: finding, searching and reading source text.
//!
//! This module contains the dependencies of the tools and the shared groups of arguments. The groups are disjoint,
//! because serde would silently set a field of the same name in only one of two flattened structs; a test checks it.

pub mod analyze_code_structure;
pub mod check_code_scale;
pub mod extract_code_section;
pub mod find_and_grep;
pub mod list_files;
pub mod malformed_files;
pub mod path_arguments;
pub mod query_code;
pub mod resources;
pub mod search_content;
pub mod search_reply;
pub mod set_project_path;
pub mod statistics;
pub mod structure_deps;

use std::{sync::Arc, time::SystemTime};

use fumi_base::{
    errors::UserError,
    project::{BOOK, Project, ProjectPath},
    roots::AllowedRoots,
};
use fumi_code::{
    errors::search::SearchError,
    index::{CodeIndexes, IndexUse},
    listing::{FileFilter, FileOptions, ListingSort},
    parser_pool::ParserPool,
    walk::Traversal,
};
use fumi_config::Config;
use fumi_kernel::{Cx, SessionProjects, SharedOption, ToolError, ToolFamily, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::texts;

/// The name of the toolset.
pub const TOOLSET: &str = "code";

/// The properties that all tools of the toolset share.
pub static FAMILY: ToolFamily = ToolFamily {
    renamed: &[
        ("path", "roots"),
        ("path", "file_path"),
        ("path", "project_path"),
        ("paths", "roots"),
        ("paths", "file_paths"),
        ("file", "file_path"),
        ("file", "files"),
        ("glob", "include_globs"),
        ("globs", "include_globs"),
        ("include", "include_globs"),
        ("exclude", "exclude_globs"),
    ],
    project: Some("project_root"),
    unlisted: &[SharedOption::Timeout, SharedOption::Delivery],
    ..ToolFamily::new("code")
};

/// The base specification of a tool that only reads files.
pub const READS: ToolSpec = ToolSpec {
    options: &[SharedOption::Project, SharedOption::Cursor],
    cached: true,
    ..ToolSpec::base(TOOLSET, &FAMILY)
};

/// The maximum number of results of any call; a larger limit is reduced to it, and the reply reports that.
pub const MAX_RESULTS: u64 = 10_000;

/// The dependencies of the finding and searching tools.
#[derive(Debug)]
pub struct SearchDeps {
    /// The size of the largest file that is read, in bytes.
    pub file_bytes: u64,
    /// The number of files above which a project is large.
    project_files: u64,
    /// True to reject large projects instead of only reporting them.
    strict: bool,
    /// The pool of parser processes.
    pub parsers: Arc<ParserPool>,
    /// The indexes of all projects.
    pub indexes: Arc<CodeIndexes>,
}

/// An error: the walk visited more files than the operator allows.
#[derive(Debug, UserError)]
pub struct ProjectTooLarge {
    found: u64,
    limit: u64,
}

impl SearchDeps {
    /// Creates the dependencies from the configuration.
    pub fn new(config: &Config, parsers: Arc<ParserPool>, indexes: Arc<CodeIndexes>) -> Self {
        Self {
            file_bytes: config.limits.file_bytes,
            project_files: config.limits.project_files as u64,
            strict: config.limits.strict,
            parsers,
            indexes,
        }
    }

    /// Says in `_meta` how far a search used the index, if indexes are on.
    pub fn note_index_use(&self, cx: &Cx, index_use: IndexUse) {
        if self.indexes.is_enabled() {
            cx.note("fumi/index", index_use.name());
        }
    }

    /// Returns the number of visited files if it exceeds the limit, for the reply to report. Fails if the operator is
    /// strict.
    pub fn large_project(&self, found: u64) -> Result<Option<u64>, ToolError> {
        if found <= self.project_files {
            return Ok(None);
        }
        if self.strict {
            let limit = self.project_files;
            return Err(ProjectTooLarge { found, limit }.into());
        }
        Ok(Some(found))
    }
}

/// The dependencies of `set_project_path`.
#[derive(Debug)]
pub struct ProjectDeps {
    /// The folders that may be projects.
    pub roots: Arc<AllowedRoots>,
    /// The projects that sessions chose.
    pub sessions: Arc<SessionProjects>,
}

/// The rules by which folders are walked.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct WalkArgs {
    /// True to follow links inside the project.
    #[serde(default)]
    pub follow_symlinks: bool,
    /// True to include hidden names.
    #[serde(default)]
    pub hidden: bool,
    /// True to ignore ignore files such as `.gitignore`.
    #[serde(default)]
    pub no_ignore: bool,
}

impl WalkArgs {
    /// Returns the traversal rules for the search crate.
    pub fn traversal(&self) -> Traversal {
        Traversal { follow_symlinks: self.follow_symlinks, hidden: self.hidden, no_ignore: self.no_ignore }
    }
}

/// The criteria for files: name, kind, size and age.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct FileNameArgs {
    /// A regular expression, or a glob if `glob` is set.
    pub pattern: Option<String>,
    /// True if the pattern is a glob.
    #[serde(default)]
    pub glob: bool,
    /// The kinds of entries.
    #[serde(default)]
    pub types: Vec<String>,
    /// The file extensions.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Globs of the files to leave out.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// The number of levels below a root.
    #[schemars(range(min = 1))]
    pub depth: Option<usize>,
    /// The bounds of the size.
    #[serde(default)]
    pub size: Vec<String>,
    /// The time since which the files must have changed.
    pub changed_within: Option<String>,
    /// The time since which the files must not have changed.
    pub changed_before: Option<String>,
    /// True to match the whole path.
    #[serde(default)]
    pub full_path_match: bool,
    /// The order, applied before any limit.
    #[serde(default)]
    pub sort: ListingSort,
}

impl FileNameArgs {
    /// True if the answer depends on the current time: a time span counts back from now.
    pub fn depends_on_now(&self) -> bool {
        self.changed_within.is_some() || self.changed_before.is_some()
    }

    /// Validates the options and returns the filter over these roots.
    pub fn filter(
        &self,
        project: &Arc<Project>,
        roots: &[ProjectPath],
        walk: &WalkArgs,
    ) -> Result<FileFilter, ToolError> {
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
            .map_err(|errors: Vec<SearchError>| ToolError::combine_same_kind(&errors))
    }
}

/// Reduces a limit that a caller gave to [`MAX_RESULTS`]. The second value is this bound if it was applied.
pub fn clamp_limit(limit: u64) -> (u64, Option<u64>) {
    (limit.min(MAX_RESULTS), (limit > MAX_RESULTS).then_some(MAX_RESULTS))
}
