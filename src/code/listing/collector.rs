//! Collecting the files that all threads of a listing find: sorted, cut, and with their sizes and times.

use std::{
    cmp::Ordering,
    fs::Metadata,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use fumi_base::project::Project;
use parking_lot::Mutex;

use super::{
    candidate::Candidate,
    found::{FoundFile, ListingDetail, ListingRequest, ListingSort},
};
use crate::{
    thread_budget,
    walk::{FileKind, compare_paths, strip_root},
};

/// The number of found entries that a thread gathers before it hands them over.
const BATCH: usize = 1_024;

/// The number of found entries allowed beyond `keep` before the rest is dropped. Bounds the memory of a huge walk.
const SLACK: usize = 100_000;

/// An entry that passed the filters.
#[derive(Debug)]
pub(super) struct FoundEntry {
    pub(super) relative: PathBuf,
    is_dir: bool,
    is_symlink: bool,
    followed: bool,
    stamp: Option<SizeAndTime>,
}

#[derive(Clone, Copy, Debug)]
struct SizeAndTime {
    size: u64,
    changed: Option<SystemTime>,
}

impl SizeAndTime {
    fn from_metadata(meta: &Metadata) -> Self {
        Self { size: meta.len(), changed: meta.modified().ok() }
    }
}

impl FoundEntry {
    pub(super) fn into_found_file(self, project: &Arc<Project>, detail: ListingDetail) -> Option<FoundFile> {
        let stamp = self.stamp.filter(|_| detail == ListingDetail::Metadata);
        Some(FoundFile {
            path: project.walked_path(&project.root().join(&self.relative))?,
            is_dir: self.is_dir,
            is_symlink: self.is_symlink,
            size_bytes: stamp.map(|stamp| stamp.size),
            mtime: stamp.and_then(|stamp| stamp.changed).map(unix_seconds),
        })
    }
}

impl ListingSort {
    pub(super) fn compare(self, a: &FoundEntry, b: &FoundEntry) -> Ordering {
        let first = match self {
            Self::Path => Ordering::Equal,
            Self::Mtime => b.stamp.map(|stamp| stamp.changed).cmp(&a.stamp.map(|stamp| stamp.changed)),
            Self::Size => b.stamp.map(|stamp| stamp.size).cmp(&a.stamp.map(|stamp| stamp.size)),
        };
        first.then_with(|| compare_paths(&a.relative, &b.relative))
    }
}

/// Returns seconds since 1970, rounded down; negative before 1970.
fn unix_seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => {
            let before = before.duration();
            let seconds = before.as_secs() + u64::from(before.subsec_nanos() > 0);
            i64::try_from(seconds).map_or(i64::MIN, |seconds| -seconds)
        }
    }
}

/// The entries that all threads of a listing found.
pub(super) struct ListingCollector {
    pub(super) wanted: ListingRequest,
    pub(super) overlap: bool,
    pub(super) total: AtomicU64,
    pub(super) visited: AtomicU64,
    pub(super) found: Mutex<Vec<FoundEntry>>,
}

impl ListingCollector {
    pub(super) fn new(wanted: ListingRequest, overlap: bool) -> Self {
        Self { wanted, overlap, total: AtomicU64::new(0), visited: AtomicU64::new(0), found: Mutex::new(Vec::new()) }
    }

    /// Adds what another collector has.
    pub(super) fn add(&self, other: Self) {
        self.total.fetch_add(other.total.into_inner(), Relaxed);
        self.visited.fetch_add(other.visited.into_inner(), Relaxed);
        self.take(&mut other.found.into_inner());
    }

    /// True if the entries themselves are needed later; otherwise they are only counted.
    const fn gathers(&self) -> bool {
        self.overlap || !matches!(self.wanted.detail, ListingDetail::Count)
    }

    fn take(&self, batch: &mut Vec<FoundEntry>) {
        let mut found = self.found.lock();
        found.append(batch);
        // With overlapping roots a path may occur twice, and dropping rows would drop the wrong ones.
        if !self.overlap && found.len() > self.wanted.keep.saturating_add(SLACK) && self.wanted.keep > 0 {
            let sort = self.wanted.sort;
            let _ = found.select_nth_unstable_by(self.wanted.keep - 1, |a, b| sort.compare(a, b));
            found.truncate(self.wanted.keep);
        }
    }
}

/// The entries that one thread found since its last hand-over.
pub(super) struct FoundBatch<'a> {
    pub(super) collector: &'a ListingCollector,
    pub(super) found: Vec<FoundEntry>,
    pub(super) total: u64,
    pub(super) visited: u64,
}

impl<'a> FoundBatch<'a> {
    pub(super) const fn new(collector: &'a ListingCollector) -> Self {
        Self { collector, found: Vec::new(), total: 0, visited: 0 }
    }

    pub(super) fn add(&mut self, candidate: &Candidate<'_>, project: &Project) {
        self.total += 1;
        if !self.collector.gathers() {
            return;
        }
        let Some(relative) = strip_root(project.root(), candidate.path()) else {
            return;
        };
        // Sorting needs the metadata of every file; otherwise only that of the kept files is read, later.
        let stamp = match self.collector.wanted.sort {
            ListingSort::Path => candidate.metadata.get().and_then(|meta| meta.as_ref()),
            ListingSort::Mtime | ListingSort::Size => candidate.metadata(project),
        }
        .map(SizeAndTime::from_metadata);
        self.found.push(FoundEntry {
            relative: relative.to_path_buf(),
            is_dir: candidate.kind == FileKind::Folder,
            is_symlink: candidate.kind == FileKind::Link,
            followed: candidate.followed(),
            stamp,
        });
        if self.found.len() >= BATCH {
            self.collector.take(&mut self.found);
        }
    }
}

impl Drop for FoundBatch<'_> {
    fn drop(&mut self) {
        self.collector.total.fetch_add(self.total, Relaxed);
        self.collector.visited.fetch_add(self.visited, Relaxed);
        if !self.found.is_empty() {
            self.collector.take(&mut self.found);
        }
    }
}

/// Reads sizes and times of the kept entries that lack them.
pub(super) fn read_stamps(project: &Project, found: &mut [FoundEntry], threads: usize) {
    /// The minimum number of entries for which a second thread pays.
    const WORTH_A_THREAD: usize = 512;
    let read = |part: &mut [FoundEntry]| {
        for entry in part.iter_mut().filter(|entry| entry.stamp.is_none()) {
            let path = project.root().join(&entry.relative);
            let meta = if entry.followed { path.metadata() } else { path.symlink_metadata() };
            let meta = project.failures().record(meta);
            entry.stamp = meta.ok().map(|meta| SizeAndTime::from_metadata(&meta));
        }
    };
    let share = found.len().div_ceil(threads).max(WORTH_A_THREAD);
    let all_started = std::thread::scope(|scope| {
        let mut all_started = true;
        let mut parts = found.chunks_mut(share);
        let own = parts.next();
        for part in parts {
            all_started &= thread_budget::spawn_thread(scope, move || read(part));
        }
        if let Some(part) = own {
            read(part);
        }
        all_started
    });
    if !all_started {
        read(found);
    }
}
