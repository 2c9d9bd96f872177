//! One watched root: its generation number, and the kernel's events for its folders.
//!
//! Invariants: each event is read exactly once, by the first reader (a call that needs the stamp or the changes, or the
//! event loop), and the generation, all listeners and all logs are updated under the same lock. The watch belongs to the
//! folder that the root's path names: when the path names another folder, or none, everything starts again. Files are
//! never opened here.

use std::{
    ffi::OsStr,
    fs::Metadata,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use crate::{
    change_log::{ChangedPaths, Changes, PathLog, PathLogs},
    changes::{EventLoop, Listeners},
    file_stamp::hash_file,
    freshness::RootStamp,
    mounts::{MountWatch, has_shared_mount},
    outside_rules::OutsideRules,
    system::{is_system_failure, unless_unreadable},
};

#[cfg(target_os = "linux")]
use linux::FolderTreeWatch;
#[cfg(not(target_os = "linux"))]
use nowhere::FolderTreeWatch;

/// The folders whose contents never change a generation and are not watched. The folders themselves count.
pub(crate) const UNCOUNTED: [&str; 2] = [".fumi", ".noveler"];

/// True if the contents of a folder of this name do not count. A part of `.git` does count, but few answers depend on
/// that part.
pub(crate) fn is_uncounted(name: &OsStr) -> bool {
    name == ".git" || UNCOUNTED.iter().any(|uncounted| name == *uncounted)
}

/// The number of watchers created by this process.
static WATCHERS: AtomicU64 = AtomicU64::new(0);

/// The time after which watching is tried again where it was impossible: a limit of the system may have been raised, or
/// the tree may have become smaller. An attempt may walk 50,000 folders.
const RETRY: Duration = Duration::from_mins(1);

/// The device and inode of a folder. A watch keeps its inode from being reused.
type FolderId = (u64, u64);

/// Returns the identity of the folder that a path names; `None` if the path names nothing, a file or a link.
fn folder_id(path: &Path) -> io::Result<Option<FolderId>> {
    let folder = unless_unreadable(path.symlink_metadata())?.filter(Metadata::is_dir);
    Ok(folder.map(|meta| (meta.dev(), meta.ino())))
}

/// Returns the identity of the folder that a canonical path names; `None` also if a link lies on the way by now, because
/// a project is not opened through a link ([`crate::project::Project::ensure_open`]).
fn real_folder_id(root: &Path) -> Option<FolderId> {
    let id = folder_id(root).ok()??;
    root.canonicalize().is_ok_and(|real| real == root).then_some(id)
}

/// Returns the identity of the root, and a watch of it where watching is possible.
fn watch_root(root: &Path, outside: &mut OutsideRules) -> (Option<FolderId>, Option<FolderTreeWatch>) {
    let Some(folder) = real_folder_id(root) else {
        return (None, None);
    };
    let watch = if has_shared_mount(root) { None } else { FolderTreeWatch::new(root, outside) };
    // If the root was replaced meanwhile, it is unknown which of the two folders is watched: the next call tries again.
    // A root that was moved away and back has queued an event.
    if real_folder_id(root) == Some(folder) { (Some(folder), watch) } else { (None, None) }
}

/// True if the entries of a folder can be reached by name, even if it cannot be listed.
fn is_enterable(folder: &Path) -> bool {
    !matches!(unless_unreadable(folder.join(".").symlink_metadata()), Ok(None))
}

fn warn_if_unwatched(root: &Path, folder: Option<FolderId>, watch: Option<&FolderTreeWatch>) {
    if folder.is_some() && watch.is_none() {
        tracing::warn!(
            is_shared = has_shared_mount(root),
            "the project cannot be watched; cached answers are checked by file stamps"
        );
    }
}

/// A root with everything known about its changes.
#[derive(Debug)]
pub(crate) struct RootWatcher {
    root: PathBuf,
    /// The folder that the root's path named when its watch began or could not begin; `None` if it named none.
    folder: Option<FolderId>,
    /// The watch of the root; `None` where watching is impossible.
    watch: Option<FolderTreeWatch>,
    /// The time of the last attempt to begin a watch.
    tried: Instant,
    /// The mounts at and below the root, as of the last attempt to begin a watch.
    mounts: MountWatch,
    generation: u64,
    /// The ignore rules that count although they lie outside the root.
    outside: OutsideRules,
    /// The listeners to notify of changes.
    pub(crate) listeners: Listeners,
    /// The logs that remember changed paths.
    pub(crate) logs: PathLogs,
    /// The event loop that reads the kernel's queue for listeners and logs; it ends with the last of them.
    pub(crate) event_loop: Weak<EventLoop>,
    /// Notified when a new watch, with another queue, replaces the old one.
    pub(crate) renewed: Arc<Notify>,
}

/// A handle that becomes readable when the kernel queues an event; `None` where that is not supported.
#[cfg(target_os = "linux")]
pub(crate) type Source = Option<Arc<tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>>>;
/// The replacement on systems without inotify, which is always `None`.
#[cfg(not(target_os = "linux"))]
pub(crate) type Source = Option<std::convert::Infallible>;

impl RootWatcher {
    pub(crate) fn new(root: &Path) -> Self {
        // Before the folders are walked, so that a mount during the walk is not missed.
        let mounts = MountWatch::new(root);
        let mut outside = OutsideRules::new(root);
        let (folder, watch) = watch_root(root, &mut outside);
        warn_if_unwatched(root, folder, watch.as_ref());
        Self {
            root: root.to_path_buf(),
            folder,
            watch,
            tried: Instant::now(),
            mounts,
            // A root that is watched again starts at a generation that no earlier watcher reached, since answers with
            // the earlier generations may still be cached.
            generation: WATCHERS.fetch_add(1, Ordering::Relaxed) << 32,
            outside,
            listeners: Listeners::default(),
            logs: PathLogs::default(),
            event_loop: Weak::new(),
            renewed: Arc::default(),
        }
    }

    /// Returns the stamp of everything that counts, now.
    pub(crate) fn stamp(&mut self) -> RootStamp {
        self.drain();
        RootStamp {
            tree: if self.is_covered() {
                self.generation
            } else if self.watch.is_some() || self.folder.is_none() {
                // A new generation each time, so that nothing is cached: some folder is not watched, or the root's path
                // names no folder while calls still use the open one.
                self.generation += 1;
                self.generation
            } else {
                self.outside.forget_entries();
                let hash = stamp_tree(&self.root, &mut self.outside);
                // Different from every other stamp, so that nothing is cached for a tree that could not be read
                // completely.
                hash.unwrap_or_else(|| {
                    self.generation += 1;
                    self.generation
                })
            },
            outside: self.outside.stamp(),
        }
    }

    /// Returns the stamp if the queue is empty and the root is the same folder; otherwise `None`, since folders may have
    /// to be walked.
    pub(crate) fn try_stamp(&mut self) -> Option<RootStamp> {
        let is_quiet = self.is_covered() && self.watch.as_mut().is_some_and(FolderTreeWatch::is_quiet);
        (is_quiet && self.is_same_folder() && !self.mounts.have_changed())
            .then(|| RootStamp { tree: self.generation, outside: self.outside.stamp() })
    }

    /// True if every change below the root is reported.
    fn is_covered(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| !watch.has_unlisted())
    }

    /// True if ignore rules that no stamp covers may count, as of the last stamp.
    pub(crate) fn has_unstamped_rules(&self) -> bool {
        self.outside.has_unstamped()
    }

    /// Returns everything that changed since a log of this root was last taken, and resets the log.
    pub(crate) fn take_changes(&mut self, log: &PathLog) -> Changes {
        self.drain();
        let logged = log.take();
        let is_watched = self.is_covered();
        Changes {
            changed: if is_watched { logged } else { ChangedPaths::Unknown },
            outside: (!self.outside.has_unstamped_repositories()).then(|| self.outside.stamp()),
            is_watched,
        }
    }

    /// Reads the events that the kernel queued, and informs all listeners and logs.
    pub(crate) fn drain(&mut self) {
        let Some(watch) = self.watch.as_mut() else {
            if real_folder_id(&self.root) != self.folder || self.tried.elapsed() >= RETRY {
                self.restart();
            }
            return;
        };
        let (before, generation) = (self.generation, &mut self.generation);
        let (listeners, logs) = (&mut self.listeners, &mut self.logs);
        let seen = |path: &Path| {
            *generation += 1;
            listeners.notify(path);
            logs.push(path);
        };
        let is_complete = watch.drain(&mut self.outside, seen);
        if before != *generation && watch.has_aliases() {
            listeners.notify_all();
            logs.forget();
        }
        if !is_complete || !self.is_same_folder() || self.mounts.have_changed() {
            self.restart();
        }
    }

    /// True if the root's path still names the folder that is watched. An event does not always report the opposite: a
    /// folder that was deleted while it is open has none, and a folder above the root may be unreadable.
    fn is_same_folder(&self) -> bool {
        folder_id(&self.root).is_ok_and(|folder| folder == self.folder)
    }

    /// Watches the root anew, because the queue overflowed, a limit was reached, a mount appeared or ended, or the path
    /// names another folder. Anything may have changed meanwhile.
    fn restart(&mut self) {
        let (folder, was_watched) = (self.folder, self.watch.is_some());
        // The old watch ends first: it counts towards the limits of the system.
        self.watch = None;
        self.mounts = MountWatch::new(&self.root);
        self.outside.forget_entries();
        (self.folder, self.watch) = watch_root(&self.root, &mut self.outside);
        self.tried = Instant::now();
        if !was_watched && self.watch.is_none() && self.folder == folder {
            // Another attempt failed. The stamp of the whole tree tells of changes.
            return;
        }
        warn_if_unwatched(&self.root, self.folder, self.watch.as_ref());
        self.generation += 1;
        self.listeners.notify_all();
        self.logs.forget();
        self.renewed.notify_one();
    }

    /// Returns a handle to wait for the next event. Must be called within the runtime that will wait.
    pub(crate) fn source(&mut self) -> Source {
        self.watch.as_mut().and_then(FolderTreeWatch::source)
    }
}

