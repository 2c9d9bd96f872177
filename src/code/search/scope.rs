//! The files that a search may read: globs, places, sizes, and the rules of its walk.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use fumi_base::project::{Project, ProjectPath};
use ignore::overrides::{Override, OverrideBuilder};
use parking_lot::Mutex;

use crate::{
    errors::search::SearchError,
    index::{CodeIndexes, FileList, FolderQuestion, ProjectIndex, SearchPlan, SourceList},
    languages::Language,
    listing::FoundFile,
    pattern_error,
    place_filter::PlaceFilter,
    size,
    skipped::SkippedList,
    text_query::TextQuery,
    walk::{RIPGREP_IGNORE, Traversal, Walk},
};

/// The filters for the files that a walk searches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeOptions {
    /// Globs as ripgrep's `-g GLOB`: only files that match one of them. Relative to the project.
    pub include_globs: Vec<String>,
    /// Globs as ripgrep's `-g '!GLOB'`, with or without the `!`. They take precedence over the others.
    pub exclude_globs: Vec<String>,
    /// The size above which files are left out: `10M`, `500K`.
    pub max_filesize: Option<String>,
    pub traversal: Traversal,
}

/// The validated form of [`ScopeOptions`].
#[derive(Clone, Debug)]
pub struct SearchScope {
    pub(super) project: Arc<Project>,
    globs: Override,
    within: Option<PlaceFilter>,
    pub(super) max_filesize: Option<u64>,
    traversal: Traversal,
    /// The size in bytes above which files found by a walk are reported as skipped.
    pub(super) most_bytes: u64,
    index: Option<Arc<ProjectIndex>>,
}

/// Returns a glob with a leading slash in place of `./` or of the project's absolute path; other globs stay as they are.
fn from_root<'g>(project: &Project, glob: &'g str) -> &'g str {
    let root = project.root().to_str().and_then(|root| glob.strip_prefix(root));
    let below = root.or_else(|| glob.strip_prefix('.')).filter(|below| below.len() > 1 && below.starts_with('/'));
    below.unwrap_or(glob)
}

