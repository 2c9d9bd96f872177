//! The ignore files above a root: they change what a walk finds, and lie outside the watched tree.
//!
//! Invariant: two equal stamps mean that none of them changed in between. Most folders have none, and that is seen by the
//! folder alone: a name that appears changes its folder's times. Only a folder that changed lately is asked for every name
//! again, since a second change within one tick of the file system's clock would leave the same times.

use std::{
    fs::Metadata,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// Ignore files of one folder, and the folder in which git keeps another.
const NAMES: [&str; 5] = [".gitignore", ".ignore", ".rgignore", ".fdignore", ".git"];
/// Where git keeps what the user ignores everywhere, below the home folder.
const HOME_NAMES: [&str; 2] = [".gitconfig", ".config"];
/// Longer than a tick of any file system's clock; some count whole seconds.
const SETTLED: Duration = Duration::from_secs(3);

/// The folders above one root, and what is known of them.
#[derive(Debug)]
pub(crate) struct Above {
    folders: Vec<Folder>,
    /// Of git's configuration, where the environment says that it stands elsewhere.
    elsewhere: Option<PathBuf>,
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    names: &'static [&'static str],
    seen: Option<Seen>,
}

/// What a look into a folder found.
#[derive(Debug)]
struct Seen {
    /// The folder's own times then.
    mark: u64,
    /// Whether it had not changed for so long that the times would tell of a change since.
    is_settled: bool,
    /// The files that count, whether or not they are there now.
    files: Vec<PathBuf>,
}

impl Above {
    pub(crate) fn new(root: &Path) -> Self {
        let parents = root.ancestors().skip(1).map(|path| (path.to_path_buf(), &NAMES[..]));
        let home = std::env::home_dir().map(|path| (path, &HOME_NAMES[..]));
        let folder = |(path, names)| Folder {
            path,
            names,
            seen: None,
        };
        Self {
            folders: parents.chain(home).map(folder).collect(),
            // `core.excludesFile` may name any file; the walker asks the same place.
            elsewhere: std::env::var_os("XDG_CONFIG_HOME").map(|base| PathBuf::from(base).join("git/ignore")),
        }
    }

    /// A hash over all of them, now.
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

impl Folder {
    /// The files of it that may be there.
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
            self.seen = Some(Seen {
                mark,
                is_settled: is_settled(&meta),
                files: self.look(),
            });
        }
        self.seen.as_ref().map_or(&[], |seen| &seen.files)
    }

    fn look(&self) -> Vec<PathBuf> {
        let there = self
            .names
            .iter()
            .filter(|name| self.path.join(name).symlink_metadata().is_ok());
        there
            .flat_map(|name| match *name {
                // What these folders hold does not change the times of the folder that holds them.
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

/// Whether the last change is so old that the next one will have other times. A clock that runs behind the file system's
/// says no, which only costs time.
fn is_settled(meta: &Metadata) -> bool {
    let age = |time: SystemTime| SystemTime::now().duration_since(time).is_ok_and(|age| age > SETTLED);
    #[cfg(unix)]
    let changed = {
        use std::os::unix::fs::MetadataExt as _;
        u64::try_from(meta.ctime())
            .ok()
            .map(|seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
    };
    #[cfg(not(unix))]
    let changed = meta.modified().ok();
    meta.modified().is_ok_and(age) && changed.is_some_and(age)
}

fn stamp_if_there(path: &Path, hasher: &mut DefaultHasher) {
    if let Ok(meta) = path.metadata() {
        path.hash(hasher);
        stamp_file(&meta, hasher);
    }
}

/// What changes with a file: size, times, identity.
pub(crate) fn stamp_file(meta: &Metadata, hasher: &mut DefaultHasher) {
    meta.len().hash(hasher);
    meta.modified().ok().hash(hasher);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (meta.ino(), meta.ctime(), meta.ctime_nsec()).hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Above;

    /// `outer/project`; the outer folder is as old as the test, hence unsettled.
    fn folders() -> (tempfile::TempDir, std::path::PathBuf) {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("project");
        fs::create_dir(&root).expect("made");
        (outer, root)
    }

    /// As if three seconds had passed.
    fn settle(above: &mut Above) {
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
        let mut above = Above::new(&root);
        let (ignore, git) = (outer.path().join(".gitignore"), outer.path().join(".git/info"));
        let changes: [(&str, &dyn Fn()); 6] = [
            ("made", &|| fs::write(&ignore, "a").expect("written")),
            ("edited", &|| fs::write(&ignore, "bb").expect("written")),
            ("removed", &|| fs::remove_file(&ignore).expect("removed")),
            ("git", &|| fs::create_dir_all(&git).expect("made")),
            ("excluded", &|| fs::write(git.join("exclude"), "a").expect("written")),
            ("edited there", &|| {
                fs::write(git.join("exclude"), "bb").expect("written")
            }),
        ];
        for (what, change) in changes {
            settle(&mut above);
            let before = above.stamp();
            assert_eq!(before, above.stamp(), "{what}: nothing changed");
            // The folder's times tell of a change only in another tick of the clock.
            wait_for_a_tick(outer.path());
            change();
            // A folder for git alone holds nothing that counts.
            assert_eq!(before != above.stamp(), what != "git", "{what}");
        }
    }

    #[test]
    fn a_folder_that_changed_just_now_is_looked_into_again() {
        let (outer, root) = folders();
        let mut above = Above::new(&root);
        let before = above.stamp();
        // Within one tick of the clock the folder's times may stay the same.
        fs::write(outer.path().join(".ignore"), "a").expect("written");
        assert_ne!(before, above.stamp());
    }

    /// Until a new file in a folder beside gets later times than the folder has.
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
