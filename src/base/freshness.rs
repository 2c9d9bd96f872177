//! Whether a cached answer is still true: a [`Stamp`] of everything under a root that an answer can depend on.
//!
//! Invariant: two equal stamps mean that nothing under the root changed between them. On Linux the kernel queues an
//! inotify event before `write` returns; [`Freshness::stamp`] drains that queue itself, inside the call, so there is no
//! thread whose delay could serve a stale answer. Where watching is impossible, the stamp is a hash over the whole tree.
//! What inotify does not see is not seen here either: writes through a shared memory map, or through a hard link
//! elsewhere. `.fumi/`, `.noveler/` and the inside of `.git/` do not count: no cached answer depends on them.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// Folders beyond which a tree is not watched: one watch costs about 1 KiB of kernel memory, and the usual limit of all
/// programs together (`fs.inotify.max_user_watches`) is some 100,000.
const MAX_FOLDERS: usize = 50_000;

/// Names whose contents never bump a generation.
const UNCOUNTED: [&str; 2] = [".fumi", ".noveler"];

/// Ignore files of parent folders change what a walk finds, and lie outside the watched tree.
const PARENT_IGNORES: [&str; 5] = [".gitignore", ".ignore", ".rgignore", ".fdignore", ".git/info/exclude"];

/// Everything that an answer over one root can depend on, in one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// How often the watched tree changed, or the hash of an unwatchable one.
    tree: u64,
    /// The ignore files above the root and the user's global ones.
    above: u64,
}

impl std::fmt::Display for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:x}.{:x}", self.tree, self.above)
    }
}

/// The watched roots of this process.
#[derive(Debug, Default)]
pub struct Freshness {
    /// Std mutexes: the sections are short and never await.
    roots: Mutex<HashMap<PathBuf, Arc<Mutex<Tree>>>>,
}

impl Freshness {
    /// The stamp of a canonical root, now. Blocking: the first call for a root walks its folders.
    #[must_use]
    pub fn stamp(&self, root: &Path) -> Stamp {
        let tree = {
            let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(
                roots
                    .entry(root.to_path_buf())
                    .or_insert_with(|| Arc::new(Mutex::new(Tree::new(root)))),
            )
        };
        let tree = tree.lock().unwrap_or_else(PoisonError::into_inner).stamp();
        Stamp {
            tree,
            above: stamp_above(root),
        }
    }
}

/// A hash over the ignore files that apply from outside: of the parents, of the home folder, of git's configuration.
fn stamp_above(root: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut stamp_of = |path: &Path| {
        if let Ok(meta) = path.metadata() {
            path.hash(&mut hasher);
            stamp_file(&meta, &mut hasher);
        }
    };
    for parent in root.ancestors().skip(1) {
        for name in PARENT_IGNORES {
            stamp_of(&parent.join(name));
        }
    }
    if let Some(home) = std::env::home_dir() {
        for name in [".gitconfig", ".config/git/config", ".config/git/ignore"] {
            stamp_of(&home.join(name));
        }
    }
    if let Some(file) = ignore_file_of_git() {
        stamp_of(&file);
    }
    hasher.finish()
}

/// `core.excludesFile` may name any file; the walker asks the same place.
fn ignore_file_of_git() -> Option<PathBuf> {
    std::env::var_os("XDG_CONFIG_HOME").map(|base| PathBuf::from(base).join("git/ignore"))
}

fn stamp_file(meta: &std::fs::Metadata, hasher: &mut DefaultHasher) {
    meta.len().hash(hasher);
    meta.modified().ok().hash(hasher);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (meta.ino(), meta.ctime(), meta.ctime_nsec()).hash(hasher);
    }
}

/// Visits every folder of a tree that counts, parents first. Stops and says `false` after `limit` folders.
fn folders(root: &Path, limit: usize, mut visit: impl FnMut(&Path)) -> bool {
    let mut left = vec![root.to_path_buf()];
    let mut seen = 0;
    while let Some(folder) = left.pop() {
        seen += 1;
        if seen > limit {
            return false;
        }
        visit(&folder);
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        let inside_git = folder.file_name().is_some_and(|name| name == ".git");
        for entry in entries.filter_map(Result::ok) {
            let name = entry.file_name();
            let counts = if inside_git {
                name == "info"
            } else {
                !UNCOUNTED.iter().any(|uncounted| name == *uncounted)
            };
            if counts && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                left.push(entry.path());
            }
        }
    }
    true
}

