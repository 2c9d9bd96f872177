//! Indexes that were written to the disk, opened by another process: never wrong, whatever happened to the files of the
//! project, or to those of the index, in between.

use std::{
    fs::{self, File, FileTimes},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use fumi_base::project::Project;
use fumi_code::{
    index::{CodeIndexes, IndexFolders, IndexLimits},
    search::{RowDemand, ScopeOptions, SearchMatches, SearchScope, SearchTargets, search},
    text_query::{TextQuery, TextQueryOptions},
};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use tokio_util::sync::CancellationToken;

use super::{MOST, shown};

/// The number of files of a project.
const FILES: usize = 40;

/// A project, and the state folder of the servers that serve it one after the other.
struct Kept {
    files: tempfile::TempDir,
    state: tempfile::TempDir,
    project: Arc<Project>,
}

/// A change of a file.
type Damage = fn(&Path);

/// A process with the index of a project.
struct Opened<'k> {
    kept: &'k Kept,
    indexes: Arc<CodeIndexes>,
}

impl Kept {
    /// Creates a project whose files are so old that every later change shows.
    fn new() -> Self {
        let files = tempfile::tempdir().expect("a folder");
        for n in 0..FILES {
            let folder = files.path().join(format!("f{}", n % 4));
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join(format!("{n}.txt")), format!("word{n:02}\n")).expect("a file");
        }
        thread::park_timeout(Duration::from_millis(3_300));
        Self {
            project: Project::open(files.path()).expect("a project"),
            files,
            state: tempfile::tempdir().expect("a folder"),
        }
    }

    fn open(&self) -> Opened<'_> {
        self.open_in(self.state.path(), 1 << 30)
    }

    fn open_in(&self, state: &Path, most_bytes: u64) -> Opened<'_> {
        let limits = IndexLimits { file_bytes: MOST, files: 100_000, memory: 256 << 20 };
        let folder = state.to_path_buf();
        let folders = IndexFolders { folder, most_bytes };
        Opened { kept: self, indexes: CodeIndexes::new(Arc::default(), Some(limits), Some(folders), None) }
    }

    /// Writes the index to the disk, by a process that ends then.
    fn write(&self) {
        let opened = self.open();
        opened.read_all();
        wait_until(|| !self.written().is_empty());
        let index = Arc::downgrade(&opened.indexes.open_index(&self.project).expect("it is on"));
        drop(opened);
        // Until then its thread holds the lock of the folder.
        wait_until(|| index.strong_count() == 0);
    }

    /// Returns the files of the written index; none before it is whole.
    fn written(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.state.path()).into_iter().flatten();
        let folders: Vec<PathBuf> = folders.map(|entry| entry.expect("an entry").path()).collect();
        let [folder] = folders.as_slice() else {
            return Vec::new();
        };
        if !folder.join("segments").exists() {
            return Vec::new();
        }
        let files = fs::read_dir(folder).expect("readable").map(|entry| entry.expect("an entry").path());
        files.filter(|path| !path.ends_with("lock")).collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    fn search(&self, word: &str, indexes: Option<&Arc<CodeIndexes>>) -> SearchMatches {
        let query = TextQuery::new(&TextQueryOptions::new(word)).expect("valid");
        let scope = SearchScope::new(&self.project, &ScopeOptions::default(), MOST).expect("valid");
        let scope = match indexes {
            Some(indexes) => scope.with_index(indexes),
            None => scope,
        };
        let targets =
            SearchTargets { roots: vec![self.project.resolve(".").expect("the root")], ..SearchTargets::default() };
        search(&query, &targets, &scope, RowDemand::Rows { keep: usize::MAX }, &CancellationToken::new())
            .expect("not cancelled")
    }
}

