//! A check of ignore files before the walker reads them. It opens whatever has such a name, follows links, and reads to
//! the end: a link to `/dev/zero` takes all memory, and a pipe is waited for without end. It also takes a file that it
//! cannot open for one without rules.
//!
//! Invariant: a walk enters no folder with an ignore file that is not a regular file of at most [`MOST_FILE_BYTES`], that
//! exceeds the other bounds together with those before it, or that cannot be opened because of a system failure. A file
//! that is replaced between the check and the walker's own opening is not noticed.

use std::{
    collections::HashMap,
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use fumi_base::{
    rule_file::{MOST_CHAIN_BYTES, MOST_FILE_BYTES, open_rule_file},
    system::is_system_failure,
};
use parking_lot::Mutex;

use super::project_walk::{FD_IGNORE, RIPGREP_IGNORE};
use crate::skipped::SkipReason;

/// The maximum size of a file that leads to a repository elsewhere, in bytes: the longest path, and more.
const POINTER_BYTES: u64 = 8 << 10;

/// The folders whose ignore files a walk checks before it reads them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CheckedFolders {
    /// All: nothing is known of them. This takes half as long as the walk.
    #[default]
    All,
    /// The roots of the walk and the folders above them: those below are known to have usual ignore files.
    Roots,
}

/// The ignore files of one walk.
#[derive(Debug)]
pub(crate) struct RuleFiles(Mutex<RuleSizes>);

#[derive(Debug)]
struct RuleSizes {
    /// The size of the ignore files that may still be read, in bytes.
    left: u64,
    /// The size of the ignore files of a folder and of those above it, in bytes, for each folder with some.
    sizes: HashMap<PathBuf, u64>,
}

impl RuleFiles {
    /// Creates the check of one reader of at most this size of ignore files, in bytes.
    pub(crate) fn new(most_bytes: u64) -> Self {
        Self(Mutex::new(RuleSizes {
            left: most_bytes,
            sizes: HashMap::new(),
        }))
    }

    /// Checks the ignore files of a root: its own, and those of the folders above it.
    pub(crate) fn check_root(&self, root: &Path) -> Result<(), SkipReason> {
        let mut folders = self.0.lock();
        let mut all: Vec<&Path> = root.ancestors().collect();
        all.reverse();
        all.into_iter().try_for_each(|folder| folders.check(folder))
    }

    /// Checks the ignore files of a folder that is to be entered, after those of the folders above it.
    pub(crate) fn check(&self, folder: &Path) -> Result<(), SkipReason> {
        self.0.lock().check(folder)
    }
}

impl RuleSizes {
    fn check(&mut self, folder: &Path) -> Result<(), SkipReason> {
        let mut own = repository_bytes(&folder.join(".git"))?;
        for name in [".gitignore", ".ignore", FD_IGNORE, RIPGREP_IGNORE] {
            own += rule_bytes(&folder.join(name), MOST_FILE_BYTES)?;
        }
        // A folder may be a root and lie below another one.
        if own == 0 || self.sizes.contains_key(folder) {
            return Ok(());
        }
        let above = folder.ancestors().skip(1).find_map(|above| self.sizes.get(above));
        let size = own + above.unwrap_or(&0);
        let left = self.left.checked_sub(own).filter(|_| size <= MOST_CHAIN_BYTES);
        self.left = left.ok_or(SkipReason::UnusableRules)?;
        self.sizes.insert(folder.to_path_buf(), size);
        Ok(())
    }
}

/// Returns the size of a file, in bytes; 0 if the walker can read nothing there.
fn rule_bytes(path: &Path, most_bytes: u64) -> Result<u64, SkipReason> {
    // Reading a folder fails at once.
    if path.metadata().is_ok_and(|found| !found.is_dir()) {
        let file = open(path, most_bytes)?;
        return Ok(file.map_or(0, |(_, bytes)| bytes));
    }
    Ok(0)
}

/// Opens a file of at most this size. `None` if that is not permitted, or the file is gone.
fn open(path: &Path, most_bytes: u64) -> Result<Option<(File, u64)>, SkipReason> {
    match open_rule_file(path) {
        Ok(Some((file, found))) if found.len() <= most_bytes => Ok(Some((file, found.len()))),
        Ok(None) if !path.exists() => Ok(None),
        Ok(_) => Err(SkipReason::UnusableRules),
        Err(error) if is_system_failure(&error) => Err(SkipReason::System),
        Err(_) => Ok(None),
    }
}

/// Returns the size of the ignore file of a repository, in bytes, and of the files that lead to it.
fn repository_bytes(git: &Path) -> Result<u64, SkipReason> {
    match git.metadata() {
        Ok(found) if found.is_file() => worktree_bytes(git),
        Ok(_) => rule_bytes(&git.join("info/exclude"), MOST_FILE_BYTES),
        Err(_) => Ok(0),
    }
}

/// Follows a `.git` that is a file, as the walker does.
fn worktree_bytes(git: &Path) -> Result<u64, SkipReason> {
    let Some(folder) = pointer(git, "gitdir: ")? else {
        return Ok(0);
    };
    let Some(common) = pointer(&Path::new(&folder).join("commondir"), "")? else {
        return Ok(0);
    };
    let repository = if common.starts_with('.') {
        Path::new(&folder).join(common)
    } else {
        PathBuf::from(common)
    };
    rule_bytes(&repository.join("info/exclude"), MOST_FILE_BYTES)
}

/// Returns the rest of a file's first line after `start`. `None` if there is no such file or line.
fn pointer(path: &Path, start: &str) -> Result<Option<String>, SkipReason> {
    let Some((file, _)) = open(path, POINTER_BYTES)? else {
        return Ok(None);
    };
    let mut text = String::new();
    let read = file.take(POINTER_BYTES).read_to_string(&mut text);
    let line = read.ok().and_then(|_| text.lines().next());
    Ok(line.and_then(|line| line.strip_prefix(start)).map(str::to_owned))
}
