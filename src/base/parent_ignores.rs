//! The ignore files above a root: they change what a walk finds, but lie outside the watched tree.
//!
//! Invariant: two equal stamps mean that none of these files changed in between. Where the kernel reports changes
//! ([`linux`]), files are inspected only after an event. Elsewhere every call inspects them: most folders have no such
//! file, and the folder's own times show that, since creating a name changes them. Every name is checked again only if
//! the folder changed recently, because a second change within one tick of the file system's clock would leave the same
//! times.

#[cfg(target_os = "linux")]
use linux::ParentFolderWatch;
#[cfg(not(target_os = "linux"))]
use nowhere::ParentFolderWatch;

use std::{
    fs::Metadata,
    hash::{DefaultHasher, Hash, Hasher},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// The ignore files of one folder, and the folder in which git keeps another.
const NAMES: [&str; 5] = [".gitignore", ".ignore", ".rgignore", ".fdignore", ".git"];
/// The entries of the home folder below which git keeps the user's global ignore rules.
const HOME_NAMES: [&str; 2] = [".gitconfig", ".config"];
/// The age after which a later change must alter a file's times: longer than a tick of any file system's clock, some of
/// which count whole seconds.
const SETTLED: Duration = Duration::from_secs(3);

/// The folders above one root, and the known state of their ignore files.
#[derive(Debug)]
pub(crate) struct ParentIgnoreFiles {
    folders: Vec<ParentFolder>,
    /// The path of the global ignore file, if the environment moves git's configuration elsewhere.
    elsewhere: Option<PathBuf>,
    watch_state: WatchState,
}

/// The state of watching: whether the kernel reports changes, and the stamp since the last one.
#[derive(Debug)]
enum WatchState {
    /// Not watched yet, or something changed.
    NotYet,
    Watching(ParentFolderWatch, u64),
    /// Watching is not possible here.
    Unsupported,
}

#[derive(Debug)]
struct ParentFolder {
    path: PathBuf,
    names: &'static [&'static str],
    seen: Option<FolderSnapshot>,
}

/// The result of inspecting a folder.
#[derive(Debug)]
struct FolderSnapshot {
    /// A hash of the folder's own metadata at that time.
    mark: u64,
    /// True if the folder had been unchanged for longer than [`SETTLED`], so that a later change must alter its times.
    is_settled: bool,
    /// The ignore files to stamp, whether or not they exist now.
    files: Vec<PathBuf>,
}

impl ParentIgnoreFiles {
    pub(crate) fn new(root: &Path) -> Self {
        let parents = root.ancestors().skip(1).map(|path| (path.to_path_buf(), &NAMES[..]));
        let home = std::env::home_dir().map(|path| (path, &HOME_NAMES[..]));
        let folder = |(path, names)| ParentFolder {
            path,
            names,
            seen: None,
        };
        Self {
            folders: parents.chain(home).map(folder).collect(),
            // `core.excludesFile` may name any file; the walker reads the same variable.
            elsewhere: std::env::var_os("XDG_CONFIG_HOME").map(|base| PathBuf::from(base).join("git/ignore")),
            watch_state: WatchState::NotYet,
        }
    }

    /// Returns a hash over the current state of all ignore files.
    pub(crate) fn stamp(&mut self) -> u64 {
        match &mut self.watch_state {
            WatchState::Watching(watch, stamp) => {
                if watch.is_quiet() {
                    return *stamp;
                }
            }
            WatchState::Unsupported => return self.stamp_files(),
            WatchState::NotYet => {}
        }
        // Watch first and inspect afterwards, so that no change in between is missed.
        let watch = if self.elsewhere.is_some() {
            None
        } else {
            ParentFolderWatch::new(self.folders.iter().map(|folder| folder.path.as_path()))
        };
        let stamp = self.stamp_files();
        self.watch_state = watch.map_or(WatchState::Unsupported, |watch| WatchState::Watching(watch, stamp));
        stamp
    }

    fn stamp_files(&mut self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for folder in &mut self.folders {
            for file in folder.files() {
                stamp_if_there(file, &mut hasher);
            }
        }
        if let Some(file) = &self.elsewhere {
            stamp_if_there(file, &mut hasher);
        }
        hasher.finish()
    }
}

impl ParentFolder {
    /// Returns the ignore files of the folder that may exist.
    fn files(&mut self) -> &[PathBuf] {
        let Ok(meta) = self.path.metadata() else {
            self.seen = None;
            return &[];
        };
        let mark = mark(&meta);
        if self
            .seen
            .as_ref()
            .is_none_or(|seen| !seen.is_settled || seen.mark != mark)
        {
            self.seen = Some(FolderSnapshot {
                mark,
                is_settled: is_settled(&meta),
                files: self.list_ignore_files(),
            });
        }
        self.seen.as_ref().map_or(&[], |seen| &seen.files)
    }