/// Visits every folder at and below `top` that counts, parents first, and records the entries that take ignore rules from
/// elsewhere. Stops and returns `false` after `limit` folders.
fn visit_folders(
    root: &Path,
    top: &Path,
    limit: usize,
    outside: &mut OutsideRules,
    mut visit: impl FnMut(&Path),
) -> bool {
    let mut left = vec![top.to_path_buf()];
    let mut seen = 0;
    while let Some(folder) = left.pop() {
        seen += 1;
        if seen > limit {
            return false;
        }
        visit(&folder);
        // After a system failure the subfolders are unknown, so they cannot be watched.
        let entries = match unless_unreadable(std::fs::read_dir(&folder)) {
            Ok(Some(entries)) => entries,
            Ok(None) => continue,
            Err(_) => return false,
        };
        let inside_git = folder != root && folder.file_name().is_some_and(|name| name == ".git");
        for entry in entries {
            let entry = entry.and_then(|entry| Ok((entry.file_type()?, entry)));
            let (kind, entry) = match unless_unreadable(entry) {
                Ok(Some(known)) => known,
                Ok(None) => continue,
                Err(_) => return false,
            };
            let name = entry.file_name();
            let counts =
                if inside_git { name == "info" } else { !UNCOUNTED.iter().any(|uncounted| name == *uncounted) };
            outside.note(&folder, &name, kind);
            if counts && kind.is_dir() {
                left.push(entry.path());
            }
        }
    }
    true
}

