//! The ignore rules that lie outside a root: those of the folders above it, the user's global ones, and those of the
//! repositories whose worktrees and submodules lie in it. They change what a walk finds, but the tree that is watched does
//! not contain them.
//!
//! Invariant: two equal stamps mean that none of these rules changed in between. Every call inspects them: most folders
//! have no such file, and the folder's own times show that, since creating a name changes them. What changed recently is
//! read again, names and contents, because a second change within one tick of the file system's clock would leave the
//! same times. Git's configuration is read by the function that the walker itself uses.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs::{FileType, Metadata},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use ignore::gitignore::gitconfig_excludes_path;

use crate::{
    file_stamp::{hash_file, is_settled},
    rule_file::open_rule_file,
    system::unless_unreadable,
};

/// The ignore files of one folder, and the entries that make it a repository, where the ignore files of git count.
const NAMES: [&str; 6] = [".gitignore", ".ignore", ".rgignore", ".fdignore", ".git", ".jj"];
/// The largest ignore file whose content is hashed after a change, in bytes.
const READ: u64 = 64 << 10;
/// The longest first line of a `.git` file that is followed, in bytes: the longest path, and more.
const GIT_FILE: u64 = 8 << 10;

/// The largest number of `.git` files of a root that are inspected by each call. A repository has few submodules.
const GIT_FILES: usize = 64;

/// The places of the rules outside one root, and what is known of them.
#[derive(Debug)]
pub(crate) struct OutsideRules {
    parents: Vec<ParentFolder>,
    /// The `.git` files in the root: each names a folder with the rules.
    git_files: BTreeSet<PathBuf>,
    /// True if an ignore file in the root was a link at some time.
    has_links: bool,
}

#[derive(Debug)]
struct ParentFolder {
    path: PathBuf,
    seen: Option<FolderSnapshot>,
}

/// The result of inspecting a folder.
#[derive(Debug)]
struct FolderSnapshot {
    /// A hash of the folder's own metadata at that time.
    mark: u64,
    /// True if a later change must alter the folder's times ([`is_settled`]).
    is_settled: bool,
    /// The entries with the names of [`NAMES`] that exist.
    entries: Vec<PathBuf>,
}

/// True if an entry of this name decides which files of its folder are ignored.
pub(crate) fn is_rule_name(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| NAMES.contains(&name))
}

impl OutsideRules {
    pub(crate) fn new(root: &Path) -> Self {
        let folder = |path: &Path| ParentFolder { path: path.to_path_buf(), seen: None };
        Self { parents: root.ancestors().skip(1).map(folder).collect(), git_files: BTreeSet::new(), has_links: false }
    }

    /// Records an entry of a folder in the root, whose rules may lie elsewhere.
    pub(crate) fn note(&mut self, folder: &Path, name: &OsStr, kind: FileType) {
        if !is_rule_name(name) {
            return;
        }
        if name == ".git" && kind.is_file() {
            self.git_files.insert(folder.join(name));
            if self.git_files.len() > GIT_FILES && self.git_files.len().is_power_of_two() {
                self.git_files.retain(|file| !matches!(unless_unreadable(file.symlink_metadata()), Ok(None)));
            }
        } else {
            self.has_links |= kind.is_symlink();
        }
    }

    /// Forgets the entries that were recorded.
    pub(crate) fn forget_entries(&mut self) {
        self.git_files.clear();
        self.has_links = false;
    }

    /// True if there may be rules outside that the stamp does not cover.
    pub(crate) fn has_unstamped(&self) -> bool {
        self.has_links || self.has_unstamped_repositories()
    }

    /// True if there are more `.git` files than the stamp covers.
    pub(crate) fn has_unstamped_repositories(&self) -> bool {
        self.git_files.len() > GIT_FILES
    }

    /// Returns a hash over the current state of all rules outside, but for the unstamped ones.
    pub(crate) fn stamp(&mut self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for folder in &mut self.parents {
            for entry in folder.entries(&mut hasher) {
                match entry.file_name().and_then(OsStr::to_str) {
                    Some(".git") => stamp_repository(entry, &mut hasher),
                    Some(".jj") => {
                        (entry, unless_unknown(entry.metadata(), &mut hasher).is_some()).hash(&mut hasher);
                    }
                    _ => stamp_if_there(entry, &mut hasher),
                }
            }
        }
        for git in self.git_files.iter().take(GIT_FILES) {
            stamp_repository(git, &mut hasher);
        }
        let global = gitconfig_excludes_path();
        global.hash(&mut hasher);
        if let Some(file) = global {
            stamp_if_there(&file, &mut hasher);
        }
        hasher.finish()
    }
}

