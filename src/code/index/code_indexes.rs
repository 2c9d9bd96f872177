//! All indexes of the process, and the thread that reads files for them.
//!
//! An index is opened by the first search of its project. The thread starts when a search wants files to be read, and ends
//! when all are read. It takes locks that calls wait for, so its priority is the usual one; the work that takes time is
//! done at a low priority without locks (`low_priority.rs`).

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use fumi_base::{freshness::Freshness, project::Project};
use parking_lot::Mutex;

use super::{
    disk::IndexFolders,
    document::DocumentReader,
    project_index::{IndexLimits, IndexSize, ProjectIndex},
};
use crate::parser_pool::ParserPool;

/// The maximum number of open indexes.
const MOST_OPEN: usize = 8;

/// The time without use after which an index is closed for another one. If more projects than indexes are used in turn,
/// some have none, instead of all being made again and again.
const IDLE: Duration = Duration::from_mins(1);

/// The number of files that are read before the thread looks at other projects.
const BATCH: usize = 2_000;

/// The number of files that are parsed ahead before the thread looks for files to read.
const BATCH_AHEAD: usize = 16;

/// The indexes of all projects.
#[derive(Debug)]
pub struct CodeIndexes {
    /// `None` if indexes are turned off.
    limits: Option<IndexLimits>,
    /// `None` if no index is kept on the disk.
    folders: Option<IndexFolders>,
    /// Keeps the elements of files that are parsed ahead; `None` if a file is parsed when a call asks for it.
    parsers: Option<Arc<ParserPool>>,
    freshness: Arc<Freshness>,
    open: Mutex<HashMap<PathBuf, OpenIndex>>,
    thread: Mutex<ThreadState>,
}

#[derive(Debug)]
struct OpenIndex {
    index: Arc<ProjectIndex>,
    used: Instant,
}

#[derive(Debug, Default)]
struct ThreadState {
    is_running: bool,
    /// True if files were wanted since the thread looked.
    has_work: bool,
}

/// Lets another thread start if this one ends by a panic.
struct RunningGuard<'a>(&'a Mutex<ThreadState>);

impl Drop for RunningGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().is_running &= !thread::panicking();
    }
}

/// Removes the index that was used least recently, if it is idle and not that of `kept`.
fn close_idle(open: &mut HashMap<PathBuf, OpenIndex>, kept: &Path) -> Option<OpenIndex> {
    let others = open.iter().filter(|(root, _)| *root != kept);
    let (root, oldest) = others.min_by_key(|(_, index)| index.used)?;
    let root = root.clone();
    (oldest.used.elapsed() >= IDLE).then(|| open.remove(&root))?
}

fn bytes_of(open: &HashMap<PathBuf, OpenIndex>) -> usize {
    open.values().map(|opened| opened.index.bytes()).sum()
}

impl CodeIndexes {
    /// Creates the indexes. Without `limits` they are turned off; without `folders` they are kept in memory only. With
    /// `parsers` that keep answers, indexed files are parsed before a call asks for them.
    pub fn new(
        freshness: Arc<Freshness>,
        limits: Option<IndexLimits>,
        folders: Option<IndexFolders>,
        parsers: Option<Arc<ParserPool>>,
    ) -> Arc<Self> {
        Arc::new(Self { limits, folders, parsers, freshness, open: Mutex::default(), thread: Mutex::default() })
    }

    /// False if indexes are turned off.
    pub fn is_enabled(&self) -> bool {
        self.limits.is_some()
    }

