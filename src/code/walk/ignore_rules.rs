//! The rules of ignore files. A walk reads these files itself, with the matchers of the crate `ignore`, whose own walker
//! waits for a pipe of such a name, and reads a link to `/dev/zero` without end.
//!
//! Invariant: reading rules never blocks, even if a file is replaced meanwhile. The rules of a folder are known completely or
//! are an error. They are an error if an ignore file is not a regular file of at most [`MOST_FILE_BYTES`], exceeds the other
//! bounds together with those read before, or cannot be opened because of a system failure.

use std::{
    collections::HashMap,
    ffi::OsStr,
    fs::Metadata,
    io::Read as _,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use fumi_base::{rule_file::open_rule_file, system::unless_unreadable};
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path},
};

use crate::skipped::SkipReason;

/// The names of the ignore files that only one kind of walk reads.
pub(crate) const FD_IGNORE: &str = ".fdignore";
pub(crate) const RIPGREP_IGNORE: &str = ".rgignore";

/// The maximum size of an ignore file, in bytes. The largest ignore files of published projects have some 20 KB.
const MOST_FILE_BYTES: u64 = 128 << 10;

/// The maximum size of the ignore files of a folder and of those above it, in bytes: a walk keeps these in memory, as
/// compiled rules that take up to 500 times their size.
const MOST_CHAIN_BYTES: u64 = 256 << 10;

/// The maximum size of a file that leads to a repository elsewhere, in bytes: the longest path, and more.
const POINTER_BYTES: u64 = 8 << 10;

/// The number of the device `/dev/null` (Linux, `Documentation/admin-guide/devices.txt`: major 1, minor 3).
const NULL_DEVICE: u64 = 1 << 8 | 3;

/// The rules of a folder, and those of the folders above it.
#[derive(Debug)]
pub(crate) struct FolderRules {
    above: Option<Arc<Self>>,
    /// Those of [`FD_IGNORE`] or [`RIPGREP_IGNORE`].
    own: Gitignore,
    /// Those of `.ignore`.
    ignore: Gitignore,
    /// Those of `.gitignore`.
    git: Gitignore,
    /// Those of `.git/info/exclude`.
    exclude: Gitignore,
    /// The user's global rules; empty except in the topmost value, which has no folder above.
    global: Gitignore,
    /// True for the top of a repository: the rules of git above it do not count.
    is_repository: bool,
    /// True at and below the top of a repository: elsewhere, the rules of git do not count.
    is_in_repository: bool,
    /// The size of the ignore files of the folder and of those above it, in bytes.
    bytes: u64,
}

impl FolderRules {
    /// True if the rules leave out an entry of the folder, false if they admit it. `None` if they do not mention it.
    pub(crate) fn leaves_out(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let mut found = [const { Match::None }; 5];
        let [own, ignore, git, exclude, global] = &mut found;
        let mut counts_git = self.is_in_repository;
        let mut next = Some(self);
        while let Some(rules) = next {
            let or_match = |found: &mut Match<()>, rules: &Gitignore| {
                if found.is_none() && !rules.is_empty() {
                    *found = rules.matched(path, is_folder).map(|_| ());
                }
            };
            or_match(own, &rules.own);
            or_match(ignore, &rules.ignore);
            if counts_git {
                or_match(git, &rules.git);
                or_match(exclude, &rules.exclude);
            }
            if self.is_in_repository {
                or_match(global, &rules.global);
            }
            counts_git &= !rules.is_repository;
            next = rules.above.as_deref();
        }
        let first = found.iter().find(|found| !found.is_none())?;
        Some(first.is_ignore())
    }
}

/// A reader of rules, with a bound on their size.
#[derive(Debug)]
pub(crate) struct RuleReader {
    own_name: &'static str,
    /// The folder to which the user's rules are relative.
    project: PathBuf,
    /// The size of the ignore files that may still be read, in bytes.
    left: u64,
    /// The rules of folders that contain a root.
    above: HashMap<PathBuf, Arc<FolderRules>>,
}

