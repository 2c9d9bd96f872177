//! Finding files by name, kind, size and age, with the semantics of fd 10: same files, same filters, same ignore rules.
//!
//! Invariant: nothing outside the project is listed or descended into, also when links are followed; a link that leads
//! outside, or back to its own parent, is skipped and reported in [`FileListing::skipped`]. Folders that
//! the index knows are listed from it, all others are walked. This module never opens the files, and reads ignore files
//! (also those of parent folders) only for their patterns.

mod candidate;
mod collector;
mod entry_test;
mod found;
mod options;
mod patterns;

use std::{
    collections::HashSet,
    ops::ControlFlow,
    path::{Path, PathBuf},
    slice,
    sync::Arc,
    time::{Instant, SystemTime},
};

use fumi_base::project::{Project, ProjectPath};
use ignore::overrides::Override;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::{
    errors::search::SearchError,
    index::{CodeIndexes, FolderTable, IndexUse, ProjectIndex},
    modified_filter::ModifiedFilter,
    place_filter::PlaceFilter,
    size::SizeFilter,
    skipped::SkippedList,
    thread_budget::{ThreadPermit, cores},
    walk::{FD_IGNORE, Traversal, Walk, strip_root},
};

use candidate::Candidate;
use collector::{FoundBatch, ListingCollector, read_stamps};
use entry_test::{EntryTest, Kinds};
pub use found::{FileListing, FoundFile, ListingDetail, ListingRequest, ListingSort};
pub use options::FileOptions;
use patterns::{excludes, extension_test, name_test};

/// The number of entries that a thread visits between two checks of the cancellation token (a check takes a lock).
const POLL_EVERY: u32 = 32;

/// A validated [`FileOptions`] with the roots that it applies to.
#[derive(Debug)]
pub struct FileFilter {
    project: Arc<Project>,
    /// Each root with its excludes, which are relative to it.
    roots: Vec<(PathBuf, Override)>,
    traversal: Traversal,
    depth: Option<usize>,
    test: EntryTest,
    index: Option<Arc<ProjectIndex>>,
}