/// Returns the hash of a tree that cannot be watched, over every name, size, time and inode, or `None` if the system
/// failed. Records the entries that take ignore rules from elsewhere.
pub(crate) fn stamp_tree(root: &Path, outside: &mut OutsideRules) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let mut is_known = true;
    let is_whole = visit_folders(root, root, usize::MAX, outside, |folder| {
        folder.hash(&mut hasher);
        let listed = std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut files = match listed {
            Ok(files) => files,
            Err(error) => {
                // Paths below an enterable folder can be named, and what they name can change.
                is_known &= !is_system_failure(&error) && !is_enterable(folder);
                return;
            }
        };
        files.sort_by_key(std::fs::DirEntry::file_name);
        for file in files {
            let name = file.file_name();
            name.hash(&mut hasher);
            // The times of such a folder change with its contents, which do not count.
            if UNCOUNTED.iter().any(|uncounted| name == *uncounted) {
                continue;
            }
            match file.metadata() {
                Ok(meta) => hash_file(&meta, &mut hasher),
                Err(error) => is_known &= !is_system_failure(&error),
            }
        }
    });
    (is_whole && is_known).then(|| hasher.finish())
}

#[cfg(not(target_os = "linux"))]
mod nowhere {
    //! The replacement on systems without inotify: nothing is ever watched.

