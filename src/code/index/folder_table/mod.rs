//! The folders of a project as a search with the default rules walks them, so that a search need not walk.
//!
//! Invariant: the entries of a folder were read, and the rules of a walk applied to them (`lister.rs`), after the last
//! event that could alter them (`kept_table.rs`). A folder of which that is not known is [`EntryKind::Unlisted`], and a
//! question that needs it has no answer here. A table is immutable; a change makes another one, which shares the folders
//! that did not change. Files are never opened.

mod kept_table;
mod lister;

use std::{
    collections::HashSet,
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::Arc,
};

use fumi_base::change_log::is_logged;
use ignore::{Match, overrides::Override};

use crate::walk::{FD_IGNORE, FileKind, RIPGREP_IGNORE};

pub(crate) use kept_table::{ChangedPath, KeptTable};
use lister::Unlistable;
pub(crate) use lister::list_whole;

/// The memory of an entry besides its name, in bytes: the entry itself and the allocation of the name.
const ENTRY_BYTES: usize = size_of::<Entry>() + 16;

/// The memory of the number of a file with rules, in bytes.
const RULE_BYTES: usize = 16;

/// The table of a project.
#[derive(Debug)]
pub(crate) struct FolderTable {
    top: Folder,
    /// The inodes of the ignore files that were read. One that gets a second name may change without an event about the
    /// first.
    rule_inodes: HashSet<u64>,
    /// True if an ignore file above the root is read by only one of the two kinds of walks.
    has_own_rules_above: bool,
}

/// A folder that a walk enters.
#[derive(Debug)]
pub(crate) struct Folder {
    /// All entries, by name; those that a walk leaves out are among them, because globs can make it visit them.
    entries: Box<[Entry]>,
    /// The number of files that a walk finds at and below the folder.
    files: u64,
    /// True if a walk without globs finds nothing at and below the folder but what is listed here.
    is_whole: bool,
    /// True if an ignore file at or below the folder is read by only one of the two kinds of walks.
    has_own_rules: bool,
    /// The memory of the entries at and below the folder, in bytes.
    bytes: usize,
}

#[derive(Clone, Debug)]
struct Entry {
    name: Arc<OsStr>,
    /// True if a walk without globs visits it.
    is_visible: bool,
    kind: EntryKind,
}

#[derive(Clone, Debug)]
enum EntryKind {
    File,
    /// A folder that a walk without globs enters.
    Folder(Arc<Folder>),
    /// A folder that is not listed: a walk leaves it out, or cannot read it, or its changes are not reported.
    Unlisted,
    Link,
    /// A pipe, a socket or a device.
    Other,
}

impl Entry {
    /// True if a walk that visits the entry must be made.
    fn needs_walk(&self) -> bool {
        matches!(self.kind, EntryKind::Unlisted) || !is_logged(Path::new(&self.name))
    }

    const fn kind(&self) -> FileKind {
        match self.kind {
            EntryKind::File => FileKind::File,
            EntryKind::Folder(_) | EntryKind::Unlisted => FileKind::Folder,
            EntryKind::Link => FileKind::Link,
            EntryKind::Other => FileKind::Other,
        }
    }
}

impl FolderTable {
    /// Returns the memory of the table, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.top.bytes + self.rule_inodes.len() * RULE_BYTES
    }

    /// True if a listing, which reads other ignore files than a search, would find the same entries.
    pub(crate) fn is_as_listed(&self) -> bool {
        !self.has_own_rules_above && !self.top.has_own_rules
    }

    /// Returns a folder that a walk of the project enters, by its path relative to the root. `None` also if that is not
    /// known.
    pub(crate) fn folder(&self, relative: &Path) -> Option<&Folder> {
        relative.iter().try_fold(&self.top, |folder, name| folder.below(name))
    }

    /// True for a file that a walk of the project finds.
    pub(crate) fn has_file(&self, relative: &Path) -> bool {
        let folder = relative.parent().and_then(|parent| self.folder(parent));
        let entry = folder.and_then(|folder| folder.entry(relative.file_name()?));
        entry.is_some_and(|entry| entry.is_visible && matches!(entry.kind, EntryKind::File))
    }
}

impl Folder {
    fn new(mut entries: Vec<Entry>) -> Self {
        // A stable sort is fast where two sorted lists were joined.
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        let (mut files, mut is_whole, mut has_own_rules, mut bytes) = (0, true, false, 0);
        for entry in &entries {
            bytes += ENTRY_BYTES + entry.name.len();
            is_whole &= !(entry.is_visible && entry.needs_walk());
            has_own_rules |= *entry.name == *FD_IGNORE || *entry.name == *RIPGREP_IGNORE;
            match &entry.kind {
                EntryKind::File => files += u64::from(entry.is_visible),
                EntryKind::Folder(below) => {
                    files += below.files;
                    is_whole &= below.is_whole;
                    has_own_rules |= below.has_own_rules;
                    bytes += below.bytes;
                }
                EntryKind::Unlisted | EntryKind::Link | EntryKind::Other => {}
            }
        }
        Self { entries: entries.into(), files, is_whole, has_own_rules, bytes }
    }

    /// Returns a listed folder in this one.
    fn below(&self, name: &OsStr) -> Option<&Self> {
        match &self.entry(name)?.kind {
            EntryKind::Folder(below) => Some(below),
            _ => None,
        }
    }

    fn entry(&self, name: &OsStr) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| (*entry.name).cmp(name)).ok()?;
        self.entries.get(at)
    }

    /// Returns the number of files that a walk without globs finds. `None` if it must be made.
    pub(crate) fn files(&self) -> Option<u64> {
        self.is_whole.then_some(self.files)
    }

    /// Calls `visit` with each file that a walk with these globs finds; see [`Folder::each_entry`].
    pub(crate) fn each_file(&self, path: &mut PathBuf, globs: &Override, mut visit: impl FnMut(&Path) -> bool) -> bool {
        self.each_entry(path, globs, None, &mut |path, kind| kind != FileKind::File || visit(path))
    }

    /// Calls `visit` with each entry that a walk with these globs finds at most `depth` levels below the folder, by its
    /// path below `path`, which is the path of this folder. Returns false if the walk must be made, or if `visit` does.
    /// `path` is unchanged afterwards.
    pub(crate) fn each_entry(
        &self,
        path: &mut PathBuf,
        globs: &Override,
        depth: Option<usize>,
        visit: &mut impl FnMut(&Path, FileKind) -> bool,
    ) -> bool {
        let below = depth.map(|depth| depth.saturating_sub(1));
        if depth == Some(0) {
            return true;
        }
        for entry in &self.entries {
            path.push(&*entry.name);
            // The order of `ignore`: globs decide before ignore files and hidden names.
            let is_visited = match globs.matched(&path, entry.kind() == FileKind::Folder) {
                Match::None => entry.is_visible,
                Match::Ignore(_) => false,
                Match::Whitelist(_) => true,
            };
            let goes_on = !is_visited
                || !entry.needs_walk()
                    && visit(path, entry.kind())
                    && match &entry.kind {
                        EntryKind::Folder(folder) => folder.each_entry(path, globs, below, visit),
                        _ => true,
                    };
            path.pop();
            if !goes_on {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests;