impl SearchScope {
    /// Validates globs and size. `most_bytes` is the size of the largest file that a walk searches (100 MB by default).
    pub fn new(project: &Arc<Project>, options: &ScopeOptions, most_bytes: u64) -> Result<Self, Vec<SearchError>> {
        let mut faults = Vec::new();
        let mut builder = OverrideBuilder::new(project.root());
        for (argument, mark, globs) in
            [("include_globs", "", &options.include_globs), ("exclude_globs", "!", &options.exclude_globs)]
        {
            for glob in globs {
                let (mark, bare) = glob.strip_prefix('!').map_or((mark, glob.as_str()), |bare| ("!", bare));
                if let Err(error) = builder.add(&format!("{mark}{}", from_root(project, bare))) {
                    faults.push(SearchError::InvalidGlob {
                        argument,
                        glob: glob.clone(),
                        reason: pattern_error::glob_reason(&error),
                    });
                }
            }
        }
        let globs = builder.build().unwrap_or_else(|error| {
            faults.push(SearchError::InvalidGlob {
                argument: "include_globs",
                glob: options.include_globs.join(", "),
                reason: pattern_error::glob_reason(&error),
            });
            Override::empty()
        });
        let max_filesize = match options.max_filesize.as_deref().map(size::max_filesize).transpose() {
            Ok(limit) => limit,
            Err(fault) => {
                faults.push(fault);
                None
            }
        };
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self {
            project: Arc::clone(project),
            globs,
            within: None,
            max_filesize,
            traversal: options.traversal,
            most_bytes,
            index: None,
        })
    }

    /// Restricts the files that a walk finds to the given places.
    pub fn only_within(mut self, within: Option<PlaceFilter>) -> Self {
        self.within = within;
        self
    }

    /// Leaves files unopened that the project's index excludes. They count as searched, since a search finds nothing in
    /// them. Blocking: the project is watched first.
    pub fn with_index(mut self, indexes: &Arc<CodeIndexes>) -> Self {
        self.index = indexes.open_index(&self.project);
        self
    }

    /// Returns the choice of files for a query.
    pub(super) fn plan(&self, query: &TextQuery) -> Option<SearchPlan<'_>> {
        SearchPlan::new(self.index.as_deref(), query, self.most_bytes, self.traversal)
    }

    /// Returns the files that a walk of folders would find, from the index. `None` if they must be walked.
    pub(super) fn listed(
        &self,
        plan: &SearchPlan<'_>,
        folders: &[PathBuf],
        named: &HashSet<PathBuf>,
    ) -> Option<FileList> {
        if self.traversal != Traversal::default() || self.max_filesize.is_some() {
            return None;
        }
        plan.list(&self.question(folders, named))
    }

    /// Returns the source files that a walk of folders would find and that must be read, without `named`: those for whose
    /// language `is_read` says so; its second argument is true if the file may contain the query. `None` if all files must
    /// be walked, or read.
    pub(crate) fn listed_sources(
        &self,
        folders: &[PathBuf],
        named: &HashSet<PathBuf>,
        query: &TextQuery,
        is_read: impl Fn(&'static Language, bool) -> bool,
    ) -> Option<SourceList> {
        if self.traversal != Traversal::default() {
            return None;
        }
        let plan = self.plan(query)?;
        plan.list_sources(&self.question(folders, named), is_read)
    }

    /// Returns all files that a walk of folders would find, relative to the root. `None` if they must be walked.
    pub(crate) fn listed_files(&self, folders: &[PathBuf]) -> Option<Vec<PathBuf>> {
        if self.traversal != Traversal::default() {
            return None;
        }
        let table = self.index.as_ref()?.folders()?;
        let mut files = Vec::new();
        let is_listed =
            self.question(folders, &HashSet::new()).each_file(&table, |path| files.push(path.to_path_buf()));
        is_listed.then_some(files)
    }

    fn question<'q>(&'q self, folders: &'q [PathBuf], named: &'q HashSet<PathBuf>) -> FolderQuestion<'q> {
        FolderQuestion { root: self.project.root(), folders, globs: &self.globs, within: self.within.as_ref(), named }
    }

    /// True if a found file lies in the places that the call named.
    pub(crate) fn is_within(&self, path: &ProjectPath) -> bool {
        self.within.as_ref().is_none_or(|within| within.admits(path.relative()))
    }

    pub(crate) const fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Returns a walk of folders that also reads the ignore files of ripgrep.
    pub(crate) fn walk<'w>(&'w self, folders: &'w [PathBuf], skipped: &'w Mutex<SkippedList>) -> Walk<'w> {
        Walk {
            project: &self.project,
            roots: folders,
            traversal: self.traversal,
            own_rules: RIPGREP_IGNORE,
            globs: &self.globs,
            max_depth: None,
            skipped,
        }
    }

    /// True if a walked file is larger than the caller wants.
    pub(super) fn is_too_large(&self, file: &Path) -> bool {
        let size = || self.project.failures().record(file.metadata()).map(|found| found.len());
        self.max_filesize.is_some_and(|most| size().is_ok_and(|size| size > most))
    }

    /// Returns the size of the largest file that is read, in bytes.
    pub(crate) fn most_bytes(&self) -> u64 {
        self.max_filesize.map_or(self.most_bytes, |wanted| wanted.min(self.most_bytes))
    }

    /// True if globs and size admit a file that another search found.
    pub(super) fn admits(&self, file: &FoundFile) -> bool {
        let path = file.path.absolute();
        if self.globs.matched(&path, false).is_ignore() {
            return false;
        }
        // An excluded folder excludes its content; a walk would not have descended into it.
        let below_excluded = path
            .ancestors()
            .skip(1)
            .take_while(|folder| folder.starts_with(self.project.root()) && *folder != self.project.root())
            .any(|folder| self.globs.matched(folder, true).is_ignore());
        if below_excluded {
            return false;
        }
        let Some(limit) = self.max_filesize else { return true };
        let size = file.size_bytes.or_else(|| Some(self.project.failures().record(path.metadata()).ok()?.len()));
        size.is_none_or(|size| size <= limit)
    }
}
