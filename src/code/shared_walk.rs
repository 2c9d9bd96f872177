//! Walks folders on several threads: a thread that has nothing to do takes a folder, or an entry, that another has found.
//!
//! Each folder is walked by `ignore`'s serial walk, which knows the ignore rules. Its parallel walk is not used: it panics where the
//! system gives it no thread, and its other threads then wait for ever.

use std::{
    collections::VecDeque,
    ops::ControlFlow,
    path::PathBuf,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

use ignore::{DirEntry, WalkBuilder};

use crate::{walk::lock, walkers};

/// How many items are on offer at most. A thread that visits a large file finds none for the others in the meantime, and they visit
/// these.
const MOST_ITEMS: usize = 128;

/// What a walk gives to its visitors.
pub(crate) type Visited = Result<DirEntry, ignore::Error>;

/// Folders to walk, and how threads share them.
#[derive(Debug)]
pub(crate) struct SharedWalk<'a> {
    /// How each folder is walked. It names no folders.
    pub rules: &'a WalkBuilder,
    /// Where the walk begins.
    pub roots: &'a [PathBuf],
    /// How far below a root entries are visited; `None` is without limit.
    pub max_depth: Option<usize>,
    /// True if folders below a root may be walked apart from it. Where links are followed they may not: loops are found by the way
    /// that led to a folder.
    pub shares_folders: bool,
    /// True if a visit takes longer than handing an entry to another thread (some microseconds).
    pub shares_entries: bool,
}

impl SharedWalk<'_> {
    /// Visits every entry once, on at most `threads` threads, each with its own visitor. A visitor that breaks ends the walk, once
    /// the others have broken too. Where the system gives no more threads, those that there are do the work.
    pub(crate) fn visit<V>(&self, threads: usize, visitors: impl Fn() -> V)
    where
        V: FnMut(Visited) -> ControlFlow<()> + Send,
    {
        let shared = &Arc::new(Shared::new(self.roots));
        thread::scope(|scope| {
            for _ in 1..threads {
                let visitor = visitors();
                if !walkers::start(scope, move || self.work(shared, visitor)) {
                    break;
                }
            }
            self.work(shared, visitors());
        });
    }

    /// Visits what is to do until nothing is left.
    fn work(&self, shared: &Arc<Shared>, mut visitor: impl FnMut(Visited) -> ControlFlow<()>) {
        while let Some((item, _turn)) = shared.take() {
            let result = match item {
                Item::Entry(entry) => visitor(entry),
                Item::Folder(folder) => self.walk(&folder, shared).try_for_each(|entry| {
                    let is_file = |entry: &DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
                    if self.shares_entries && shared.has_room() && entry.as_ref().is_ok_and(is_file) {
                        shared.add(Item::Entry(entry));
                        return ControlFlow::Continue(());
                    }
                    visitor(entry)
                }),
            };
            if result.is_break() {
                shared.stop();
            }
        }
    }

    /// The entries of one folder, but for the folders that other threads take over.
    fn walk(&self, folder: &Folder, shared: &Arc<Shared>) -> impl Iterator<Item = Visited> + use<> {
        let mut rules = self.rules.clone();
        rules.add(&folder.path);
        rules.max_depth(self.max_depth.map(|most| most.saturating_sub(folder.depth)));
        if self.shares_folders {
            let (shared, above) = (Arc::clone(shared), folder.depth);
            rules.filter_entry(move |entry| {
                let taken = shared.lacks_work() && entry.file_type().is_some_and(|kind| kind.is_dir());
                if taken {
                    shared.add(Item::Folder(Folder {
                        path: entry.path().to_path_buf(),
                        depth: above + entry.depth(),
                    }));
                }
                !taken
            });
        }
        // The faults of ignore files above a part were met by the walk that reached it.
        let is_part = folder.depth > 0;
        rules
            .build()
            .skip_while(move |entry| is_part && entry.as_ref().is_err_and(|error| error.io_error().is_none()))
    }
}

/// A folder to walk.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    /// How far it lies below a root.
    depth: usize,
}

/// What a thread can do for another.
#[derive(Debug)]
enum Item {
    Folder(Folder),
    Entry(Visited),
}

/// What the threads of one walk have in common.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// How many threads wait for an item.
    waiting: AtomicUsize,
    /// How many items wait for a thread.
    offered: AtomicUsize,
}

#[derive(Debug)]
struct State {
    items: VecDeque<Item>,
    /// How many threads are at an item, and may add others.
    working: usize,
}

impl Shared {
    fn new(roots: &[PathBuf]) -> Self {
        let folder = |path: &PathBuf| {
            Item::Folder(Folder {
                path: path.clone(),
                depth: 0,
            })
        };
        Self {
            state: Mutex::new(State {
                items: roots.iter().map(folder).collect(),
                working: 0,
            }),
            changed: Condvar::new(),
            waiting: AtomicUsize::new(0),
            offered: AtomicUsize::new(0),
        }
    }

    /// True if more threads wait than there are items.
    fn lacks_work(&self) -> bool {
        self.waiting.load(Relaxed) > self.offered.load(Relaxed)
    }

    /// True if another entry may be on offer.
    fn has_room(&self) -> bool {
        self.offered.load(Relaxed) < MOST_ITEMS
    }

    fn add(&self, item: Item) {
        let mut state = lock(&self.state);
        state.items.push_back(item);
        self.offered.store(state.items.len(), Relaxed);
        drop(state);
        if self.waiting.load(Relaxed) > 0 {
            self.changed.notify_one();
        }
    }