    use std::path::Path;

    use crate::outside_rules::OutsideRules;

    #[derive(Debug)]
    pub(super) enum FolderTreeWatch {}

    impl FolderTreeWatch {
        pub(super) fn new(_root: &Path, _outside: &mut OutsideRules) -> Option<Self> {
            None
        }
        pub(super) fn drain(&mut self, _outside: &mut OutsideRules, _seen: impl FnMut(&Path)) -> bool {
            match *self {}
        }
        pub(super) fn has_aliases(&self) -> bool {
            match *self {}
        }
        pub(super) fn has_unlisted(&self) -> bool {
            match *self {}
        }
        pub(super) fn is_quiet(&mut self) -> bool {
            match *self {}
        }
        pub(super) fn source(&mut self) -> super::Source {
            match *self {}
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    //! One inotify instance per root, read by any caller.

    use std::{
        collections::HashMap,
        io,
        os::fd::AsFd,
        path::{Path, PathBuf},
        sync::Arc,
    };

    use inotify::{EventMask, EventOwned, Inotify, WatchDescriptor, WatchMask};
    use tokio::io::{Interest, unix::AsyncFd};

    use super::{Source, UNCOUNTED, folder_id, is_enterable, unless_unreadable, visit_folders};
    use crate::outside_rules::{OutsideRules, is_rule_name};

    /// The maximum number of folders of a watched tree: one watch costs about 1 KiB of kernel memory, and the usual
    /// limit for all programs together (`fs.inotify.max_user_watches`) is some 100,000.
    const MAX_FOLDERS: usize = 50_000;
    /// The number of bytes read from the queue at once. The buffer is cleared each time, and usually the queue is
    /// empty.
    const READ: usize = 4 * 1024;
    /// The number of reads after which a queue that never empties is abandoned: programs may write faster than the
    /// queue is read, without end.
    const READS: usize = 1_000;

    #[derive(Debug)]
    pub(super) struct FolderTreeWatch {
        root: PathBuf,
        inotify: Inotify,
        folders: HashMap<WatchDescriptor, PathBuf>,
        /// The folders that may not be read, and are therefore not watched. True for those that can be entered: calls reach
        /// what lies below, where changes are not reported.
        unreadable: HashMap<PathBuf, bool>,
        /// True if a folder has two paths in the tree (a bind mount): the kernel reports its events only once.
        has_aliases: bool,
        /// Events that were read but not processed yet.
        queued: Vec<EventOwned>,
        /// A second handle of the same queue, created by the first call that waits.
        source: Source,
    }

    /// Returns the events that can change an answer, without those that reading causes.
    fn mask() -> WatchMask {
        WatchMask::MODIFY
            // Writes through a memory map cause no event, but the file was opened for writing.
            | WatchMask::CLOSE_WRITE
            | WatchMask::ATTRIB
            | WatchMask::CREATE
            | WatchMask::DELETE
            | WatchMask::MOVED_FROM
            | WatchMask::MOVED_TO
            | WatchMask::ONLYDIR
            | WatchMask::DONT_FOLLOW
            | WatchMask::EXCL_UNLINK
    }

    /// Returns the only event that counts for the folders above the root: after it, the root's path names another folder.
    fn mask_above() -> WatchMask {
        WatchMask::MOVE_SELF | WatchMask::ONLYDIR | WatchMask::DONT_FOLLOW
    }

    impl FolderTreeWatch {
        pub(super) fn new(root: &Path, outside: &mut OutsideRules) -> Option<Self> {
            let mut watch = Self {
                root: root.to_path_buf(),
                inotify: Inotify::init().ok()?,
                folders: HashMap::new(),
                unreadable: HashMap::new(),
                has_aliases: false,
                queued: Vec::new(),
                source: None,
            };
            // Before the root, so that a move during the walk is not missed.
            for folder in root.ancestors().skip(1) {
                // Fails if the folder may not be read; then the next call notices the move.
                let _ = watch.inotify.watches().add(folder, mask_above());
            }
            // A missing root has no watch, and its return would go unnoticed.
            (watch.add(root, outside) && !watch.folders.is_empty()).then_some(watch)
        }

        /// Watches a folder and all folders below it. Each folder is watched before it is listed, so no new entry is
        /// missed.
        fn add(&mut self, top: &Path, outside: &mut OutsideRules) -> bool {
            let mut complete = true;
            let Self { root, inotify, folders: known, unreadable, has_aliases, .. } = self;
            let room = MAX_FOLDERS.saturating_sub(known.len());
            complete &= visit_folders(root, top, room, outside, |folder| {
                unreadable.remove(folder);
                let mask = if folder == root { mask() | mask_above() } else { mask() };
                match inotify.watches().add(folder, mask) {
                    Ok(descriptor) => {
                        let other = known.insert(descriptor, folder.to_path_buf());
                        let is_alias = |other: PathBuf| {
                            other != folder
                                && match (folder_id(&other), folder_id(folder)) {
                                    (Ok(other), Ok(folder)) => other == folder,
                                    _ => true,
                                }
                        };
                        *has_aliases |= other.is_some_and(is_alias);
                    }
                    // It is watched once its permissions change.
                    Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                        unreadable.insert(folder.to_path_buf(), is_enterable(folder));
                    }
                    // It vanished.
                    Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                    Err(_) => complete = false,
                }
            });
            complete
        }

        /// Stops watching a folder that was moved away and all folders below it: their new place may be outside.
        fn leave(&mut self, top: &Path) {
            let mut watches = self.inotify.watches();
            self.folders.retain(|descriptor, folder| {
                let stays = !folder.starts_with(top);
                if !stays {
                    // Fails if the folder is gone, and then nothing is left to do.
                    let _ = watches.remove(descriptor.clone());
                }
                stays
            });
            self.unreadable.retain(|folder, _| !folder.starts_with(top));
        }

        /// True if the path of an event may be one of several that changed. It stays true after the alias is gone.
        pub(super) const fn has_aliases(&self) -> bool {
            self.has_aliases
        }

        /// True if changes in some folder are not reported, although calls can reach it.
        pub(super) fn has_unlisted(&self) -> bool {
            self.unreadable.values().any(|is_enterable| *is_enterable)
        }

        /// True if there are no unprocessed events. Events read here are processed by the next
        /// [`FolderTreeWatch::drain`].
        pub(super) fn is_quiet(&mut self) -> bool {
            self.queued.is_empty() && matches!(self.read(), Ok(true))
        }

        /// Reads some of the events that the kernel queued; returns `true` if the queue was empty.
        fn read(&mut self) -> io::Result<bool> {
            let mut buffer = [0; READ];
            loop {
                match self.inotify.read_events(&mut buffer) {
                    Ok(events) => {
                        self.queued.extend(events.map(|event| event.to_owned()));
                        return Ok(false);
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        }

        /// Reads the events that the kernel queued and calls `seen` with the path of each. Returns `false` if the watch
        /// can no longer be trusted.
        pub(super) fn drain(&mut self, outside: &mut OutsideRules, mut seen: impl FnMut(&Path)) -> bool {
            for _ in 0..READS {
                let Ok(is_all) = self.read() else { return false };
                let (mut appeared, mut left) = (Vec::new(), Vec::new());
                for event in std::mem::take(&mut self.queued) {
                    let is_end = EventMask::Q_OVERFLOW | EventMask::UNMOUNT | EventMask::MOVE_SELF;
                    if event.mask.intersects(is_end) {
                        return false;
                    }
                    if event.mask.contains(EventMask::IGNORED) {
                        let gone = self.folders.remove(&event.wd);
                        if gone.is_some_and(|folder| folder == self.root) {
                            return false;
                        }
                        continue;
                    }
                    let name = event.name.unwrap_or_default();
                    let is_counted = !UNCOUNTED.iter().any(|uncounted| name == *uncounted);
                    let path = match self.folders.get(&event.wd) {
                        // The folder itself. Joined to an empty name, its path would end with a slash.
                        Some(folder) if name.is_empty() => folder.clone(),
                        Some(folder) => folder.join(name),
                        // An event of a folder that was moved away; the folder that it left reports the move.
                        None => continue,
                    };
                    // The name is checked first, because reading the type accesses the file.
                    if let (Some(folder), Some(name)) = (path.parent(), path.file_name())
                        && is_rule_name(name)
                    {
                        match unless_unreadable(path.symlink_metadata()) {
                            Ok(Some(found)) => outside.note(folder, name, found.file_type()),
                            Ok(None) => {}
                            Err(_) => return false,
                        }
                    }
                    seen(&path);
                    if !event.mask.contains(EventMask::ISDIR) || !is_counted {
                        continue;
                    }
                    if event.mask.intersects(EventMask::CREATE | EventMask::MOVED_TO) {
                        appeared.push(path);
                    } else if event.mask.contains(EventMask::MOVED_FROM) {
                        left.push(path);
                    } else if event.mask.contains(EventMask::ATTRIB)
                        && self.unreadable.keys().any(|folder| folder.starts_with(&path))
                    {
                        appeared.push(path);
                    }
                }
                for folder in &left {
                    self.leave(folder);
                }
                // A name that was left may have been taken again by events of an earlier read, as when two folders are
                // exchanged.
                for folder in appeared.iter().chain(&left) {
                    if !self.add(folder, outside) {
                        return false;
                    }
                }
                if is_all {
                    return true;
                }
            }
            false
        }

        /// Returns a handle to wait for the queue; `None` if the runtime cannot wait for it: then changes are polled.
        pub(super) fn source(&mut self) -> Source {
            if self.source.is_none() {
                let handle = self.inotify.as_fd().try_clone_to_owned().ok()?;
                #[expect(
                    deprecated,
                    reason = "the replacement is unsafe for any type; an owned descriptor meets its requirements"
                )]
                let waiting = AsyncFd::with_interest(handle, Interest::READABLE);
                self.source = waiting
                    .inspect_err(|error| tracing::warn!(%error, "cannot wait for the queue of changes; polling"))
                    .ok()
                    .map(Arc::new);
            }
            self.source.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        time::{Duration, Instant},
    };

    use super::{FolderTreeWatch, RETRY, RootWatcher};
    use crate::outside_rules::OutsideRules;

    #[test]
    fn watching_is_tried_again_after_a_while() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path().canonicalize().expect("there");
        let mut watcher = RootWatcher::new(&root);
        // As if a limit had been reached.
        watcher.watch = None;
        watcher.drain();
        assert!(watcher.watch.is_none());
        watcher.tried = Instant::now().checked_sub(RETRY + Duration::from_secs(1)).expect("an earlier time");
        let before = watcher.generation;
        watcher.drain();
        assert!(watcher.watch.is_some() && watcher.generation > before);
    }

    #[test]
    fn overfull_event_queue_is_abandoned() {
        let root = tempfile::tempdir().expect("a folder");
        let mut outside = OutsideRules::new(root.path());
        let mut watch = FolderTreeWatch::new(root.path(), &mut outside).expect("the folder can be watched");
        fs::write(root.path().join("0"), "x").expect("written");
        let mut seen = 0;
        // Each event that is read causes another write. The names alternate, since the kernel merges equal events.
        let is_read = watch.drain(&mut outside, |_| {
            seen += 1;
            assert!(seen < 100_000, "reading does not end");
            fs::write(root.path().join((seen % 2).to_string()), "y").expect("written");
        });
        assert!(!is_read, "the watch must be replaced");
    }
}
