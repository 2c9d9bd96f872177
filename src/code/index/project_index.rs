//! The index of one project: the files that it knows, kept true by the log of changes.
//!
//! Invariant: a document is live only if its file was read after the last event about it, or about a folder above it.
//! Every call applies the changes until now before it looks, under the lock under which documents are added. Files come
//! to the index by searches: a file that a search had to open is read for the index afterwards.

use std::{
    collections::HashSet,
    fs::Metadata,
    io,
    ops::Range,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    slice::Iter,
    sync::{
        Arc, Weak,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use fumi_base::{
    change_log::{ChangeLog, ChangedPaths, is_logged},
    project::Project,
};
use parking_lot::Mutex;

use super::{
    code_indexes::CodeIndexes,
    disk::{IndexFolder, IndexFolders, SegmentStamps},
    document::DocumentReader,
    folder_table::{ChangedPath, FolderTable, KeptTable, list_whole},
    indexed_files::IndexedFiles,
    listed_files::ListedFiles,
    low_priority::at_low_priority,
    segment::Segment,
    segment_writer::{SegmentWriter, merge},
    work_ahead::{WorkAhead, parse_ahead},
};
use crate::{languages::detect::FileLanguage, parser_pool::ParserPool};

/// The part of the files that must be new before the index is written to the disk again, as a divisor.
const UNWRITTEN_PART: usize = 10;

/// The time after which files that changed before a write can be loaded by their metadata.
const SETTLING: Duration = Duration::from_secs(5);

/// The time after which a write is tried again that was impossible.
const WRITE_RETRY: Duration = Duration::from_mins(1);

/// The bounds of one index.
#[derive(Clone, Copy, Debug)]
pub struct IndexLimits {
    /// The size of the largest file that is read, in bytes.
    pub file_bytes: u64,
    /// The maximum number of files.
    pub files: usize,
    /// The maximum memory of the segments of all projects, in bytes.
    pub memory: usize,
}

#[derive(Debug)]
pub struct ProjectIndex {
    /// The project, opened separately for reading files, so that system failures of this work do not make calls fail.
    files: Arc<Project>,
    log: ChangeLog,
    limits: IndexLimits,
    /// Has the thread that reads files.
    indexes: Weak<CodeIndexes>,
    /// `None` if nothing is kept on the disk.
    folder: Option<IndexFolder>,
    /// Locked in short sections; the log is read under this lock, so that no call looks before earlier changes are
    /// applied.
    state: Mutex<IndexState>,
    /// The memory of the segments and of the table of folders, in bytes.
    bytes: AtomicUsize,
    /// Held while files are read: one thread at a time adds segments.
    reading: Mutex<()>,
    /// The files that the last search without globs chose from.
    listed: Mutex<Option<Arc<ListedFiles>>>,
}

/// An index at one moment.
#[derive(Debug)]
pub(super) struct IndexView {
    pub(super) indexed: Arc<IndexedFiles>,
    /// `None` if folders must be walked.
    pub(super) folders: Option<Arc<FolderTable>>,
}

/// The segments at one moment.
#[derive(Debug)]
struct IndexSnapshot {
    /// That of the moment: a snapshot says nothing about later ones.
    epoch: u64,
    indexed: Arc<IndexedFiles>,
}

#[derive(Debug, Default)]
struct IndexState {
    indexed: Arc<IndexedFiles>,
    folders: KeptTable,
    /// The files that searches opened and that are to be read.
    wanted: HashSet<Arc<Path>>,
    /// The files that are being read, without those that changed since.
    in_work: HashSet<Arc<Path>>,
    /// The files that are not read: too large, unreadable, or with several names; searches open them.
    unreadable: HashSet<Arc<Path>>,
    /// True if a document may have died since the segments were merged.
    has_changes: bool,
    /// The files in known languages that are to be parsed.
    ahead: WorkAhead,
    /// The number of documents that the index on the disk lacks.
    unwritten: usize,
    /// The time before which the index is not written to the disk again.
    next_write: Option<Instant>,
    /// The number of times that everything was forgotten.
    epoch: u64,
}

/// The numbers of an index, for operators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexSize {
    /// The number of files that searches may skip.
    pub files: usize,
    /// The number of files that are to be read.
    pub wanted: usize,
    /// The number of files that are to be parsed, so that calls need not.
    pub unparsed: usize,
    /// The memory of the segments, in bytes.
    pub bytes: usize,
    pub segments: usize,
    /// True if the folders are to be listed, so that searches need not walk.
    pub is_listing: bool,
}

impl ProjectIndex {
    /// Opens the index of a project, and loads what is on the disk if it takes at most `room` bytes of memory. `None` if
    /// the project's folder cannot be opened, or not be watched.
    pub(super) fn new(
        project: &Project,
        log: ChangeLog,
        limits: IndexLimits,
        indexes: Weak<CodeIndexes>,
        folders: Option<&IndexFolders>,
        room: usize,
    ) -> Option<Self> {
        if !log.take().is_watched {
            return None;
        }
        let files = Project::open(project.root()).ok()?;
        // A link on the way leads elsewhere.
        let is_same = files.root() == project.root();
        if !is_same {
            return None;
        }
        let folder = folders.and_then(|folders| IndexFolder::new(folders, files.root()));
        // Later changes are in the log.
        let loaded = folder.as_ref().and_then(|folder| folder.load(room as u64));
        let mut loaded = IndexedFiles::new(loaded.unwrap_or_default());
        if loaded.bytes() > room || loaded.files() > limits.files {
            loaded = IndexedFiles::default();
        }
        let mut ahead = WorkAhead::default();
        for segment in loaded.segments() {
            ahead.add(files_to_parse(segment));
        }
        let index = Self {
            files,
            log,
            limits,
            indexes,
            folder,
            state: Mutex::new(IndexState {
                // Files may have changed since they were written.
                has_changes: loaded.files() > 0,
                indexed: Arc::new(loaded),
                ahead,
                ..IndexState::default()
            }),
            bytes: AtomicUsize::new(0),
            reading: Mutex::default(),
            listed: Mutex::default(),
        };
        index.count_bytes();
        Some(index)
    }

    /// Returns what is known now, after all changes until now. `None` if the project cannot be watched.
    pub(super) fn view(&self) -> Option<IndexView> {
        let mut state = self.state.lock();
        let view = self
            .apply_changes(&mut state)
            .then(|| IndexView { indexed: Arc::clone(&state.indexed), folders: state.folders.get() });
        let is_write_due = self.folder.is_some() && state.is_write_due() && state.next_write.is_some();
        drop(state);
        if is_write_due && let Some(indexes) = self.indexes.upgrade() {
            indexes.wake();
        }
        view
    }

    /// Applies the changes until now: forgets the files that changed. Returns false if the project cannot be watched.
    fn apply_changes(&self, state: &mut IndexState) -> bool {
        let changes = self.log.take();
        let root = self.files.root();
        // Folders are listed after this state was read, so that a later change is noticed.
        let outside = changes.outside;
        let look = |path: PathBuf| {
            let relative = path.strip_prefix(root).map(Path::to_path_buf).unwrap_or_default();
            ChangedPath::new(root, relative)
        };
        let paths = match changes.changed {
            // If looking at a path fails, everything is forgotten, as after unknown changes: the file may have several names.
            ChangedPaths::Paths(paths) => paths.into_iter().map(look).collect::<io::Result<Vec<_>>>().ok(),
            ChangedPaths::Unknown => None,
        };
        if let Some(paths) = paths {
            state.has_changes |= !paths.is_empty();
            state.forget(&paths.iter().map(|path| path.relative.as_path()).collect());
            // A file that got another name may change without an event about its first one.
            let linked = paths.iter().filter_map(|path| path.found.as_ref());
            let linked = linked.filter(|found| has_several_names(found));
            let linked: HashSet<u64> = linked.map(Metadata::ino).collect();
            if !linked.is_empty() {
                for segment in state.indexed.segments() {
                    segment.keep_only(|facts| !linked.contains(&facts.inode));
                }
            }
            state.folders.change(&paths, outside, &self.files);
        } else {
            let epoch = state.epoch + 1;
            let forgotten = std::mem::replace(state, IndexState { epoch, ..IndexState::default() });
            state.folders.change(&[], outside, &self.files);
            self.bytes.store(0, Relaxed);
            *self.listed.lock() = None;
            // Large, and of no use to this call.
            drop(forgotten);
        }
        changes.is_watched
    }

    /// Records files that a search opened, relative to the root, to be read.
    pub(super) fn want(&self, opened: Vec<Arc<Path>>) {
        let Some(indexes) = self.indexes.upgrade() else {
            return;
        };
        if !indexes.has_room(self.files.root()) {
            if std::mem::take(&mut self.state.lock().has_changes) {
                // Segments of mostly dead documents are written anew.
                indexes.wake();
            }
            return;
        }
        let mut state = self.state.lock();
        let known = state.indexed.files() + state.wanted.len() + state.unreadable.len();
        let room = self.limits.files.saturating_sub(known);
        for path in opened.into_iter().filter(|path| is_logged(path)).take(room) {
            if !state.unreadable.contains(&path) && !state.in_work.contains(&path) {
                state.wanted.insert(path);
            }
        }
        let is_wanted = !state.wanted.is_empty();
        drop(state);
        if is_wanted {
            indexes.wake();
        }
    }

    /// Returns the folders as they are now. `None` if they must be walked; then they are to be listed.
    pub(crate) fn folders(&self) -> Option<Arc<FolderTable>> {
        let view = self.view()?;
        if view.folders.is_none() {
            self.want_folders();
        }
        view.folders
    }

    /// Records that a search could use a table of folders that is not there.
    pub(super) fn want_folders(&self) {
        if let Some(indexes) = self.indexes.upgrade()
            && self.state.lock().folders.want()
        {
            indexes.wake();
        }
    }

    /// Lists all folders, if a search wants that.
    fn list_folders(&self) {
        if !self.state.lock().folders.begin() {
            return;
        }
        let made = at_low_priority(|| list_whole(&self.files));
        let mut state = self.state.lock();
        self.apply_changes(&mut state);
        state.folders.finish(made, &self.files);
        drop(state);
        self.count_bytes();
    }

    /// Returns the files of a table with the documents of an index.
    pub(super) fn listed(&self, folders: &Arc<FolderTable>, indexed: &Arc<IndexedFiles>) -> Arc<ListedFiles> {
        let kept = self.listed.lock().clone();
        if let Some(kept) = kept.filter(|kept| kept.is_of(folders, indexed)) {
            return kept;
        }
        let made = Arc::new(ListedFiles::new(Arc::clone(folders), Arc::clone(indexed)));
        *self.listed.lock() = Some(Arc::clone(&made));
        made
    }

    /// Returns the memory of the segments and of the table of folders, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Relaxed)
    }

    /// Lists the folders if that is wanted, then reads at most `most` wanted files and adds them. Returns false if no file
    /// was wanted.
    pub(super) fn read_wanted(&self, reader: &mut DocumentReader, most: usize) -> bool {
        let _one = self.reading.lock();
        self.list_folders();
        let batch: Vec<Arc<Path>> = {
            let mut state = self.state.lock();
            let batch: Vec<_> = state.wanted.iter().take(most).cloned().collect();
            for path in &batch {
                state.wanted.remove(path);
            }
            state.in_work = batch.iter().cloned().collect();
            batch
        };
        if batch.is_empty() {
            self.merge_small();
            self.count_bytes();
            self.write();
            return false;
        }
        // After the batch is taken: if the root is replaced later, the log forgets the batch.
        let _ = self.files.ensure_open();
        let mut unreadable = Vec::new();
        let mut left = batch.iter();
        let segment = at_low_priority(|| self.read(reader, &mut left, &mut unreadable));
        self.add(segment, &unreadable, left.as_slice());
        self.merge_small();
        self.count_bytes();
        if let Some(IndexView { indexed, folders: Some(folders) }) = self.view() {
            // So that the next search need not do it.
            at_low_priority(|| self.listed(&folders, &indexed));
        }
        true
    }

    /// Parses at most `most` of the files that are to be parsed ahead. Returns false if there was none.
    pub(super) fn read_ahead(&self, parsers: &ParserPool, most: usize) -> bool {
        for done in 0..most {
            let Some(path) = self.state.lock().ahead.next() else { return done > 0 };
            let parsed = at_low_priority(|| parse_ahead(&self.files, &path, self.limits.file_bytes, parsers));
            self.state.lock().ahead.finish(parsed);
        }
        true
    }

    /// Reads the first of the files that are left until a segment is full.
    fn read(
        &self,
        reader: &mut DocumentReader,
        left: &mut Iter<'_, Arc<Path>>,
        unreadable: &mut Vec<Arc<Path>>,
    ) -> Segment {
        let mut writer = SegmentWriter::default();
        for path in left {
            let found = self.files.walked_path(&self.files.root().join(path));
            match found.as_ref().and_then(|file| reader.read(file, self.limits.file_bytes)) {
                Some(document) => writer.add(document.facts, document.grams),
                None if found.is_some_and(|file| file.absolute().exists()) => unreadable.push(Arc::clone(path)),
                None => {}
            }
            if writer.is_full() {
                break;
            }
        }
        writer.finish()
    }

    /// Writes the index to the disk, if that would spare a later process a tenth of the work.
    fn write(&self) {
        let Some(folder) = &self.folder else { return };
        if !self.state.lock().is_write_due() {
            return;
        }
        let now = self.snapshot();
        let segments = now.indexed.segments();
        let mut stamps: Vec<SegmentStamps> =
            at_low_priority(|| segments.iter().map(|segment| folder.stamps(segment)).collect());
        {
            let mut state = self.state.lock();
            self.apply_changes(&mut state);
            if state.epoch != now.epoch {
                return;
            }
        }
        let mut unsettled = 0;
        // A document that is alive after all changes until now was true when its stamp was taken.
        for (segment, stamps) in segments.iter().zip(&mut stamps) {
            for (doc, stamp) in (0..).zip(stamps) {
                if !segment.is_live(doc) {
                    *stamp = 0;
                } else if *stamp == 0 {
                    unsettled += 1;
                }
            }
        }
        let written = at_low_priority(|| folder.write(segments, stamps));
        let mut state = self.state.lock();
        let wait = if let Ok(true) = written {
            state.unwritten = unsettled;
            SETTLING
        } else {
            WRITE_RETRY
        };
        state.next_write = Some(Instant::now() + wait);
        drop(state);
        if let Err(error) = written {
            tracing::warn!(root = %self.files.root().display(), %error, "the index cannot be kept on the disk");
        }
    }

    fn count_bytes(&self) {
        let state = self.state.lock();
        self.bytes.store(state.indexed.bytes() + state.folders.bytes(), Relaxed);
    }

    /// Adds the documents whose files did not change since they were read. `left` were not read.
    fn add(&self, segment: Segment, unreadable: &[Arc<Path>], left: &[Arc<Path>]) {
        let now = self.snapshot();
        let segment = Arc::new(segment);
        let segments = [now.indexed.segments(), &[Arc::clone(&segment)]].concat();
        self.replace(now.epoch, segments, |state| {
            let in_work = std::mem::take(&mut state.in_work);
            segment.keep_only(|facts| in_work.contains(&facts.path));
            state.unwritten += segment.live_documents().count();
            state.ahead.add(files_to_parse(&segment));
            let changed = |path: &Arc<Path>| !in_work.contains(path);
            state.unreadable.extend(unreadable.iter().filter(|path| !changed(path)).cloned());
            state.wanted.extend(left.iter().cloned());
        });
    }

    fn snapshot(&self) -> IndexSnapshot {
        let state = self.state.lock();
        IndexSnapshot { epoch: state.epoch, indexed: Arc::clone(&state.indexed) }
    }

    /// Replaces the segments of an epoch. The places of all files are found without the lock, for which calls would wait.
    /// Then `finish` ends the documents among the new segments that changed meanwhile. Returns false, and does nothing, if
    /// the epoch has ended: everything was forgotten.
    fn replace(&self, epoch: u64, segments: Vec<Arc<Segment>>, finish: impl FnOnce(&mut IndexState)) -> bool {
        let indexed = at_low_priority(|| Arc::new(IndexedFiles::new(segments)));
        let mut state = self.state.lock();
        self.apply_changes(&mut state);
        if state.epoch != epoch {
            state.in_work.clear();
            return false;
        }
        finish(&mut state);
        state.indexed = indexed;
        // It would keep the old segments in memory.
        *self.listed.lock() = None;
        true
    }

    /// Merges the newest segments while the one before them is not at least twice as large, so that the number of
    /// segments grows with the logarithm of the number of files. A segment of mostly dead documents is written anew.
    fn merge_small(&self) {
        while self.merge_once(&self.snapshot()) {}
    }

    /// Merges once. Returns false if there is nothing to merge, or everything was forgotten meanwhile.
    fn merge_once(&self, now: &IndexSnapshot) -> bool {
        let segments = now.indexed.segments();
        let Some(range) = to_merge(segments) else { return false };
        let merged = Arc::new(at_low_priority(|| merge(&segments[range.clone()])));
        let new = (merged.documents() > 0).then(|| Arc::clone(&merged));
        let kept = [&segments[..range.start], new.as_slice(), &segments[range.end..]].concat();
        self.replace(now.epoch, kept, |state| {
            let now = Arc::clone(&state.indexed);
            merged.keep_only(|facts| now.knows(&facts.path));
        })
    }

    /// Returns the numbers of the index.
    pub fn size(&self) -> IndexSize {
        let state = self.state.lock();
        IndexSize {
            files: state.indexed.files(),
            wanted: state.wanted.len() + state.in_work.len(),
            unparsed: state.ahead.count(),
            bytes: state.indexed.bytes(),
            segments: state.indexed.segments().len(),
            is_listing: state.folders.is_awaited(),
        }
    }
}