    /// The next item, once there is one; `None` when no thread can add another.
    fn take(&self) -> Option<(Item, Turn<'_>)> {
        let mut state = lock(&self.state);
        if state.items.is_empty() && state.working > 0 {
            self.waiting.fetch_add(1, Relaxed);
            state = self
                .changed
                .wait_while(state, |state| state.items.is_empty() && state.working > 0)
                .unwrap_or_else(PoisonError::into_inner);
            self.waiting.fetch_sub(1, Relaxed);
        }
        let item = state.items.pop_front()?;
        state.working += 1;
        self.offered.store(state.items.len(), Relaxed);
        drop(state);
        Some((item, Turn(self)))
    }

    /// Drops what is not begun.
    fn stop(&self) {
        lock(&self.state).items.clear();
    }
}

/// The time that a thread is at an item. Ended by a drop, so that a panic of one thread does not make the others wait for ever.
struct Turn<'a>(&'a Shared);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.working -= 1;
        let is_done = state.working == 0 && state.items.is_empty();
        drop(state);
        if is_done {
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::HashMap,
        fs,
        ops::ControlFlow,
        panic::{AssertUnwindSafe, catch_unwind},
        path::PathBuf,
        sync::{Condvar, Mutex, PoisonError},
        time::Duration,
    };

    use ignore::WalkBuilder;

    use super::{SharedWalk, Visited};

    /// A repository with these files; what follows `=` is in them.
    fn repository(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir(root.path().join(".git")).expect("a folder");
        for file in files {
            let (name, content) = file.split_once('=').unwrap_or((file, ""));
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, content).expect("a file");
        }
        root
    }

    fn visit<V>(roots: &[PathBuf], max_depth: Option<usize>, threads: usize, visitors: impl Fn() -> V)
    where
        V: FnMut(Visited) -> ControlFlow<()> + Send,
    {
        SharedWalk {
            rules: &WalkBuilder::empty(),
            roots,
            max_depth,
            shares_folders: true,
            shares_entries: true,
        }
        .visit(threads, visitors);
    }

    /// Waits until so many visitors wait here; false after ten seconds.
    #[derive(Default)]
    struct Meeting(Mutex<usize>, Condvar);

    impl Meeting {
        fn of(&self, visitors: usize) -> bool {
            let mut met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *met += 1;
            self.1.notify_all();
            let (_met, wait) = self
                .1
                .wait_timeout_while(met, Duration::from_secs(10), |met| *met < visitors)
                .unwrap_or_else(PoisonError::into_inner);
            !wait.timed_out()
        }
    }

    #[test]
    fn any_number_of_threads_visits_what_a_serial_walk_visits() {
        let mut files = vec![
            ".gitignore=*.log\n/build\n!kept.log".to_owned(),
            "build/a.rs".to_owned(),
        ];
        for at in 0..400 {
            let folder = format!("{}/{}/{}", at % 3, at % 7, at % 29);
            files.extend(["a.rs", "b.log", "kept.log", "build/c.rs", ".hidden"].map(|name| format!("{folder}/{name}")));
            if at % 5 == 0 {
                files.push(format!("{folder}/.gitignore=!b.log\na.*\n[broken"));
            }
        }
        let root = repository(&files.iter().map(String::as_str).collect::<Vec<_>>());
        for max_depth in [None, Some(0), Some(1), Some(2), Some(3), Some(4)] {
            let mut serial: Vec<PathBuf> = WalkBuilder::new(root.path())
                .max_depth(max_depth)
                .build()
                .map(|entry| entry.expect("an entry").into_path())
                .collect();
            serial.sort();
            for threads in 1..9 {
                let met = Mutex::new(Vec::new());
                visit(&[root.path().to_path_buf()], max_depth, threads, || {
                    |entry: Visited| {
                        let path = entry.expect("an entry").into_path();
                        met.lock().expect("a lock").push(path);
                        ControlFlow::Continue(())
                    }
                });
                let mut met = met.into_inner().expect("a lock");
                met.sort();
                assert_eq!(met, serial, "{threads} threads, depth {max_depth:?}");
            }
        }
    }

    #[test]
    fn two_files_of_one_folder_are_visited_at_once() {
        let root = repository(&["a", "b"]);
        let meeting = Meeting::default();
        let met = Mutex::new(HashMap::new());
        visit(&[root.path().to_path_buf()], None, 2, || {
            |entry: Visited| {
                let entry = entry.expect("an entry");
                if entry.file_type().is_some_and(|kind| kind.is_file()) {
                    let others = meeting.of(2);
                    met.lock().expect("a lock").insert(entry.into_path(), others);
                }
                ControlFlow::Continue(())
            }
        });
        let met = met.into_inner().expect("a lock");
        assert_eq!(met.len(), 2);
        assert!(met.values().all(|others| *others), "{met:?}");
    }

    #[test]
    fn a_visitor_that_panics_ends_the_walk_with_its_panic() {
        let root = repository(&["a/a", "a/b", "b/a", "b/b"]);
        let result = catch_unwind(AssertUnwindSafe(|| {
            visit(&[root.path().to_path_buf()], None, 4, || {
                |entry: Visited| {
                    let is_root = entry.is_ok_and(|entry| entry.depth() == 0);
                    assert!(is_root, "as the test wants");
                    ControlFlow::Continue(())
                }
            });
        }));
        assert!(result.is_err());
    }
}