impl Opened<'_> {
    /// Searches, compares with a scan, and returns the number of files that were not opened.
    fn unopened(&self, word: &str) -> u64 {
        let [found, scanned] = [Some(&self.indexes), None].map(|indexes| self.kept.search(word, indexes));
        assert_eq!(shown(&found), shown(&scanned), "{word}");
        found.unopened_files
    }

    /// Searches until every file is in the index.
    fn read_all(&self) {
        wait_until(|| self.unopened("no such text") == FILES as u64);
    }
}

fn wait_until(is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !is_so() {
        assert!(Instant::now() < end, "it never came");
        thread::park_timeout(Duration::from_millis(5));
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("readable").map(|entry| entry.expect("an entry")) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("copied");
        }
    }
}

#[test]
fn the_next_process_opens_only_files_that_may_match() {
    let kept = Kept::new();
    kept.write();
    let next = kept.open();
    assert_eq!(next.unopened("word07"), FILES as u64 - 1);
    assert_eq!(next.unopened("no such text"), FILES as u64);
}

/// As after a checkout: when the index is first written, every later change of the files might keep their times.
#[test]
fn an_index_of_new_files_is_written_again_once_they_are_older() {
    let kept = Kept::new();
    for n in 0..FILES {
        let path = kept.path(&format!("f{}/{n}.txt", n % 4));
        fs::write(path, format!("word{n:02}\n")).expect("written");
    }
    let first = kept.open();
    first.read_all();
    wait_until(|| {
        thread::park_timeout(Duration::from_millis(200));
        first.unopened("no such text");
        kept.open().unopened("no such text") == FILES as u64
    });
}

#[test]
fn every_change_between_two_processes_is_seen() {
    let kept = Kept::new();
    kept.write();
    let path = |name: &str| kept.path(name);
    let rewritten = path("f0/0.txt");
    let before = rewritten.metadata().expect("there").modified().expect("times");
    fs::write(&rewritten, "late00\n").expect("written");
    let times = FileTimes::new().set_modified(before);
    File::options().write(true).open(&rewritten).expect("a file").set_times(times).expect("set");
    fs::remove_file(path("f1/1.txt")).expect("removed");
    fs::rename(path("f2/2.txt"), path("f2/6.txt")).expect("replaced");
    fs::rename(path("f3"), path("g3")).expect("moved");
    fs::hard_link(path("f0/4.txt"), path("again.txt")).expect("linked");
    fs::write(path("again.txt"), "late04\n").expect("written under another name");
    fs::write(path("f1/new.txt"), "late99\n").expect("written");
    fs::remove_file(path("f0/8.txt")).expect("removed");
    symlink("12.txt", path("f0/8.txt")).expect("linked");
    let next = kept.open();
    for word in ["late", "word", "word06", "word02", "word03", "late04", "word08", "word1", "no such text"] {
        next.unopened(word);
    }
    assert!(next.unopened("no such text") > 20, "the others are known");
}

/// Rewrites the bytes of a file.
fn rewrite(file: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(file).expect("readable");
    change(&mut bytes);
    fs::write(file, bytes).expect("written");
}

/// Puts something else in the place of a file.
fn replace_by(file: &Path, make: impl FnOnce(&Path)) {
    fs::remove_file(file).expect("removed");
    make(file);
}

