//! The source files below some folders: found as a search finds them, each handed to a free thread.
//!
//! Invariant: results come in the order of the paths, whatever order the threads finish in; files are handed out in that
//! order too. A file that cannot be read is passed over and named. What is done with a file is the caller's.

use std::{
    collections::HashSet,
    ops::ControlFlow,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use fumi_base::project::ProjectPath;
use tokio_util::sync::CancellationToken;

use crate::{
    errors::search::SearchError,
    search::{Scope, Targets},
    shared_walk::walk,
    skipped::{Reason, SkippedList},
    walk::{by_path, lock, note, note_entry},
    walkers::{Walkers, cores},
};

/// Files that were looked at, and what came of them.
#[derive(Debug)]
pub struct Sources<T> {
    /// What was made of files, by path.
    pub made: Vec<T>,
    /// How many files there were.
    pub files: u64,
    /// What was passed over.
    pub skipped: SkippedList,
}

/// Finds the files of these targets: folders are walked, files that are named are taken as they are.
pub fn find(
    targets: &Targets,
    scope: &Scope,
    cancel: &CancellationToken,
) -> Result<(Vec<ProjectPath>, SkippedList), SearchError> {
    let skipped = Arc::new(Mutex::new(SkippedList::default()));
    let found = Mutex::new(Vec::new());
    let mut folders: Vec<PathBuf> = Vec::new();
    for target in targets.files.iter().chain(&targets.roots) {
        if target.is_dir() {
            folders.push(target.absolute());
        } else {
            lock_list(&found).push(target.clone());
        }
    }
    folders.sort();
    folders.dedup();
    if !folders.is_empty() {
        let project = scope.project();
        let mut rules = scope.rules(&skipped);
        for folder in &folders {
            rules.add(folder);
        }
        let _cancelled = walk(&rules, |entry| {
            if cancel.is_cancelled() {
                return ControlFlow::Break(());
            }
            note_entry(&entry, project, &skipped);
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    if let Some(path) = project.found(entry.path()).filter(|path| scope.has_place(path)) {
                        lock_list(&found).push(path);
                    }
                }
                Ok(_) => {}
                Err(error) => note(&error, project.root(), &skipped),
            }
            ControlFlow::Continue(())
        });
    }
    if cancel.is_cancelled() {
        return Err(SearchError::Cancelled);
    }
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    // A named file, and one in overlapping folders, is met twice.
    let mut seen = HashSet::new();
    found.retain(|path| seen.insert(path.relative().to_path_buf()));
    found.sort_by(|a, b| by_path(a.relative(), b.relative()));
    let skipped = lock(&skipped).clone();
    Ok((found, skipped))
}

/// Makes something of each file, on as many threads as are free. `make` answers `Ok(None)` for a file that is of no
/// concern, and a reason for one that could not be read.
pub fn each<T: Send>(
    files: &[ProjectPath],
    mut skipped: SkippedList,
    cancel: &CancellationToken,
    make: impl Fn(&ProjectPath) -> Result<Option<T>, Reason> + Sync,
) -> Result<Sources<T>, SearchError> {
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
                lock_list(&gathered).push((at, result));
            }
        }
    };
    let walkers = Walkers::take(cores().min(files.len()));
    std::thread::scope(|scope| {
        for _ in 1..walkers.count() {
            crate::walkers::start(scope, work);
        }
        work();
    });
    if cancel.is_cancelled() {
        return Err(SearchError::Cancelled);
    }
    let mut gathered = gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
    gathered.sort_unstable_by_key(|(at, _)| *at);
    let mut results = Vec::with_capacity(gathered.len());
    for (at, result) in gathered {
        match result {
            Ok(value) => results.extend(value),
            Err(reason) => skipped.add(files[at].shown(), reason),
        }
    }
    skipped.settle()?;
    Ok(Sources {
        made: results,
        files: files.len() as u64,
        skipped,
    })
}

/// A list that is only ever pushed to: a panic elsewhere cannot leave it half-written.
fn lock_list<T>(list: &Mutex<Vec<T>>) -> std::sync::MutexGuard<'_, Vec<T>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}
