//! Searching text in many files, with the semantics of ripgrep 15: same files, same lines, same counts.
//!
//! Invariant: the kept rows are bounded, the counts are not; and the kept rows do not depend on the order in which
//! threads finish (the first rows by path and line, or the files with the most matches). A file is searched once,
//! however often the roots name it. The form of a reply is decided elsewhere (see [`crate::shape`]).

mod collector;
mod matches;
mod scope;

use std::{
    collections::HashSet,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use fumi_base::project::ProjectPath;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::{
    errors::search::SearchError,
    file_searcher::{FileOrigin, FileSearcher},
    index::FileChoice,
    index::IndexUse,
    listing::FileListing,
    text_query::TextQuery,
    thread_budget::{self, ThreadPermit, cores},
    walk::{FileKind, WalkEntry, compare_paths, walk_shared},
};

use collector::MatchCollector;
pub use matches::{FileMatches, LineMatch, RowDemand, SearchMatches};
pub use scope::{ScopeOptions, SearchScope};

/// The places to search: folders are walked; files are searched even if they are ignored or hidden. If both are empty,
/// the whole project is searched.
#[derive(Clone, Debug, Default)]
pub struct SearchTargets {
    /// Folders to walk, or files.
    pub roots: Vec<ProjectPath>,
    /// Files to search, also ignored and hidden ones.
    pub files: Vec<ProjectPath>,
}

/// Searches folders and named files.
pub fn search(
    query: &TextQuery,
    targets: &SearchTargets,
    scope: &SearchScope,
    need: RowDemand,
    cancel: &CancellationToken,
) -> Result<SearchMatches, SearchError> {
    let mut named: Vec<ProjectPath> = Vec::new();
    let mut folders: Vec<PathBuf> = Vec::new();
    for target in targets.files.iter().chain(&targets.roots) {
        if target.is_dir().map_err(|_| SearchError::System { path: target.shown() })? {
            folders.push(target.absolute());
        } else {
            named.push(target.clone());
        }
    }
    if targets.files.is_empty() && targets.roots.is_empty() {
        folders.push(scope.project.root().to_path_buf());
    }
    named.sort_by(|a, b| compare_paths(a.relative(), b.relative()));
    named.dedup_by(|a, b| a.relative() == b.relative());
    folders.sort();
    folders.dedup();
    let is_one_file = named.len() == 1 && folders.is_empty();
    let gathered = MatchCollector::new(need, scope.plan(query));
    let walkers = ThreadPermit::acquire(cores());
    let run = SearchRun { query, scope, gathered: &gathered, threads: walkers.count(), cancel };
    run.search_files(&named, FileOrigin::Named, |path| Some(path.clone()));
    if !folders.is_empty() && !cancel.is_cancelled() {
        let named: HashSet<PathBuf> = named.iter().map(|path| path.relative().to_path_buf()).collect();
        run.search_folders(&folders, &named);
    }
    Ok(SearchMatches { is_named_file: is_one_file, ..gathered.finish(cancel)? })
}

/// Searches files that a [`crate::listing::FileFilter`] found, if globs and size admit them. Folders and links among them
/// are not searched.
pub fn search_found(
    query: &TextQuery,
    found: &FileListing,
    scope: &SearchScope,
    need: RowDemand,
    cancel: &CancellationToken,
) -> Result<SearchMatches, SearchError> {
    let files: Vec<ProjectPath> = found
        .entries
        .iter()
        .filter(|file| !file.is_dir && !file.is_symlink && scope.admits(file))
        .map(|file| file.path.clone())
        .collect();
    let gathered = MatchCollector::new(need, scope.plan(query));
    let walkers = ThreadPermit::acquire(cores());
    let run = SearchRun { query, scope, gathered: &gathered, threads: walkers.count(), cancel };
    gathered.has_walked.store(found.index_use != IndexUse::Whole, Relaxed);
    run.search_files(&files, FileOrigin::Found, |path| Some(path.clone()));
    gathered.finish(cancel)
}

/// One search, and what its threads share.
struct SearchRun<'a> {
    query: &'a TextQuery,
    scope: &'a SearchScope,
    gathered: &'a MatchCollector<'a>,
    threads: usize,
    cancel: &'a CancellationToken,
}