/// The hash of a tree that cannot be watched: every name, size, time and inode.
fn stamp_tree(root: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    folders(root, usize::MAX, |folder| {
        folder.hash(&mut hasher);
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut files: Vec<_> = entries.filter_map(Result::ok).collect();
        files.sort_by_key(std::fs::DirEntry::file_name);
        for file in files {
            let name = file.file_name();
            if UNCOUNTED.iter().any(|uncounted| name == *uncounted) {
                continue;
            }
            name.hash(&mut hasher);
            if let Ok(meta) = file.metadata() {
                stamp_file(&meta, &mut hasher);
            }
        }
    });
    hasher.finish()
}

#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
struct Tree {
    root: PathBuf,
}

#[cfg(not(target_os = "linux"))]
impl Tree {
    fn new(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
        }
    }
    fn stamp(&mut self) -> u64 {
        stamp_tree(&self.root)
    }
}

#[cfg(target_os = "linux")]
use linux::Tree;

#[cfg(target_os = "linux")]
mod linux {
    //! One inotify instance per root, read by whoever asks for the stamp.

    use std::{
        collections::HashMap,
        io,
        path::{Path, PathBuf},
    };

    use inotify::{EventMask, Inotify, WatchDescriptor, WatchMask};

    use super::{MAX_FOLDERS, UNCOUNTED, folders, stamp_tree};

    #[derive(Debug)]
    pub(super) struct Tree {
        root: PathBuf,
        /// `None` where watching is impossible.
        watch: Option<Watch>,
        generation: u64,
    }

    #[derive(Debug)]
    struct Watch {
        inotify: Inotify,
        folders: HashMap<WatchDescriptor, PathBuf>,
    }

    /// Everything that changes an answer, and nothing that reading causes.
    fn mask() -> WatchMask {
        WatchMask::MODIFY
            | WatchMask::ATTRIB
            | WatchMask::CREATE
            | WatchMask::DELETE
            | WatchMask::MOVED_FROM
            | WatchMask::MOVED_TO
            | WatchMask::ONLYDIR
            | WatchMask::DONT_FOLLOW
            | WatchMask::EXCL_UNLINK
    }

    impl Watch {
        fn new(root: &Path) -> Option<Self> {
            let mut watch = Self {
                inotify: Inotify::init().ok()?,
                folders: HashMap::new(),
            };
            watch.add(root).then_some(watch)
        }

        /// Watches a folder and all below it. A folder is watched before it is listed, so nothing appears unseen.
        fn add(&mut self, top: &Path) -> bool {
            let mut complete = true;
            let Self {
                inotify,
                folders: known,
            } = self;
            let room = MAX_FOLDERS.saturating_sub(known.len());
            complete &= folders(top, room, |folder| {
                match inotify.watches().add(folder, mask()) {
                    Ok(descriptor) => {
                        known.insert(descriptor, folder.to_path_buf());
                    }
                    // It vanished, or may not be read: then no answer depends on what is in it.
                    Err(error)
                        if matches!(
                            error.kind(),
                            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory
                        ) => {}
                    Err(_) => complete = false,
                }
            });
            complete
        }
    }

    impl Tree {
        pub(super) fn new(root: &Path) -> Self {
            let watch = Watch::new(root);
            if watch.is_none() {
                tracing::warn!("the project cannot be watched; cached answers are checked by file stamps");
            }
            Self {
                root: root.to_path_buf(),
                watch,
                generation: 0,
            }
        }

        pub(super) fn stamp(&mut self) -> u64 {
            if self.watch.is_none() {
                return stamp_tree(&self.root);
            }
            if !self.drain() {
                // The queue overflowed, the root went away or the limit was reached: begin again.
                self.generation += 1;
                self.watch = Watch::new(&self.root);
            }
            self.generation
        }

