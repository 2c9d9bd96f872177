//! Freshness of cached answers: a [`RootStamp`] of everything under a root that an answer can depend on.
//!
//! Invariant: two equal stamps mean that nothing under the root changed between them. On Linux the kernel queues an
//! inotify event before `write` returns; [`Freshness::stamp`] drains that queue itself, inside the call, so there is no
//! thread whose delay could serve a stale answer. Where watching is impossible, or would miss changes by other machines
//! ([`crate::mounts`]), the stamp is a hash over the whole tree. A root that another folder replaced has another stamp;
//! as long as its path names no folder, each stamp differs from all others. Listeners and logs use the same queue
//! ([`Freshness::subscribe`], [`Freshness::log_changes`]). Changes that the kernel does not report go unnoticed here too:
//! writes through a shared memory map after its file was closed, and writes through another hard link outside the root or
//! through one that was removed since. While a folder can be entered but not listed, and so not watched, each stamp
//! differs from all others.
//! The contents of `.fumi/`, `.noveler/` and `.git/` do not count: an answer that depends on them, or on the target of a
//! link, is not cached ([`crate::project::Project::unstamped`]).

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use parking_lot::{Mutex, RwLock};

use crate::{
    change_log::ChangeLog,
    changes::{ChangeSubscription, Interest},
    root_watcher::RootWatcher,
};

/// The time to wait for a lock that is usually held for microseconds.
const BRIEF: Duration = Duration::from_micros(200);

/// A value that identifies the state of everything that an answer over one root can depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RootStamp {
    /// The generation of a watched tree, or the hash of a tree that cannot be watched.
    pub(crate) tree: u64,
    /// The hash of the ignore rules outside the root.
    pub(crate) outside: u64,
}

impl std::fmt::Display for RootStamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:x}.{:x}", self.tree, self.outside)
    }
}

/// The maximum number of roots watched at once. Each uses an inotify instance; a user has 128 by default, for all
/// programs together.
const ROOTS: usize = 32;

/// The watched roots of this process.
#[derive(Debug, Default)]
pub struct Freshness {
    /// Locked in short sections that never await.
    roots: RwLock<HashMap<PathBuf, WatchedRoot>>,
    /// The number of accesses so far, used to find the least recently used root.
    looks: AtomicU64,
}

/// A watched root and its last access.
#[derive(Debug)]
struct WatchedRoot {
    /// The watcher, created at the first use, outside the lock of all roots.
    tree: Arc<OnceLock<Arc<Mutex<RootWatcher>>>>,
    used: AtomicU64,
}

impl Freshness {
    /// Returns the stamp of a canonical root, now. Blocking: the first call for a root walks its folders.
    pub fn stamp(&self, root: &Path) -> RootStamp {
        self.tree(root).lock().stamp()
    }

    /// Returns the stamp if that takes only microseconds: the root is watched and nothing in it changed since the last
    /// access. Returns `None` if this cheap check is inconclusive; call [`Freshness::stamp`] then.
    pub fn try_stamp(&self, root: &Path) -> Option<RootStamp> {
        let tree = self.known(&*self.roots.try_read()?, root)?;
        tree.get()?.try_lock_for(BRIEF)?.try_stamp()
    }

    /// True if answers over this root may depend on ignore rules that no stamp covers, as of the last stamp: ignore files
    /// that are links, or worktrees and submodules beyond 64.
    pub fn has_unstamped_rules(&self, root: &Path) -> bool {
        let tree = self.tree(root);
        let tree = tree.lock();
        tree.has_unstamped_rules()
    }

    /// Subscribes to changes under a canonical root from now on. Blocking as [`Freshness::stamp`] is. Must be called
    /// within a runtime that can wait for the kernel.
    pub fn subscribe(&self, root: &Path, interest: Interest) -> ChangeSubscription {
        ChangeSubscription::begin(self.tree(root), interest)
    }

    /// Logs the paths that change under a canonical root from now on. The root stays watched as long as the log exists.
    /// Blocking as [`Freshness::stamp`] is.
    pub fn log_changes(&self, root: &Path) -> ChangeLog {
        ChangeLog::begin(self.tree(root))
    }

    fn tree(&self, root: &Path) -> Arc<Mutex<RootWatcher>> {
        let known = self.known(&self.roots.read(), root);
        let tree = known.unwrap_or_else(|| self.add(root));
        Arc::clone(tree.get_or_init(|| Arc::new(Mutex::new(RootWatcher::new(root)))))
    }

    fn add(&self, root: &Path) -> Arc<OnceLock<Arc<Mutex<RootWatcher>>>> {
        let mut roots = self.roots.write();
        if let Some(tree) = self.known(&roots, root) {
            return tree;
        }
        if roots.len() >= ROOTS {
            // A root with listeners or logs stays.
            let idle = roots.iter().filter(|(_, root)| {
                let is_listened_to = root.tree.get().is_some_and(|tree| Arc::strong_count(tree) > 1);
                Arc::strong_count(&root.tree) == 1 && !is_listened_to
            });
            let oldest = idle.min_by_key(|(_, root)| root.used.load(Ordering::Relaxed));
            if let Some(path) = oldest.map(|(path, _)| path.clone()) {
                roots.remove(&path);
            }
        }
        let tree = Arc::default();
        let known =
            WatchedRoot { tree: Arc::clone(&tree), used: AtomicU64::new(self.looks.fetch_add(1, Ordering::Relaxed)) };
        roots.insert(root.to_path_buf(), known);
        tree
    }