impl ParentFolder {
    /// Returns the entries of the folder that may be or have ignore rules.
    fn entries(&mut self, hasher: &mut DefaultHasher) -> &[PathBuf] {
        let Some(meta) = unless_unknown(self.path.metadata(), hasher) else {
            self.seen = None;
            return &[];
        };
        let mark = mark(&meta);
        if self.seen.as_ref().is_none_or(|seen| !seen.is_settled || seen.mark != mark) {
            let mut is_settled = is_settled(&meta);
            let mut entries: Vec<PathBuf> = NAMES.iter().map(|name| self.path.join(name)).collect();
            entries.retain(|path| {
                let found = unless_unreadable(path.symlink_metadata());
                // After a system failure the folder is looked up again.
                is_settled &= found.is_ok();
                !matches!(found, Ok(None))
            });
            self.seen = Some(FolderSnapshot { mark, is_settled, entries });
        }
        self.seen.as_ref().map_or(&[], |seen| &seen.entries)
    }
}

/// Hashes the state of the `info/exclude` that a `.git` leads to: in the `.git` itself if that is a folder, and for a
/// worktree, whose `.git` is a file, in the common folder of its repository. A submodule has no common folder.
fn stamp_repository(git: &Path, hasher: &mut DefaultHasher) {
    let is_folder = unless_unknown(git.metadata(), hasher).is_some_and(|found| found.is_dir());
    // Its times change with every action of git.
    (git, is_folder).hash(hasher);
    if is_folder {
        stamp_if_there(&git.join("info/exclude"), hasher);
        return;
    }
    stamp_if_there(git, hasher);
    let line = first_line(git, hasher);
    let Some(folder) = line.as_deref().and_then(|line| line.strip_prefix("gitdir: ")) else {
        return;
    };
    let folder = git.parent().unwrap_or(git).join(folder);
    let pointer = folder.join("commondir");
    stamp_if_there(&pointer, hasher);
    if let Some(common) = first_line(&pointer, hasher) {
        stamp_if_there(&folder.join(common).join("info/exclude"), hasher);
    }
}

fn first_line(file: &Path, hasher: &mut DefaultHasher) -> Option<String> {
    let (file, _) = unless_unknown(open_rule_file(file), hasher)??;
    unless_unknown(BufReader::new(file.take(GIT_FILE)).lines().next()?, hasher)
}

/// Returns `None` for what is gone or cannot be read. After a system failure the rules count as changed.
fn unless_unknown<T>(result: io::Result<T>, hasher: &mut DefaultHasher) -> Option<T> {
    unless_unreadable(result).unwrap_or_else(|_| {
        SystemTime::now().hash(hasher);
        None
    })
}

fn mark(meta: &Metadata) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash_file(meta, &mut hasher);
    hasher.finish()
}