impl IndexState {
    /// True if the index is to be written to the disk.
    fn is_write_due(&self) -> bool {
        let is_worth_it = self.unwritten > 0 && self.unwritten >= self.indexed.files() / UNWRITTEN_PART;
        is_worth_it && self.next_write.is_none_or(|next| next <= Instant::now())
    }

    /// Forgets files, and all files below folders. An empty path is the root.
    fn forget(&mut self, changed: &HashSet<&Path>) {
        for segment in self.indexed.segments() {
            for path in changed {
                segment.kill(path);
            }
        }
        let is_kept = |path: &Arc<Path>| !path.ancestors().any(|above| changed.contains(above));
        self.in_work.retain(is_kept);
        self.unreadable.retain(is_kept);
    }
}

/// Returns the files of a segment in known languages.
fn files_to_parse(segment: &Segment) -> impl Iterator<Item = Arc<Path>> {
    let known = segment.live_documents().filter(|(_, facts)| matches!(facts.language, FileLanguage::Known(_)));
    known.map(|(_, facts)| Arc::clone(&facts.path))
}

/// True for a file with several names (hard links).
fn has_several_names(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.nlink() > 1
}

/// Returns the segments that should become one. `None` if all are well.
fn to_merge(segments: &[Arc<Segment>]) -> Option<Range<usize>> {
    let live: Vec<usize> = segments.iter().map(|segment| segment.live_documents().count()).collect();
    let is_mostly_dead = |at: &usize| live[*at] * 2 < segments[*at].documents() as usize;
    if let Some(dead) = (0..segments.len()).find(is_mostly_dead) {
        return Some(dead..dead + 1);
    }
    let before = segments.len().checked_sub(2)?;
    (live[before] < 2 * live[before + 1]).then_some(before..segments.len())
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::Path,
        sync::{Arc, Weak},
    };

    use fumi_base::{freshness::Freshness, project::Project};

    use super::{IndexLimits, ProjectIndex};
    use crate::index::document::DocumentReader;

    /// Adds a segment of files with these numbers.
    fn add(index: &ProjectIndex, numbers: std::ops::Range<u32>) {
        let paths: Vec<Arc<Path>> = numbers.map(|n| Arc::from(Path::new(&n.to_string()))).collect();
        index.state.lock().in_work = paths.iter().cloned().collect();
        let segment = index.read(&mut DocumentReader::default(), &mut paths.iter(), &mut Vec::new());
        index.add(segment, &[], &[]);
    }

    /// Otherwise the documents of the old folder, which is watched no more, would be taken for those of the new one.
    #[test]
    fn segments_that_were_forgotten_during_a_merge_do_not_return() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("project");
        fs::create_dir(&root).expect("a folder");
        for n in 0..12 {
            fs::write(root.join(n.to_string()), "needle").expect("a file");
        }
        let project = Project::open(&root).expect("a project");
        let log = Freshness::default().log_changes(project.root());
        let limits = IndexLimits { file_bytes: 1_000, files: 100, memory: 1 << 20 };
        let index = ProjectIndex::new(&project, log, limits, Weak::new(), None, 0).expect("watched");
        for numbers in [0..8, 8..10, 10..12] {
            add(&index, numbers);
        }
        assert_eq!((index.size().files, index.size().segments), (12, 3));
        let before = index.snapshot();
        fs::rename(&root, outer.path().join("other")).expect("moved");
        fs::create_dir(&root).expect("another folder");
        index.view().expect("watched");
        assert!(!index.merge_once(&before));
        assert_eq!(index.size().files, 0);
    }
}
