//! Listing folders for the table, with the rules by which a walk enters them.
//!
//! Invariant: an entry is visible by its name, its kind and the ignore files alone, so that a listing does not contradict
//! itself if the folder changes meanwhile. A listing whose rules may change without an event is not made. Only ignore
//! files are opened.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsStr,
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use fumi_base::{change_log::is_logged, project::Project, system::unless_unreadable};

use super::{Entry, EntryKind, Folder, FolderTable};
use crate::walk::{FD_IGNORE, FileKind, FolderRules, RIPGREP_IGNORE, RuleReader, is_hidden};

/// The maximum depth of a listed folder: folders are listed by recursion, and paths may have 2,000 levels.
const MOST_LEVELS: usize = 100;

/// The cost of a folder besides its entries: it is opened, and its ignore files are looked up.
const FOLDER_VISITS: usize = 10;

/// The number of entries that are copied at the cost of one visit.
const COPIES_PER_VISIT: usize = 16;

/// No table can be made or kept now: too many entries, rules that may change without an event, or an ignore file that
/// cannot be read, which a walk may report.
#[derive(Debug)]
pub(crate) struct Unlistable;

impl From<io::Error> for Unlistable {
    fn from(_: io::Error) -> Self {
        Self
    }
}

/// The bounds of one use of a lister.
#[derive(Clone, Copy)]
pub(super) struct ListingBounds {
    /// The maximum number of visits; each is an entry of a folder.
    visits: usize,
    /// The maximum size of the ignore files that are read in listed folders, in bytes. Their rules stay in memory until
    /// the end, up to 500 times as large.
    rule_bytes: u64,
}

impl ListingBounds {
    /// For a whole table, whose entries take about 80 bytes each.
    const OF_TABLE: Self = Self { visits: 500_000, rule_bytes: 256 << 10 };

    /// To follow changes: some 10 milliseconds. A call does that, and others wait for it.
    pub(super) const OF_CALL: Self = Self { visits: 8_000, rule_bytes: 32 << 10 };
}

pub(crate) fn list_whole(project: &Arc<Project>) -> Result<FolderTable, Unlistable> {
    let mut lister = Lister::new(project, ListingBounds::OF_TABLE);
    let top = lister.list(Path::new(""))?.ok_or(Unlistable)?;
    let mut has_own_rules_above = false;
    for folder in project.root().ancestors().skip(1) {
        for name in [FD_IGNORE, RIPGREP_IGNORE] {
            has_own_rules_above |= unless_unreadable(folder.join(name).symlink_metadata())?.is_some();
        }
    }
    Ok(FolderTable { top, rule_inodes: lister.rule_inodes, has_own_rules_above })
}

/// A lister of folders, with a bound on its work. It reads each ignore file once.
pub(super) struct Lister {
    root: PathBuf,
    reader: RuleReader,
    /// The rules of folders, by their path relative to the root: of those that are being listed, and those above them.
    rules: HashMap<PathBuf, Arc<FolderRules>>,
    /// The number of visits that are left.
    visits: usize,
    /// The inodes of the ignore files in the listed folders.
    pub(super) rule_inodes: HashSet<u64>,
}

impl Lister {
    pub(super) fn new(project: &Project, bounds: ListingBounds) -> Self {
        Self {
            root: project.root().to_path_buf(),
            reader: RuleReader::new(RIPGREP_IGNORE, project.root(), bounds.rule_bytes),
            rules: HashMap::new(),
            visits: bounds.visits,
            rule_inodes: HashSet::new(),
        }
    }

    /// Lists a folder that a walk enters, given relative to the root, and all folders below it. `None` if it cannot be
    /// read.
    pub(super) fn list(&mut self, relative: &Path) -> Result<Option<Folder>, Unlistable> {
        let entries = fs::read_dir(self.absolute(relative));
        let Some(found) = unless_unreadable(entries.and_then(Iterator::collect::<io::Result<Vec<_>>>))? else {
            return Ok(None);
        };
        self.spend(FOLDER_VISITS)?;
        let names: Vec<_> = found.iter().map(fs::DirEntry::file_name).collect();
        let rules = self.read_rules(relative, |name| names.iter().any(|found| found == name))?;
        self.rules.insert(relative.to_path_buf(), rules);
        let mut entries = Vec::with_capacity(found.len());
        for (found, name) in found.iter().zip(&names) {
            // An entry that vanished is listed again after its event.
            if let Some(kind) = unless_unreadable(found.file_type())? {
                entries.push(self.entry(&relative.join(name), kind.into())?);
            }
        }
        self.rules.remove(relative);
        Ok(Some(Folder::new(entries)))
    }