        /// Reads what the kernel queued. `false` when the watch can no longer be trusted.
        fn drain(&mut self) -> bool {
            let Some(watch) = self.watch.as_mut() else { return true };
            let mut buffer = [0; 16 * 1024];
            loop {
                let mut appeared = Vec::new();
                match watch.inotify.read_events(&mut buffer) {
                    Ok(events) => {
                        for event in events {
                            if event.mask.intersects(EventMask::Q_OVERFLOW | EventMask::UNMOUNT) {
                                return false;
                            }
                            if event.mask.contains(EventMask::IGNORED) {
                                let gone = watch.folders.remove(&event.wd);
                                if gone.is_some_and(|folder| folder == self.root) {
                                    return false;
                                }
                                continue;
                            }
                            let name = event.name.unwrap_or_default();
                            if UNCOUNTED.iter().any(|uncounted| name == *uncounted) {
                                continue;
                            }
                            self.generation += 1;
                            if event.mask.contains(EventMask::ISDIR)
                                && event.mask.intersects(EventMask::CREATE | EventMask::MOVED_TO)
                                && let Some(parent) = watch.folders.get(&event.wd)
                            {
                                appeared.push(parent.join(name));
                            }
                        }
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => return false,
                }
                for folder in appeared {
                    if !watch.add(&folder) {
                        return false;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::{Freshness, stamp_tree};

    /// Every kind of change, by name, so that a failure says which one went unseen.
    fn changes(root: &Path) -> Vec<(&'static str, Box<dyn Fn()>)> {
        let at = |name: &str| root.join(name);
        let (a, b, deep, moved) = (at("a.txt"), at("b.txt"), at("d/e"), at("m"));
        vec![
            (
                "edit",
                Box::new({
                    let a = a.clone();
                    move || fs::write(&a, "2").expect("written")
                }),
            ),
            (
                "same size, same content",
                Box::new({
                    let a = a.clone();
                    move || fs::write(&a, "2").expect("written")
                }),
            ),
            (
                "create",
                Box::new({
                    let b = b.clone();
                    move || fs::write(&b, "1").expect("written")
                }),
            ),
            (
                "rename",
                Box::new({
                    let (a, b) = (a.clone(), b.clone());
                    move || fs::rename(&b, &a).expect("renamed")
                }),
            ),
            (
                "folders",
                Box::new({
                    let deep = deep.clone();
                    move || fs::create_dir_all(&deep).expect("made")
                }),
            ),
            (
                "file in a new folder",
                Box::new({
                    let deep = deep.clone();
                    move || fs::write(deep.join("f"), "1").expect("written")
                }),
            ),
            (
                "folder moved",
                Box::new({
                    let moved = moved.clone();
                    let d = at("d");
                    move || fs::rename(&d, &moved).expect("renamed")
                }),
            ),
            (
                "file in a moved folder",
                Box::new({
                    let moved = moved.clone();
                    move || fs::write(moved.join("e/f"), "2").expect("written")
                }),
            ),
            (
                "folder in a moved folder",
                Box::new({
                    let moved = moved.clone();
                    move || fs::create_dir(moved.join("e/g")).expect("made")
                }),
            ),
            (
                "file in that",
                Box::new({
                    let moved = moved.clone();
                    move || fs::write(moved.join("e/g/h"), "1").expect("written")
                }),
            ),
            ("delete", Box::new(move || fs::remove_dir_all(&moved).expect("removed"))),
            (
                "ignore file above",
                Box::new({
                    let above = root.parent().expect("a parent").join(".ignore");
                    move || fs::write(&above, "a.txt").expect("written")
                }),
            ),
        ]
    }

    #[test]
    fn every_change_gives_another_stamp_and_no_change_gives_the_same() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("project");
        fs::create_dir(&root).expect("a folder");
        fs::write(root.join("a.txt"), "1").expect("a file");
        let freshness = Freshness::default();
        let mut before = freshness.stamp(&root);
        for (name, change) in changes(&root) {
            change();
            let after = freshness.stamp(&root);
            assert_ne!(before, after, "{name} went unseen");
            assert_eq!(after, freshness.stamp(&root), "{name}: nothing happened since");
            before = after;
        }
    }

    #[test]
    fn our_own_folders_and_reading_do_not_count() {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir(root.path().join(".fumi")).expect("a folder");
        fs::write(root.path().join("a.txt"), "1").expect("a file");
        let freshness = Freshness::default();
        let before = freshness.stamp(root.path());
        fs::create_dir(root.path().join(".fumi/output")).expect("a folder");
        fs::write(root.path().join(".fumi/output/x"), "1").expect("a file");
        fs::read(root.path().join("a.txt")).expect("read");
        assert_eq!(before, freshness.stamp(root.path()));
    }

    #[test]
    fn an_unwatched_tree_is_compared_whole() {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir(root.path().join("d")).expect("a folder");
        fs::write(root.path().join("d/a.txt"), "1").expect("a file");
        let before = stamp_tree(root.path());
        assert_eq!(before, stamp_tree(root.path()));
        fs::write(root.path().join("d/a.txt"), "22").expect("a file");
        assert_ne!(before, stamp_tree(root.path()));
    }
}