    /// Returns the index of a project, which is opened if it is not open. `None` if indexes are turned off, too many are in
    /// use, or the project cannot be opened or watched. Blocking: a project that is opened is watched first.
    pub fn open_index(self: &Arc<Self>, project: &Project) -> Option<Arc<ProjectIndex>> {
        let limits = self.limits?;
        if let Some(known) = self.open.lock().get_mut(project.root()) {
            known.used = Instant::now();
            return Some(Arc::clone(&known.index));
        }
        if !self.has_place(project.root()) {
            return None;
        }
        // The lock is not held here: watching a large project takes long, and searches of other projects need the lock.
        let log = self.freshness.log_changes(project.root());
        let room = limits.memory.saturating_sub(bytes_of(&self.open.lock()));
        let (indexes, folders) = (Arc::downgrade(self), self.folders.as_ref());
        let index = Arc::new(ProjectIndex::new(project, log, limits, indexes, folders, room)?);
        let mut open = self.open.lock();
        if let Some(other) = open.get(project.root()) {
            let other = Arc::clone(&other.index);
            // Dropping an index takes time.
            drop(open);
            return Some(other);
        }
        if open.len() >= MOST_OPEN {
            drop(open);
            return None;
        }
        let opened = OpenIndex { index: Arc::clone(&index), used: Instant::now() };
        open.insert(project.root().to_path_buf(), opened);
        Some(index)
    }

    /// True if another index may be opened. Closes one that is idle if there are too many.
    fn has_place(&self, root: &Path) -> bool {
        let mut open = self.open.lock();
        if open.len() < MOST_OPEN {
            return true;
        }
        let closed = close_idle(&mut open, root);
        // Dropping it takes time.
        drop(open);
        closed.is_some()
    }

    /// Returns the numbers of the index of a project. `None` if it is not open.
    pub fn size(&self, project: &Project) -> Option<IndexSize> {
        let index = Arc::clone(&self.open.lock().get(project.root())?.index);
        Some(index.size())
    }

    /// Returns the numbers of all open indexes together.
    pub fn total(&self) -> IndexSize {
        let open: Vec<_> = self.open.lock().values().map(|open| Arc::clone(&open.index)).collect();
        open.iter().map(|index| index.size()).fold(IndexSize::default(), |sum, size| IndexSize {
            files: sum.files + size.files,
            wanted: sum.wanted + size.wanted,
            unparsed: sum.unparsed + size.unparsed,
            bytes: sum.bytes + size.bytes,
            segments: sum.segments + size.segments,
            is_listing: sum.is_listing || size.is_listing,
        })
    }

    /// True if an index may grow. Closes one that is idle if memory is needed.
    pub(super) fn has_room(&self, root: &Path) -> bool {
        let Some(limits) = self.limits else { return false };
        let mut open = self.open.lock();
        if bytes_of(&open) < limits.memory {
            return true;
        }
        let closed = close_idle(&mut open, root);
        let has_room = bytes_of(&open) < limits.memory;
        // Dropping it takes time.
        drop(open);
        drop(closed);
        has_room
    }

    /// Starts the thread, or tells it that there is more to do.
    pub(super) fn wake(self: Arc<Self>) {
        let mut state = self.thread.lock();
        state.has_work = true;
        if state.is_running {
            return;
        }
        let indexes = Arc::clone(&self);
        let started = thread::Builder::new().name("fumi-index".to_owned()).spawn(move || indexes.read_all());
        // Without a thread, searches open all files.
        state.is_running = started.is_ok();
    }

    /// Reads the wanted files of all projects until there are none, and parses those that are to be parsed ahead.
    fn read_all(&self) {
        let _ends = RunningGuard(&self.thread);
        let mut reader = DocumentReader::default();
        // Its processes end with this thread.
        let parsers = self.parsers.as_ref().and_then(|parsers| parsers.for_work_ahead());
        loop {
            {
                let mut state = self.thread.lock();
                if !std::mem::take(&mut state.has_work) {
                    state.is_running = false;
                    return;
                }
            }
            let open: Vec<Arc<ProjectIndex>> = {
                let open = self.open.lock();
                open.values().map(|opened| Arc::clone(&opened.index)).collect()
            };
            for index in open {
                let has_read = index.read_wanted(&mut reader, BATCH);
                let has_parsed = || parsers.as_ref().is_some_and(|parsers| index.read_ahead(parsers, BATCH_AHEAD));
                if has_read || has_parsed() {
                    self.thread.lock().has_work = true;
                }
            }
        }
    }
}