    /// Counts a copy of a listed folder, some entries of which are listed again.
    pub(super) fn copy(&mut self, entries: usize) -> Result<(), Unlistable> {
        self.spend(1 + entries / COPIES_PER_VISIT)
    }

    /// Returns the rules of a folder that a walk enters.
    fn rules_of(&mut self, relative: &Path) -> Result<Arc<FolderRules>, Unlistable> {
        if let Some(known) = self.rules.get(relative) {
            return Ok(Arc::clone(known));
        }
        let rules = self.read_rules(relative, |_| true)?;
        self.rules.insert(relative.to_path_buf(), Arc::clone(&rules));
        Ok(rules)
    }

    fn read_rules(&mut self, relative: &Path, has: impl Fn(&str) -> bool) -> Result<Arc<FolderRules>, Unlistable> {
        let above = match relative.parent() {
            Some(parent) => self.rules_of(parent)?,
            None => self.reader.above(&self.root).map_err(|_| Unlistable)?,
        };
        let folder = self.absolute(relative);
        self.reader.folder(&above, &folder, has).map_err(|_| Unlistable)
    }

    fn absolute(&self, relative: &Path) -> PathBuf {
        // Joined to an empty path, the root would end with a slash.
        self.root.join(relative).components().collect()
    }

    /// Returns an entry of a folder that a walk enters, and lists what is below it.
    pub(super) fn entry(&mut self, relative: &Path, kind: FileKind) -> Result<Entry, Unlistable> {
        self.spend(1)?;
        let name = relative.file_name().ok_or(Unlistable)?;
        self.note_rules(relative, name)?;
        let rules = self.rules_of(relative.parent().ok_or(Unlistable)?)?;
        let by_rules = rules.leaves_out(&self.absolute(relative), kind == FileKind::Folder);
        let is_visible = !by_rules.unwrap_or_else(|| is_hidden(name));
        let is_entered = is_visible && is_logged(Path::new(name)) && relative.components().count() <= MOST_LEVELS;
        let kind = match kind {
            FileKind::File => EntryKind::File,
            FileKind::Link => EntryKind::Link,
            FileKind::Other => EntryKind::Other,
            FileKind::Folder if is_entered && let Some(folder) = self.list(relative)? => {
                EntryKind::Folder(Arc::new(folder))
            }
            FileKind::Folder => EntryKind::Unlisted,
        };
        Ok(Entry { name: name.into(), is_visible, kind })
    }

    /// Counts work.
    pub(super) fn spend(&mut self, visits: usize) -> Result<(), Unlistable> {
        self.visits = self.visits.checked_sub(visits).ok_or(Unlistable)?;
        Ok(())
    }

    /// Checks that the rules in an entry of a listed folder do not change without an event.
    fn note_rules(&mut self, relative: &Path, name: &OsStr) -> Result<(), Unlistable> {
        let path = || self.root.join(relative);
        match name.to_str() {
            Some(".gitignore" | ".ignore" | ".rgignore") => self.note_rule_file(&path()),
            Some(".git") => {
                let git = path();
                match git.symlink_metadata() {
                    Ok(found) if found.is_dir() && !is_link(&git.join("info"))? => {
                        self.note_rule_file(&git.join("info/exclude"))
                    }
                    // A worktree or submodule: the rules to which its `.git` leads are watched as rules outside the root.
                    Ok(found) if found.is_file() => Ok(()),
                    Ok(_) => Err(Unlistable),
                    Err(error) => gone(&error),
                }
            }
            // A link makes its folder a repository only while its target exists, which may change without an event.
            Some(".jj") if is_link(&path())? => Err(Unlistable),
            _ => Ok(()),
        }
    }

    fn note_rule_file(&mut self, path: &Path) -> Result<(), Unlistable> {
        match path.symlink_metadata() {
            Ok(found) if found.is_file() && found.nlink() == 1 => {
                self.rule_inodes.insert(found.ino());
                Ok(())
            }
            // A link, or a file with another name.
            Ok(_) => Err(Unlistable),
            Err(error) => gone(&error),
        }
    }
}

fn is_link(path: &Path) -> io::Result<bool> {
    Ok(unless_unreadable(path.symlink_metadata())?.is_some_and(|found| found.is_symlink()))
}

/// Accepts the error of a path that is gone: an event tells of it.
fn gone(error: &io::Error) -> Result<(), Unlistable> {
    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
        Ok(())
    } else {
        Err(Unlistable)
    }
}