impl FileFilter {
    /// Validates the options and returns all errors together. An empty `roots` means the whole project.
    ///
    /// Time spans such as `1d` count back from `now`.
    pub fn new(
        project: &Arc<Project>,
        roots: &[ProjectPath],
        options: &FileOptions,
        now: SystemTime,
    ) -> Result<Self, Vec<SearchError>> {
        let mut faults = Vec::new();
        let mut kept = |fault| {
            faults.push(fault);
        };
        let name = name_test(options).map_err(&mut kept).ok().flatten();
        let kinds = Kinds::parse(&options.types).map_err(&mut kept).ok().flatten();
        let mut sizes = Vec::new();
        for value in &options.size {
            match SizeFilter::parse(value) {
                Ok(size) => sizes.push(size),
                Err(fault) => kept(fault),
            }
        }
        let mut changed = Vec::new();
        let within = options.changed_within.as_deref();
        let before = options.changed_before.as_deref();
        for bound in [
            within.map(|value| ModifiedFilter::within(value, now)),
            before.map(|value| ModifiedFilter::before(value, now)),
        ] {
            match bound {
                Some(Ok(bound)) => changed.push(bound),
                Some(Err(fault)) => kept(fault),
                None => {}
            }
        }
        let mut places: Vec<PathBuf> = roots.iter().map(ProjectPath::absolute).collect();
        if places.is_empty() {
            places.push(project.root().to_path_buf());
        }
        places.sort();
        places.dedup();
        let mut excluded = Vec::new();
        for root in places {
            match excludes(&root, &options.exclude) {
                Ok(globs) => excluded.push((root, globs)),
                Err(fault) => {
                    kept(fault);
                    break;
                }
            }
        }
        let extensions = extension_test(&options.extensions).map_err(&mut kept).ok().flatten();
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self {
            project: Arc::clone(project),
            roots: excluded,
            traversal: options.traversal,
            depth: options.depth,
            test: EntryTest {
                project: Arc::clone(project),
                name,
                within: None,
                full_path: options.full_path_match,
                extensions,
                kinds,
                sizes,
                changed,
            },
            index: None,
        })
    }

    /// Lists by the index of the project where it can tell. Blocking: the project is watched first.
    pub fn with_index(mut self, indexes: &Arc<CodeIndexes>) -> Self {
        self.index = indexes.open_index(&self.project);
        self
    }

    /// Restricts the filter to the given places.
    pub fn only_within(mut self, within: Option<PlaceFilter>) -> Self {
        self.test.within = within;
        self
    }

    /// Finds the files. Stops within [`POLL_EVERY`] entries after cancellation.
    pub fn list(&self, wanted: ListingRequest, cancel: &CancellationToken) -> Result<FileListing, SearchError> {
        let started = Instant::now();
        let skipped = Mutex::new(SkippedList::default());
        let overlap = self.roots.len() > 1 && self.overlaps();
        let gathered = ListingCollector::new(wanted, overlap);
        let threads = ThreadPermit::acquire(cores());
        let table = self.folders();
        let mut known = 0;
        for (root, globs) in &self.roots {
            if let Some(table) = &table
                && let Some(listed) = self.list_known(table, root, globs, &gathered)
            {
                known += 1;
                gathered.add(listed);
                continue;
            }
            let walk = Walk {
                project: &self.project,
                roots: slice::from_ref(root),
                traversal: self.traversal,
                own_rules: FD_IGNORE,
                globs,
                max_depth: self.depth,
                skipped: &skipped,
            };
            self.walk(walk, &gathered, cancel);
            if cancel.is_cancelled() {
                return Err(SearchError::Cancelled);
            }
        }
        let mut found = gathered.found.into_inner();
        let mut total_count = gathered.total.into_inner();
        if overlap {
            let mut seen = HashSet::new();
            found.retain(|entry| seen.insert(entry.relative.clone()));
            total_count = found.len() as u64;
        }
        if wanted.detail == ListingDetail::Count {
            found.clear();
        }
        found.sort_unstable_by(|a, b| wanted.sort.compare(a, b));
        found.truncate(wanted.keep);
        if wanted.detail == ListingDetail::Metadata {
            read_stamps(&self.project, &mut found, threads.count());
        }
        let mut skipped = skipped.lock().clone();
        skipped.finish()?;
        Ok(FileListing {
            entries: found
                .into_iter()
                .filter_map(|entry| entry.into_found_file(&self.project, wanted.detail))
                .collect(),
            total_count,
            visited: gathered.visited.into_inner(),
            skipped,
            index_use: match known {
                0 => IndexUse::None,
                _ if known == self.roots.len() => IndexUse::Whole,
                _ => IndexUse::Part,
            },
            elapsed: started.elapsed(),
        })
    }

    /// Returns the folders that the index knows, if the filter's walk has the rules by which they were listed.
    fn folders(&self) -> Option<Arc<FolderTable>> {
        let index = self.index.as_ref().filter(|_| self.traversal == Traversal::default())?;
        index.folders().filter(|table| table.is_as_listed())
    }

    /// Lists one root from the table of folders. `None` if it must be walked.
    fn list_known(
        &self,
        table: &FolderTable,
        root: &Path,
        globs: &Override,
        gathered: &ListingCollector,
    ) -> Option<ListingCollector> {
        let folder = table.folder(strip_root(self.project.root(), root)?)?;
        // A walk notes its root too.
        self.project.note_entry(root);
        let listed = ListingCollector::new(gathered.wanted, gathered.overlap);
        let mut batch = FoundBatch::new(&listed);
        batch.visited += 1;
        let mut path = root.to_path_buf();
        let is_known = folder.each_entry(&mut path, globs, self.depth, &mut |path, kind| {
            batch.visited += 1;
            let candidate = Candidate::listed(path, kind);
            if self.test.admits(&candidate) {
                batch.add(&candidate, &self.project);
            }
            true
        });
        drop(batch);
        is_known.then_some(listed)
    }

    /// True if one root lies inside another, so that an entry may be visited twice.
    fn overlaps(&self) -> bool {
        self.roots.iter().any(|(a, _)| self.roots.iter().any(|(b, _)| a != b && b.starts_with(a)))
    }

    /// Walks one root and adds the matching entries to `gathered`.
    fn walk(&self, walk: Walk<'_>, gathered: &ListingCollector, cancel: &CancellationToken) {
        let mut batch = FoundBatch::new(gathered);
        // The caller checks the token.
        let _cancelled = walk.visit(|entry| {
            batch.visited += 1;
            if batch.visited.is_multiple_of(u64::from(POLL_EVERY)) && cancel.is_cancelled() {
                return ControlFlow::Break(());
            }
            if let Some(candidate) = Candidate::visited(entry).filter(|candidate| self.test.admits(candidate)) {
                batch.add(&candidate, &self.project);
            }
            ControlFlow::Continue(())
        });
    }
}

#[cfg(test)]
mod tests;