impl RuleReader {
    /// Creates a reader of at most this size of ignore files, in bytes: those that all walks read, and those of one more
    /// name.
    pub(crate) fn new(own_name: &'static str, project: &Path, most_bytes: u64) -> Self {
        Self { own_name, project: project.to_path_buf(), left: most_bytes, above: HashMap::new() }
    }

    /// Reads the rules of the folders above a root.
    pub(crate) fn above(&mut self, root: &Path) -> Result<Arc<FolderRules>, SkipReason> {
        let Some(parent) = root.parent() else {
            return self.global().map(Arc::new);
        };
        if let Some(known) = self.above.get(parent) {
            return Ok(Arc::clone(known));
        }
        let above = self.above(parent)?;
        let rules = self.folder(&above, parent, |_| true)?;
        self.above.insert(parent.to_path_buf(), Arc::clone(&rules));
        Ok(rules)
    }

    /// Reads the rules of a folder, given those of the folder above it. `has` is true for the names of entries that may
    /// exist.
    pub(crate) fn folder(
        &mut self,
        above: &Arc<FolderRules>,
        folder: &Path,
        has: impl Fn(&str) -> bool,
    ) -> Result<Arc<FolderRules>, SkipReason> {
        let own_text = |name| {
            if has(name) { rule_text(&folder.join(name), MOST_FILE_BYTES) } else { Ok(None) }
        };
        let texts = [own_text(self.own_name)?, own_text(".ignore")?, own_text(".gitignore")?];
        let git = has(".git").then(|| folder.join(".git"));
        let git = match git {
            Some(git) => metadata(&git)?.map(|found| (git, found.is_file())),
            None => None,
        };
        let is_repository = git.is_some() || has(".jj") && metadata(&folder.join(".jj"))?.is_some();
        let exclude = match git {
            Some((git, true)) => worktree_exclude(&git)?,
            Some((git, false)) => Some(git.join("info/exclude")),
            None => None,
        };
        let exclude = match exclude {
            Some(path) => rule_text(&path, MOST_FILE_BYTES)?,
            None => None,
        };
        if !is_repository && exclude.is_none() && texts.iter().all(Option::is_none) {
            return Ok(Arc::clone(above));
        }
        let read: u64 = texts.iter().chain([&exclude]).flatten().map(|text| text.len() as u64).sum();
        // Compiling takes much memory and time, so it is last.
        let bytes = self.count(above.bytes, read)?;
        let [own, ignore, git] = texts.map(|text| compile(folder, text));
        Ok(Arc::new(FolderRules {
            above: Some(Arc::clone(above)),
            own,
            ignore,
            git,
            exclude: compile(folder, exclude),
            global: Gitignore::empty(),
            is_repository,
            is_in_repository: is_repository || above.is_in_repository,
            bytes,
        }))
    }

    /// Reads the rules of the user.
    fn global(&mut self) -> Result<FolderRules, SkipReason> {
        let text = match gitconfig_excludes_path() {
            Some(path) => rule_text(&path, MOST_FILE_BYTES)?,
            None => None,
        };
        let bytes = self.count(0, text.as_ref().map_or(0, |text| text.len() as u64))?;
        Ok(FolderRules {
            above: None,
            own: Gitignore::empty(),
            ignore: Gitignore::empty(),
            git: Gitignore::empty(),
            exclude: Gitignore::empty(),
            global: compile(&self.project, text),
            is_repository: false,
            is_in_repository: false,
            bytes,
        })
    }

    /// Counts the size of ignore files that were read below others.
    fn count(&mut self, above: u64, read: u64) -> Result<u64, SkipReason> {
        let bytes = above + read;
        let left = self.left.checked_sub(read).filter(|_| bytes <= MOST_CHAIN_BYTES);
        self.left = left.ok_or(SkipReason::UnusableRules)?;
        Ok(bytes)
    }
}

/// Returns the metadata of what a path leads to. `None` if that is gone or cannot be reached.
fn metadata(path: &Path) -> Result<Option<Metadata>, SkipReason> {
    unless_unreadable(path.metadata()).map_err(|_| SkipReason::System)
}