fn stamp_if_there(path: &Path, hasher: &mut DefaultHasher) {
    let Some(meta) = unless_unknown(path.metadata(), hasher) else { return };
    path.hash(hasher);
    hash_file(&meta, hasher);
    if is_settled(&meta) {
        return;
    }
    if let Some(Some((file, found))) = unless_unknown(open_rule_file(path), hasher) {
        if found.len() <= READ {
            let mut content = Vec::new();
            let read = unless_unknown(file.take(READ).read_to_end(&mut content), hasher);
            read.map(|_| content).hash(hasher);
        } else {
            // Too large to read: it counts as changed until its times prove otherwise.
            SystemTime::now().hash(hasher);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        hash::{DefaultHasher, Hasher as _},
        io,
    };

    use super::{OutsideRules, unless_unknown};

    /// Creates `outer/project`. The outer folder is as old as the test, hence not settled.
    fn folders() -> (tempfile::TempDir, std::path::PathBuf) {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("project");
        fs::create_dir(&root).expect("made");
        (outer, root)
    }

    /// Simulates that three seconds have passed.
    fn settle(outside: &mut OutsideRules) {
        outside.stamp();
        for folder in &mut outside.parents {
            if let Some(seen) = &mut folder.seen {
                seen.is_settled = true;
            }
        }
    }

    #[test]
    fn every_change_of_an_ignore_file_above_is_seen() {
        let (outer, root) = folders();
        let mut outside = OutsideRules::new(&root);
        let (ignore, git) = (outer.path().join(".gitignore"), outer.path().join(".git"));
        let exclude = git.join("info/exclude");
        let changes: [(&str, bool, &dyn Fn()); 13] = [
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
            // A repository: its ignore files count.
            ("git", true, &|| fs::create_dir(&git).expect("made")),
            ("info", false, &|| fs::create_dir(git.join("info")).expect("made")),
            ("excluded", true, &|| fs::write(&exclude, "a").expect("written")),
            ("edited there", true, &|| fs::write(&exclude, "bb").expect("written")),
            ("git's own file", false, &|| {
                fs::write(git.join("index"), "a").expect("written");
            }),
            ("git removed", true, &|| fs::remove_dir_all(&git).expect("removed")),
            ("jj", true, &|| fs::create_dir(outer.path().join(".jj")).expect("made")),
            ("jj removed", true, &|| {
                fs::remove_dir(outer.path().join(".jj")).expect("removed");
            }),
        ];
        for (what, counts, change) in changes {
            settle(&mut outside);
            let before = outside.stamp();
            assert_eq!(before, outside.stamp(), "{what}: the stamp is stable");
            // The folder's times show a change only after another tick of the clock.
            wait_for_a_tick(outer.path());
            change();
            assert_eq!(before != outside.stamp(), counts, "{what}");
        }
    }

    #[test]
    fn stamp_during_a_system_failure_equals_no_other() {
        let stamp = |number| {
            let mut hasher = DefaultHasher::new();
            let error = io::Error::from_raw_os_error(number);
            assert_eq!(unless_unknown::<()>(Err(error), &mut hasher), None);
            hasher.finish()
        };
        // ENOENT, EIO
        assert_eq!(stamp(2), stamp(2));
        assert_ne!(stamp(5), stamp(5));
    }

    #[test]
    fn target_of_a_linked_ignore_file_counts() {
        let (outer, root) = folders();
        fs::write(outer.path().join("elsewhere"), "a").expect("written");
        std::os::unix::fs::symlink("elsewhere", outer.path().join(".gitignore")).expect("linked");
        let mut outside = OutsideRules::new(&root);
        let before = outside.stamp();
        fs::write(outer.path().join("elsewhere"), "bb").expect("written");
        assert_ne!(before, outside.stamp());
    }

    #[test]
    fn rules_of_a_worktree_s_repository_count() {
        let (outer, root) = folders();
        let own = outer.path().join("main/.git/worktrees/own");
        let exclude = outer.path().join("main/.git/info/exclude");
        let git = root.join("sub/.git");
        fs::create_dir_all(&own).expect("made");
        fs::create_dir_all(outer.path().join("main/.git/info")).expect("made");
        fs::create_dir(root.join("sub")).expect("made");
        fs::write(&git, format!("gitdir: {}\n", own.display())).expect("written");
        let mut outside = OutsideRules::new(&root);
        let kind = git.symlink_metadata().expect("there").file_type();
        outside.note(&root.join("sub"), ".git".as_ref(), kind);
        assert!(!outside.has_unstamped());
        let changes: [(&str, bool, &dyn Fn()); 5] = [
            ("a file of git", false, &|| {
                fs::write(own.join("index"), "a").expect("written");
            }),
            ("its repository", true, &|| {
                fs::write(own.join("commondir"), "../..\n").expect("written");
            }),
            ("excluded", true, &|| fs::write(&exclude, "a").expect("written")),
            ("edited", true, &|| fs::write(&exclude, "b").expect("written")),
            ("removed", true, &|| fs::remove_file(&git).expect("removed")),
        ];
        for (what, counts, change) in changes {
            let before = outside.stamp();
            assert_eq!(before, outside.stamp(), "{what}: the stamp is stable");
            change();
            assert_eq!(before != outside.stamp(), counts, "{what}");
        }
    }

    #[test]
    fn worktrees_beyond_the_limit_are_unstamped_while_they_exist() {
        let (_outer, root) = folders();
        let mut outside = OutsideRules::new(&root);
        let mut worktree = |n: usize| {
            let folder = root.join(n.to_string());
            fs::create_dir(&folder).expect("made");
            fs::write(folder.join(".git"), "gitdir: /elsewhere\n").expect("written");
            let kind = folder.join(".git").symlink_metadata().expect("there").file_type();
            outside.note(&folder, ".git".as_ref(), kind);
            let has_unstamped = outside.has_unstamped();
            fs::remove_dir_all(folder).expect("removed");
            has_unstamped
        };
        let unstamped = (0..1_000).filter(|n| worktree(*n)).count();
        // Those that are gone are forgotten once there are 128.
        assert!((1..=1_000 / 2).contains(&unstamped), "{unstamped}");
        fs::write(root.join("rules"), "").expect("written");
        std::os::unix::fs::symlink("rules", root.join(".ignore")).expect("linked");
        let kind = root.join(".ignore").symlink_metadata().expect("there").file_type();
        let mut linked = OutsideRules::new(&root);
        linked.note(&root, ".ignore".as_ref(), kind);
        assert!(linked.has_unstamped());
    }

    #[test]
    fn recently_changed_folders_and_files_are_read_again() {
        let (outer, root) = folders();
        let ignore = outer.path().join(".ignore");
        let mut outside = OutsideRules::new(&root);
        // Within one tick of the clock, the times of the folder and of the file may stay the same.
        let mut before = outside.stamp();
        for content in ["a", "b", "c"] {
            fs::write(&ignore, content).expect("written");
            let after = outside.stamp();
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
