//! The ignore files above a root: they change what a walk finds, but lie outside the watched tree.
//!
//! Invariant: two equal stamps mean that none of these files changed in between. Every call inspects them: most folders
//! have no such file, and the folder's own times show that, since creating a name changes them. What changed recently is
//! read again, names and contents, because a second change within one tick of the file system's clock would leave the
//! same times.

use std::{
    fs::{self, Metadata},
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
/// The largest ignore file whose content is hashed after a change, in bytes.
const READ: u64 = 64 << 10;

/// The folders above one root, and the known state of their ignore files.
#[derive(Debug)]
pub(crate) struct ParentIgnoreFiles {
    folders: Vec<ParentFolder>,
    /// The path of the global ignore file, if the environment moves git's configuration elsewhere.
    elsewhere: Option<PathBuf>,
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
        }
    }

    /// Returns a hash over the current state of all ignore files.
    pub(crate) fn stamp(&mut self) -> u64 {
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

/// Hashes the state of an ignore file, if it exists.
pub(crate) fn stamp_if_there(path: &Path, hasher: &mut DefaultHasher) {
    let Ok(meta) = path.metadata() else { return };
    path.hash(hasher);
    stamp_file(&meta, hasher);
    if meta.is_file() && !is_settled(&meta) {
        if meta.len() <= READ {
            fs::read(path).ok().hash(hasher);
        } else {
            // Too large to read: it counts as changed until its times prove otherwise.
            SystemTime::now().hash(hasher);
        }
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

    use super::ParentIgnoreFiles;

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

    #[test]
    fn every_change_of_an_ignore_file_above_is_seen() {
        let (outer, root) = folders();
        let mut above = ParentIgnoreFiles::new(&root);
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
            assert_eq!(before != above.stamp(), counts, "{what}");
        }
    }

    #[test]
    fn target_of_a_linked_ignore_file_counts() {
        let (outer, root) = folders();
        fs::write(outer.path().join("elsewhere"), "a").expect("written");
        std::os::unix::fs::symlink("elsewhere", outer.path().join(".gitignore")).expect("linked");
        let mut above = ParentIgnoreFiles::new(&root);
        let before = above.stamp();
        fs::write(outer.path().join("elsewhere"), "bb").expect("written");
        assert_ne!(before, above.stamp());
    }

    #[test]
    fn recently_changed_folders_and_files_are_read_again() {
        let (outer, root) = folders();
        let ignore = outer.path().join(".ignore");
        let mut above = ParentIgnoreFiles::new(&root);
        // Within one tick of the clock, the times of the folder and of the file may stay the same.
        let mut before = above.stamp();
        for content in ["a", "b", "c"] {
            fs::write(&ignore, content).expect("written");
            let after = above.stamp();
            assert_ne!(before, after, "{content}");
            before = after;
        }
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