    fn list_ignore_files(&self) -> Vec<PathBuf> {
        let there = self
            .names
            .iter()
            .filter(|name| self.path.join(name).symlink_metadata().is_ok());
        there
            .flat_map(|name| match *name {
                // The contents of these folders do not change the times of the folder that contains them.
                ".git" => vec![self.path.join(".git/info/exclude")],
                ".config" => vec![
                    self.path.join(".config/git/config"),
                    self.path.join(".config/git/ignore"),
                ],
                name => vec![self.path.join(name)],
            })
            .collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod nowhere {
    //! The replacement on systems without inotify: nothing is ever watched.

    use std::path::Path;

    #[derive(Debug)]
    pub(super) enum ParentFolderWatch {}

    impl ParentFolderWatch {
        pub(super) fn new<'p>(_folders: impl Iterator<Item = &'p Path>) -> Option<Self> {
            None
        }
        pub(super) fn is_quiet(&mut self) -> bool {
            match *self {}
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    //! One inotify instance for the folders above a root. It receives events for every file there and drops all names
    //! except those of ignore files.

    use std::{collections::HashMap, io, path::Path};

    use inotify::{Inotify, WatchDescriptor, WatchMask};

    use super::{HOME_NAMES, NAMES};
    use crate::mounts::is_on_shared_mount;

    /// The folders below a watched folder that contain ignore rules, each with the names that matter in it.
    const BELOW: [(&str, &str); 4] = [
        (".git", "info"),
        (".git/info", "exclude"),
        (".config", "git"),
        (".config/git", "config ignore"),
    ];
    /// The number of bytes read from the queue at once.
    const READ: usize = 4 * 1024;
    /// The number of reads after which a queue that never empties is abandoned: programs may write faster than the
    /// queue is read, without end.
    const READS: usize = 1_000;

    #[derive(Debug)]
    pub(super) struct ParentFolderWatch {
        inotify: Inotify,
        /// The relevant names of each folder.
        names: HashMap<WatchDescriptor, Vec<&'static str>>,
    }

    fn mask() -> WatchMask {
        WatchMask::MODIFY
            | WatchMask::ATTRIB
            | WatchMask::CREATE
            | WatchMask::DELETE
            | WatchMask::MOVED_FROM
            | WatchMask::MOVED_TO
            | WatchMask::DELETE_SELF
            | WatchMask::MOVE_SELF
            | WatchMask::ONLYDIR
            | WatchMask::DONT_FOLLOW
    }

    impl ParentFolderWatch {
        /// Returns `None` where a change could go unreported: behind links, on mounts that other machines write to, in
        /// folders that cannot be watched.
        pub(super) fn new<'p>(folders: impl Iterator<Item = &'p Path>) -> Option<Self> {
            let mut watch = Self {
                inotify: Inotify::init().ok()?,
                names: HashMap::new(),
            };
            for folder in folders {
                // A folder reached through a link becomes another folder when the link changes.
                let is_itself = folder.canonicalize().is_ok_and(|real| real == folder);
                if !is_itself || is_on_shared_mount(folder) {
                    return None;
                }
                for name in NAMES.iter().chain(&HOME_NAMES) {
                    if folder.join(name).is_symlink() {
                        return None;
                    }
                    watch.add(folder, name)?;
                }
                for (below, names) in BELOW {
                    let below = folder.join(below);
                    if names.split(' ').any(|name| below.join(name).is_symlink()) {
                        return None;
                    }
                    watch.add(&below, names)?;
                }
            }
            Some(watch)
        }

        fn add(&mut self, folder: &Path, names: &'static str) -> Option<()> {
            match self.inotify.watches().add(folder, mask()) {
                Ok(descriptor) => {
                    self.names.entry(descriptor).or_default().extend(names.split(' '));
                    Some(())
                }
                // It does not exist; the folder around it reports its creation.
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                    Some(())
                }
                Err(_) => None,
            }
        }

        /// True if nothing relevant changed. Once this returns false, the watch must be replaced.
        pub(super) fn is_quiet(&mut self) -> bool {
            let mut buffer = [0; READ];
            for _ in 0..READS {
                let events = match self.inotify.read_events(&mut buffer) {
                    Ok(events) => events,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(_) => return false,
                };
                for event in events {
                    // An event without a name concerns a folder itself, or the queue.
                    let counts = event.name.is_none_or(|name| {
                        let names = self.names.get(&event.wd);
                        names.is_none_or(|names| names.iter().any(|known| name == *known))
                    });
                    if counts {
                        return false;
                    }
                }
            }
            false
        }
    }
}

fn mark(meta: &Metadata) -> u64 {
    let mut hasher = DefaultHasher::new();
    stamp_file(meta, &mut hasher);
    hasher.finish()
}

/// True if the last change is so old that the next one must alter the times. If the clock runs behind the file system's
/// clock, the result is false, which only costs time.
fn is_settled(meta: &Metadata) -> bool {
    let age = |time: SystemTime| SystemTime::now().duration_since(time).is_ok_and(|age| age > SETTLED);
    let changed = u64::try_from(meta.ctime())
        .ok()
        .map(|seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    meta.modified().is_ok_and(age) && changed.is_some_and(age)
}

fn stamp_if_there(path: &Path, hasher: &mut DefaultHasher) {
    if let Ok(meta) = path.metadata() {
        path.hash(hasher);
        stamp_file(&meta, hasher);
    }
}

/// Hashes the metadata that changes with a file: size, times, identity.
pub(crate) fn stamp_file(meta: &Metadata, hasher: &mut DefaultHasher) {
    meta.len().hash(hasher);
    meta.modified().ok().hash(hasher);
    (meta.ino(), meta.ctime(), meta.ctime_nsec()).hash(hasher);
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{ParentIgnoreFiles, WatchState};

    /// Creates `outer/project`. The outer folder is as old as the test, hence not settled.
    fn folders() -> (tempfile::TempDir, std::path::PathBuf) {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("project");
        fs::create_dir(&root).expect("made");
        (outer, root)
    }

    /// Simulates that three seconds have passed.
    fn settle(above: &mut ParentIgnoreFiles) {
        above.stamp();
        for folder in &mut above.folders {
            if let Some(seen) = &mut folder.seen {
                seen.is_settled = true;
            }
        }
    }

    /// Returns the ignore files above a folder of the test, watched or not.
    fn above(root: &std::path::Path, is_told: bool) -> ParentIgnoreFiles {
        let mut above = ParentIgnoreFiles::new(root);
        if is_told {
            above.stamp();
            assert!(
                matches!(above.watch_state, WatchState::Watching(..)),
                "folders of tests can be watched"
            );
        } else {
            above.watch_state = WatchState::Unsupported;
        }
        above
    }

    #[test]
    fn every_change_of_an_ignore_file_above_is_seen() {
        for is_told in [cfg!(target_os = "linux"), false] {
            let (outer, root) = folders();
            let mut above = above(&root, is_told);
            let (ignore, git) = (outer.path().join(".gitignore"), outer.path().join(".git"));
            let exclude = git.join("info/exclude");
            let changes: [(&str, bool, &dyn Fn()); 9] = [
                ("made", true, &|| fs::write(&ignore, "a").expect("written")),
                ("edited", true, &|| fs::write(&ignore, "bb").expect("written")),
                ("replaced", true, &|| {
                    let other = outer.path().join("other");
                    fs::write(&other, "ccc").expect("written");
                    fs::rename(other, &ignore).expect("moved");
                }),
                ("removed", true, &|| fs::remove_file(&ignore).expect("removed")),
                ("another", false, &|| {
                    fs::write(outer.path().join("x"), "a").expect("written");
                }),
                // Folders of git alone contain no ignore rules.
                ("git", false, &|| fs::create_dir(&git).expect("made")),
                ("info", false, &|| fs::create_dir(git.join("info")).expect("made")),
                ("excluded", true, &|| fs::write(&exclude, "a").expect("written")),
                ("edited there", true, &|| fs::write(&exclude, "bb").expect("written")),
            ];
            for (what, counts, change) in changes {
                settle(&mut above);
                let before = above.stamp();
                assert_eq!(before, above.stamp(), "{what}: the stamp is stable");
                // The folder's times show a change only after another tick of the clock.
                wait_for_a_tick(outer.path());
                change();
                assert_eq!(before != above.stamp(), counts, "{what}, told: {is_told}");
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linked_folders_are_not_watched() {
        let (outer, root) = folders();
        fs::write(outer.path().join("elsewhere"), "a").expect("written");
        std::os::unix::fs::symlink("elsewhere", outer.path().join(".gitignore")).expect("linked");
        let mut above = ParentIgnoreFiles::new(&root);
        let before = above.stamp();
        assert!(matches!(above.watch_state, WatchState::Unsupported));
        fs::write(outer.path().join("elsewhere"), "bb").expect("written");
        assert_ne!(before, above.stamp());
    }

    #[test]
    fn recently_changed_folder_is_inspected_again() {
        let (outer, root) = folders();
        let mut above = above(&root, false);
        let before = above.stamp();
        // Within one tick of the clock the folder's times may stay the same.
        fs::write(outer.path().join(".ignore"), "a").expect("written");
        assert_ne!(before, above.stamp());
    }

    /// Waits until a new file in a sibling folder gets later times than the given folder.
    fn wait_for_a_tick(folder: &std::path::Path) {
        let then = folder.metadata().expect("there").modified().expect("times");
        let beside = tempfile::tempdir().expect("a folder");
        let probe = beside.path().join("probe");
        loop {
            fs::write(&probe, "x").expect("written");
            if probe.metadata().expect("there").modified().expect("times") > then {
                return;
            }
        }
    }
}
