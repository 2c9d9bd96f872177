//! The source files below some folders: found as by a search, each handed to a free thread.
//!
//! Invariant: results are in the order of the paths, regardless of the order in which threads finish; files are handed
//! out in that order too. An unreadable file is skipped and reported. The caller decides what to do with a file.

use std::{
    collections::HashSet,
    ops::ControlFlow,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use fumi_base::project::ProjectPath;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::{
    errors::search::SearchError,
    index::LanguageCounts,
    languages::Language,
    search::{SearchScope, SearchTargets},
    skipped::{SkipReason, SkippedList},
    text_query::{QuerySyntax, TextQuery, TextQueryOptions},
    thread_budget::{ThreadPermit, cores},
    walk::{FileKind, compare_paths},
};

/// The results of processing files.
#[derive(Debug)]
pub struct ProcessedFiles<T> {
    /// The results, by path.
    pub results: Vec<T>,
    pub files: u64,
    /// The files and folders that were skipped.
    pub skipped: SkippedList,
}

/// The source files of some targets.
#[derive(Debug, Default)]
pub struct FoundSources {
    /// The files to read, by path. Files in no language are among them.
    pub files: Vec<ProjectPath>,
    /// The files that need not be read.
    pub(crate) left_out: LanguageCounts,
    /// The files and folders that were skipped.
    pub skipped: SkippedList,
}

/// A word, and the files that are read to find it.
#[derive(Clone, Copy)]
pub struct SoughtWord<'w> {
    pub word: &'w str,
    /// True if files in a language are read; the second argument is true if the file may contain the word.
    pub is_read: &'w dyn Fn(&'static Language, bool) -> bool,
}

/// Finds the files of the targets: those of folders by the index or a walk, named files as they are. With a word, files
/// that need not be read to find it may be left out.
pub fn find_sources(
    targets: &SearchTargets,
    scope: &SearchScope,
    sought: Option<SoughtWord<'_>>,
    cancel: &CancellationToken,
) -> Result<FoundSources, SearchError> {
    let skipped = Mutex::new(SkippedList::default());
    let found = Mutex::new(Vec::new());
    let mut folders: Vec<PathBuf> = Vec::new();
    for target in targets.files.iter().chain(&targets.roots) {
        if target.is_dir().map_err(|_| SearchError::System { path: target.shown() })? {
            folders.push(target.absolute());
        } else {
            found.lock().push(target.clone());
        }
    }
    folders.sort();
    folders.dedup();
    let project = scope.project();
    let mut left_out = LanguageCounts::default();
    let with_word = sought.and_then(|sought| {
        let query = word_query(sought.word)?;
        let named = found.lock().iter().map(|path| path.relative().to_path_buf()).collect();
        scope.listed_sources(&folders, &named, &query, sought.is_read)
    });
    let listed = match with_word {
        Some(sources) => {
            left_out = sources.left_out;
            Some(sources.files.iter().map(|path| path.to_path_buf()).collect())
        }
        None => scope.listed_files(&folders),
    };
    if let Some(listed) = listed {
        for folder in &folders {
            // A walk notes its roots too.
            project.note_entry(folder);
        }
        let paths = listed.iter().map(|path: &PathBuf| project.walked_path(&project.root().join(path)));
        found.lock().extend(paths.flatten());
    } else if !folders.is_empty() {
        let _cancelled = scope.walk(&folders, &skipped).visit(|entry| {
            if cancel.is_cancelled() {
                return ControlFlow::Break(());
            }
            if entry.kind == FileKind::File
                && let Some(path) = project.walked_path(&entry.path).filter(|path| scope.is_within(path))
            {
                found.lock().push(path);
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
    Ok(FoundSources { files: found, left_out, skipped })
}

/// Returns a search for a word in the whole of each file. `None` for a word whose bytes depend on the encoding.
fn word_query(word: &str) -> Option<TextQuery> {
    let options = TextQueryOptions {
        syntax: QuerySyntax::Literal,
        // Texts are searched beyond a NUL too.
        multiline: true,
        ..TextQueryOptions::new(word)
    };
    word.is_ascii().then(|| TextQuery::new(&options).ok()).flatten()
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
    Ok(ProcessedFiles { results, files: files.len() as u64, skipped })
}