/// Compiles the rules of a text. Malformed ones are ignored, as git does.
fn compile(folder: &Path, text: Option<String>) -> Gitignore {
    let Some(text) = text else { return Gitignore::empty() };
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _malformed = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Reads the text of a file of at most this size, up to the first line that is not UTF-8, as ripgrep does. `None` if there
/// is no file, or it must not be read.
fn rule_text(path: &Path, most_bytes: u64) -> Result<Option<String>, SkipReason> {
    let Some(opened) = unless_unreadable(open_rule_file(path)).map_err(|_| SkipReason::System)? else {
        return Ok(None);
    };
    let Some((file, found)) = opened else {
        // A folder of such a name has no rules, nor has a link to `/dev/null`.
        return match metadata(path)? {
            Some(found) if !found.is_dir() && found.rdev() != NULL_DEVICE => Err(SkipReason::UnusableRules),
            _ => Ok(None),
        };
    };
    let mut bytes = Vec::new();
    if found.len() <= most_bytes {
        let read = file.take(most_bytes + 1).read_to_end(&mut bytes);
        read.map_err(|error| SkipReason::from_io_error(&error))?;
    }
    if found.len().max(bytes.len() as u64) > most_bytes {
        return Err(SkipReason::UnusableRules);
    }
    Ok(Some(valid_lines(bytes)))
}

/// Returns the lines before the first that is not UTF-8.
fn valid_lines(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let valid = error.utf8_error().valid_up_to();
        let mut bytes = error.into_bytes();
        bytes.truncate(valid);
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        bytes.truncate(end.map_or(0, |end| end + 1));
        String::from_utf8(bytes).unwrap_or_default()
    })
}

/// Returns the path of the ignore file of the repository to which a `.git` that is a file leads.
fn worktree_exclude(git: &Path) -> Result<Option<PathBuf>, SkipReason> {
    let Some(folder) = first_line(git, "gitdir: ")? else {
        return Ok(None);
    };
    // Relative to the folder of the `.git`, as in git.
    let folder = git.parent().unwrap_or(git).join(folder);
    let common = first_line(&folder.join("commondir"), "")?;
    Ok(common.map(|common| folder.join(common).join("info/exclude")))
}

/// Returns the rest of a file's first line after `start`. `None` if there is no such file or line.
fn first_line(path: &Path, start: &str) -> Result<Option<String>, SkipReason> {
    let text = rule_text(path, POINTER_BYTES)?;
    let line = text.as_ref().and_then(|text| text.lines().next()?.strip_prefix(start));
    Ok(line.map(str::to_owned))
}

/// True for a name that a walk leaves out unless hidden files are wanted.
pub(crate) fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::{RIPGREP_IGNORE, RuleReader};

    /// As `git worktree add --relative-paths` writes it. Git resolves it from the folder of the `.git`.
    #[test]
    fn repository_of_a_worktree_may_be_named_relative_to_it() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().canonicalize().expect("there");
        let own = root.join("main/.git/worktrees/own");
        fs::create_dir_all(&own).expect("made");
        fs::create_dir_all(root.join("main/.git/info")).expect("made");
        fs::create_dir(root.join("own")).expect("made");
        fs::write(root.join("main/.git/info/exclude"), "*.log\n").expect("written");
        fs::write(own.join("commondir"), "../..\n").expect("written");
        fs::write(root.join("own/.git"), "gitdir: ../main/.git/worktrees/own\n").expect("written");
        let mut reader = RuleReader::new(RIPGREP_IGNORE, &root, 1_000);
        let folder = root.join("own");
        let above = reader.above(&folder).expect("no rules");
        let rules = reader.folder(&above, &folder, |_| true).expect("rules");
        assert_eq!(rules.leaves_out(&folder.join("a.log"), false), Some(true));
        assert_eq!(rules.leaves_out(&folder.join("a.txt"), false), None);
    }

    #[test]
    fn a_link_to_the_null_device_has_no_rules() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().canonicalize().expect("there");
        symlink("/dev/null", root.join(".ignore")).expect("linked");
        let mut reader = RuleReader::new(RIPGREP_IGNORE, &root, 1_000);
        let above = reader.above(&root).expect("no rules");
        let rules = reader.folder(&above, &root, |_| true).expect("no rules");
        assert_eq!(rules.leaves_out(&root.join("a.txt"), false), None);
    }
}