impl SearchRun<'_> {
    fn worker(&self) -> SearchWorker<'_> {
        SearchWorker::new(self.query, self.scope, self.gathered, self.cancel)
    }

    /// Searches a list of files on several threads. `path` returns `None` for a file that is not inside the project.
    fn search_files<F: Sync>(&self, files: &[F], origin: FileOrigin, path: impl Fn(&F) -> Option<ProjectPath> + Sync) {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut worker = self.worker();
            while let Some(file) = files.get(next.fetch_add(1, Relaxed)) {
                if self.cancel.is_cancelled() {
                    return;
                }
                if let Some(path) = path(file) {
                    worker.search(&path, origin);
                }
            }
        };
        std::thread::scope(|threading| {
            for _ in 1..self.threads.min(files.len()) {
                thread_budget::spawn_thread(threading, work);
            }
            work();
        });
    }

    /// Searches the files of folders, but for `named`. They are walked unless the index can list them.
    fn search_folders(&self, folders: &[PathBuf], named: &HashSet<PathBuf>) {
        let plan = self.gathered.plan.as_ref();
        let Some(listed) = plan.and_then(|plan| self.scope.listed(plan, folders, named)) else {
            self.gathered.has_walked.store(true, Relaxed);
            self.walk_folders(folders, named);
            return;
        };
        let project = &self.scope.project;
        for folder in folders {
            // A walk notes its roots too.
            project.note_entry(folder);
        }
        self.gathered.searched.fetch_add(listed.unopened, Relaxed);
        self.gathered.unopened.fetch_add(listed.unopened, Relaxed);
        self.search_files(&listed.files, FileOrigin::Found, |path| project.walked_path(&project.root().join(path)));
    }

    /// Walks folders and searches their files during the walk.
    fn walk_folders(&self, folders: &[PathBuf], named: &HashSet<PathBuf>) {
        let Self { scope, gathered, cancel, .. } = self;
        let walk = scope.walk(folders, &gathered.skipped);
        // A file can be visited twice only if one folder lies in another.
        let overlap = folders.iter().any(|a| folders.iter().any(|b| a != b && b.starts_with(a)));
        let seen = Mutex::new(HashSet::new());
        walk_shared(&walk, self.threads, || {
            let mut worker = self.worker();
            let seen = &seen;
            move |entry: WalkEntry| {
                if cancel.is_cancelled() {
                    return ControlFlow::Break(());
                }
                if entry.kind != FileKind::File || scope.is_too_large(&entry.path) {
                    return ControlFlow::Continue(());
                }
                let Some(path) = scope.project.walked_path(&entry.path).filter(|path| scope.is_within(path)) else {
                    return ControlFlow::Continue(());
                };
                let again =
                    named.contains(path.relative()) || (overlap && !seen.lock().insert(path.relative().to_path_buf()));
                if !again {
                    worker.search(&path, FileOrigin::Found);
                }
                ControlFlow::Continue(())
            }
        });
    }
}

/// The searcher of one thread, with its counters.
struct SearchWorker<'a> {
    searcher: FileSearcher<'a>,
    gathered: &'a MatchCollector<'a>,
    searched: u64,
    unopened: u64,
    /// The files that the index does not know.
    unknown: Vec<Arc<Path>>,
}

impl<'a> SearchWorker<'a> {
    fn new(
        query: &'a TextQuery,
        scope: &SearchScope,
        gathered: &'a MatchCollector<'a>,
        cancel: &'a CancellationToken,
    ) -> Self {
        let wants_rows = gathered.need != RowDemand::Counts;
        Self {
            searcher: FileSearcher::new(query, scope.most_bytes, wants_rows, cancel),
            gathered,
            searched: 0,
            unopened: 0,
            unknown: Vec::new(),
        }
    }

    fn search(&mut self, path: &ProjectPath, origin: FileOrigin) {
        // A named file is searched past its first NUL, where the index ends.
        let plan = self.gathered.plan.as_ref().filter(|_| origin == FileOrigin::Found);
        match plan.map(|plan| plan.choice(path.relative())) {
            Some(FileChoice::Skip) => {
                self.searched += 1;
                self.unopened += 1;
                return;
            }
            Some(FileChoice::OpenUnknown) => self.unknown.push(Arc::from(path.relative())),
            Some(FileChoice::Open) | None => {}
        }
        let keep = self.gathered.row_limit(path.relative());
        match self.searcher.search(path, origin, keep) {
            Ok(tally) => {
                self.searched += 1;
                if tally.matches > 0 {
                    self.gathered.add(path, tally);
                }
            }
            Err(reason) => self.gathered.skipped.lock().add(path.shown(), reason),
        }
    }
}

impl Drop for SearchWorker<'_> {
    fn drop(&mut self) {
        self.gathered.searched.fetch_add(self.searched, Relaxed);
        self.gathered.unopened.fetch_add(self.unopened, Relaxed);
        if let Some(plan) = &self.gathered.plan {
            plan.want(std::mem::take(&mut self.unknown));
        }
    }
}

#[cfg(test)]
mod tests;
