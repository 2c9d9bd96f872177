//! The source files below some folders: found as by a search, each handed to a free thread.
//!
//! Invariant: results are in the order of the paths, regardless of the order in which threads finish; files are handed
//! out in that order too. An unreadable file is skipped and reported. The caller decides what to do with a file.

use std::{
    collections::HashSet,
    ops::ControlFlow,
    path::PathBuf,
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
    search::{SearchScope, SearchTargets},
    shared_walk::walk,
    skipped::{SkipReason, SkippedList},
    thread_budget::{ThreadPermit, cores},
    walk::{compare_paths, record_entry, record_walk_error},
};

/// The results of processing files.
#[derive(Debug)]
pub struct ProcessedFiles<T> {
    /// The results, by path.
    pub results: Vec<T>,
    /// The number of files.
    pub files: u64,
    /// The files and folders that were skipped.
    pub skipped: SkippedList,
}

/// Finds the files of the targets: those of folders by the index or a walk, named files as they are.
pub fn find_sources(
    targets: &SearchTargets,
    scope: &SearchScope,
    cancel: &CancellationToken,
) -> Result<(Vec<ProjectPath>, SkippedList), SearchError> {
    let skipped = Arc::new(Mutex::new(SkippedList::default()));
    let found = Mutex::new(Vec::new());
    let mut folders: Vec<PathBuf> = Vec::new();
    for target in targets.files.iter().chain(&targets.roots) {
        if target.is_dir() {
            folders.push(target.absolute());
        } else {
            found.lock().push(target.clone());
        }
    }
    folders.sort();
    folders.dedup();
    let project = scope.project();
    if let Some(listed) = scope.listed_files(&folders) {
        for folder in &folders {
            // As by a walk, which visits them.
            project.note_entry(folder);
        }
        let paths = listed
            .iter()
            .map(|path| project.walked_path(&project.root().join(path)));
        found.lock().extend(paths.flatten());
    } else if !folders.is_empty() {
        let mut rules = scope.walk_builder(&skipped);
        for folder in &folders {
            rules.add(folder);
        }
        let _cancelled = walk(&rules, |entry| {
            if cancel.is_cancelled() {
                return ControlFlow::Break(());
            }
            record_entry(&entry, project, &skipped);
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    if let Some(path) = project.walked_path(entry.path()).filter(|path| scope.is_within(path)) {
                        found.lock().push(path);
                    }
                }
                Ok(_) => {}
                Err(error) => record_walk_error(&error, project.root(), &skipped),
            }
            ControlFlow::Continue(())
        });
    }
    if cancel.is_cancelled() {
        return Err(SearchError::Cancelled);
    }
    let mut found = found.into_inner();
    // A named file, and one in overlapping folders, is found twice.
    let mut seen = HashSet::new();
    found.retain(|path| seen.insert(path.relative().to_path_buf()));
    found.sort_by(|a, b| compare_paths(a.relative(), b.relative()));
    let skipped = skipped.lock().clone();
    Ok((found, skipped))
}

/// Processes each file, on as many threads as are free. `make` returns `Ok(None)` for an irrelevant file, and a reason
/// for an unreadable one.
pub fn process_each<T: Send>(
    files: &[ProjectPath],
    mut skipped: SkippedList,
    cancel: &CancellationToken,
    make: impl Fn(&ProjectPath) -> Result<Option<T>, SkipReason> + Sync,
) -> Result<ProcessedFiles<T>, SearchError> {
    let next = AtomicUsize::new(0);
    let gathered = Mutex::new(Vec::new());
    let work = || {
        loop {
            let at = next.fetch_add(1, Relaxed);
            let Some(path) = files.get(at).filter(|_| !cancel.is_cancelled()) else {
                return;
            };
            let result = make(path);
            if !matches!(result, Ok(None)) {
                gathered.lock().push((at, result));
            }
        }
    };
    let walkers = ThreadPermit::acquire(cores().min(files.len()));
    std::thread::scope(|scope| {
        for _ in 1..walkers.count() {
            crate::thread_budget::spawn_thread(scope, work);
        }
        work();
    });
    if cancel.is_cancelled() {
        return Err(SearchError::Cancelled);
    }
    let mut gathered = gathered.into_inner();
    gathered.sort_unstable_by_key(|(at, _)| *at);
    let mut results = Vec::with_capacity(gathered.len());
    for (at, result) in gathered {
        match result {
            Ok(value) => results.extend(value),
            Err(reason) => skipped.add(files[at].shown(), reason),
        }
    }
    skipped.finish()?;
    Ok(ProcessedFiles {
        results,
        files: files.len() as u64,
        skipped,
    })
}