    fn known(
        &self,
        roots: &HashMap<PathBuf, WatchedRoot>,
        root: &Path,
    ) -> Option<Arc<OnceLock<Arc<Mutex<RootWatcher>>>>> {
        let known = roots.get(root)?;
        known.used.store(self.looks.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Some(Arc::clone(&known.tree))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::symlink,
        path::{Path, PathBuf},
    };

    use rustix::fs::{CWD, RenameFlags, renameat_with};

    use super::Freshness;
    use crate::{outside_rules::OutsideRules, root_watcher::stamp_tree};

    type Change = Box<dyn Fn()>;

    /// Returns every kind of change, by name, so that a failure shows which one was missed.
    fn changes(root: &Path) -> Vec<(&'static str, Change)> {
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
    fn uncounted_folders_and_reads_keep_stamp() {
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

    /// Replaces the folder that the root's path names, given the outer folder, which contains `above/root`.
    type Replacement = fn(&Path);

    /// Every way to replace the root, by name, so that a failure shows which one was missed.
    const REPLACEMENTS: [(&str, Replacement); 7] = [
        ("moved away and made again", |outer| {
            fs::rename(outer.join("above/root"), outer.join("old")).expect("renamed");
            fs::create_dir(outer.join("above/root")).expect("made");
        }),
        ("moved away and another one moved in", |outer| {
            fs::rename(outer.join("above/root"), outer.join("old")).expect("renamed");
            fs::rename(outer.join("other/root"), outer.join("above/root")).expect("renamed");
        }),
        ("exchanged", |outer| {
            let (root, other) = (outer.join("above/root"), outer.join("other/root"));
            renameat_with(CWD, root, CWD, other, RenameFlags::EXCHANGE).expect("exchanged");
        }),
        ("a folder above moved away and made again", |outer| {
            fs::rename(outer.join("above"), outer.join("old")).expect("renamed");
            fs::create_dir_all(outer.join("above/root")).expect("made");
        }),
        ("a folder above exchanged", |outer| {
            let (above, other) = (outer.join("above"), outer.join("other"));
            renameat_with(CWD, above, CWD, other, RenameFlags::EXCHANGE).expect("exchanged");
        }),
        ("deleted and made again", |outer| {
            fs::remove_dir_all(outer.join("above/root")).expect("removed");
            fs::create_dir(outer.join("above/root")).expect("made");
        }),
        ("deleted while it is open, and made again", |outer| {
            // The kernel reports the end of a folder only when its last handle is closed.
            std::mem::forget(fs::File::open(outer.join("above/root")).expect("opened"));
            fs::remove_dir(outer.join("above/root")).expect("removed");
            fs::create_dir(outer.join("above/root")).expect("made");
        }),
    ];

    /// Creates `above/root` and `other/root`. The root is empty, so that no event of a file reveals the replacement.
    fn two_roots() -> (tempfile::TempDir, PathBuf) {
        let outer = tempfile::tempdir().expect("a folder");
        let real = outer.path().canonicalize().expect("there");
        fs::create_dir_all(real.join("above/root")).expect("made");
        fs::create_dir_all(real.join("other/root/d")).expect("made");
        fs::write(real.join("other/root/d/a.txt"), "1").expect("written");
        (outer, real)
    }

    #[test]
    fn replaced_root_gives_another_stamp_and_is_watched_again() {
        let mut unseen = Vec::new();
        for (name, replace) in REPLACEMENTS {
            let (_outer, outer) = two_roots();
            let root = outer.join("above/root");
            let freshness = Freshness::default();
            let before = freshness.stamp(&root);
            replace(&outer);
            let quick = freshness.try_stamp(&root);
            let after = freshness.stamp(&root);
            let is_stable = freshness.try_stamp(&root) == Some(after);
            fs::write(root.join("b.txt"), "1").expect("written");
            let edited = freshness.stamp(&root);
            if quick == Some(before) || before.tree == after.tree || !is_stable || after.tree == edited.tree {
                unseen.push(format!("{name}: {before}, {quick:?}, {after}, stable {is_stable}, edited {edited}"));
            }
        }
        assert!(unseen.is_empty(), "{unseen:#?}");
    }

    #[test]
    fn root_that_is_missing_or_a_link_has_a_new_stamp_each_time() {
        let (_outer, outer) = two_roots();
        let root = outer.join("above/root");
        let freshness = Freshness::default();
        let before = freshness.stamp(&root);
        let differs = |name: &str| {
            let (first, second) = (freshness.stamp(&root), freshness.stamp(&root));
            assert!(before != first && first != second, "{name}: {first} {second}");
        };
        fs::rename(&root, outer.join("old")).expect("renamed");
        differs("missing");
        for target in ["../old", "../other/root"] {
            symlink(target, &root).expect("linked");
            differs(target);
            fs::remove_file(&root).expect("removed");
        }
        fs::rename(outer.join("old"), &root).expect("renamed");
        let back = freshness.stamp(&root);
        assert!(back != before && freshness.try_stamp(&root) == Some(back), "it is watched again");
        // A link on the way: calls do not open the root through it.
        fs::rename(outer.join("above"), outer.join("old")).expect("renamed");
        symlink("other", outer.join("above")).expect("linked");
        differs("a link above");
    }

    #[test]
    fn an_unwatched_tree_is_compared_whole() {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir(root.path().join("d")).expect("a folder");
        fs::write(root.path().join("d/a.txt"), "1").expect("a file");
        let stamp = || stamp_tree(root.path(), &mut OutsideRules::new(root.path()));
        let before = stamp();
        assert_eq!(before, stamp());
        fs::write(root.path().join("d/a.txt"), "22").expect("a file");
        assert_ne!(before, stamp());
    }
}