const DAMAGES: [(&str, Damage); 11] = [
    ("empty", |file| rewrite(file, Vec::clear)),
    ("cut", |file| rewrite(file, |bytes| bytes.truncate(bytes.len() / 2))),
    ("longer", |file| rewrite(file, |bytes| bytes.push(0))),
    ("first", |file| rewrite(file, |bytes| bytes[0] ^= 1)),
    ("middle", |file| {
        rewrite(file, |bytes| {
            let at = bytes.len() / 2;
            bytes[at] ^= 0x10;
        });
    }),
    ("last", |file| {
        rewrite(file, |bytes| *bytes.last_mut().expect("not empty") ^= 0x80);
    }),
    ("gone", |file| replace_by(file, |_| {})),
    ("folder", |file| {
        replace_by(file, |file| fs::create_dir(file).expect("made"));
    }),
    ("pipe", |file| {
        replace_by(file, |file| {
            mknodat(CWD, file, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
        });
    }),
    ("zeros", |file| {
        replace_by(file, |file| symlink("/dev/zero", file).expect("linked"));
    }),
    ("huge", |file| {
        let file = File::options().write(true).open(file).expect("a file");
        file.set_len(20 << 30).expect("a sparse file");
    }),
];

#[test]
fn a_damaged_index_is_not_loaded() {
    let kept = Kept::new();
    kept.write();
    let files = kept.written();
    assert!(files.len() >= 2, "{files:?}");
    for file in &files {
        for (what, damage) in DAMAGES {
            let state = tempfile::tempdir().expect("a folder");
            copy(kept.state.path(), state.path());
            damage(&state.path().join(file.strip_prefix(kept.state.path()).expect("inside")));
            let next = kept.open_in(state.path(), 1 << 30);
            assert_eq!(next.unopened("word07"), 0, "{what} {}", file.display());
            // It is made anew.
            next.read_all();
        }
    }
}

/// Otherwise fumi would write into the project.
#[test]
fn a_link_in_place_of_the_folder_is_not_followed() {
    let kept = Kept::new();
    kept.write();
    let folder = kept.written()[0].parent().expect("a folder").to_path_buf();
    let moved = kept.files.path().with_extension("moved");
    fs::rename(&folder, &moved).expect("moved");
    symlink(&moved, &folder).expect("linked");
    let before = fs::read_dir(&moved).expect("readable").count();
    let next = kept.open();
    assert_eq!(next.unopened("word07"), 0);
    next.read_all();
    assert_eq!(fs::read_dir(&moved).expect("readable").count(), before);
    fs::remove_dir_all(&moved).expect("removed");
}

#[test]
fn one_process_writes_and_others_are_right() {
    let kept = Kept::new();
    kept.write();
    let [first, second] = [kept.open(), kept.open()];
    let before: Vec<_> = kept.written().iter().map(|path| fs::read(path).expect("readable")).collect();
    let lock = kept.written()[0].with_file_name("lock");
    let held = File::open(lock).expect("a lock");
    held.lock().expect("locked");
    for n in 0..10 {
        fs::write(kept.path(&format!("f0/{}.txt", n * 4)), "late\n").expect("written");
    }
    for opened in [&first, &second] {
        assert!(opened.unopened("late") > 20);
        opened.read_all();
    }
    let after: Vec<_> = kept.written().iter().map(|path| fs::read(path).expect("readable")).collect();
    assert_eq!(before, after);
}

#[test]
fn without_a_usable_folder_the_index_stays_in_memory() {
    let kept = Kept::new();
    let file = kept.state.path().join("file");
    fs::write(&file, "").expect("written");
    for (folder, most_bytes) in [(file, 1 << 30), (kept.state.path().join("small"), 1_000)] {
        let opened = kept.open_in(&folder, most_bytes);
        opened.read_all();
        assert_eq!(opened.unopened("word07"), FILES as u64 - 1);
        drop(opened);
        assert_eq!(kept.open_in(&folder, most_bytes).unopened("word07"), 0, "{}", folder.display());
    }
}

#[test]
fn the_index_that_was_written_first_makes_room() {
    let [first, second] = [Kept::new(), Kept::new()];
    first.write();
    let old = first.written()[0].parent().expect("a folder").to_path_buf();
    let size = first.open().indexes.open_index(&first.project).expect("it is on").size();
    let opened = second.open_in(first.state.path(), size.bytes as u64 * 3 / 2);
    opened.read_all();
    wait_until(|| !first.written().is_empty() && !old.exists());
    drop(opened);
    let next = second.open_in(first.state.path(), 1 << 30);
    assert_eq!(next.unopened("word07"), FILES as u64 - 1);
}
