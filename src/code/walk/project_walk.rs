//! The walk of a project: which folders are entered, which ignore files are read, which links are followed, what is
//! recorded.
//!
//! The walker of the crate `ignore` is not used, because it opens ignore files in a way that may wait without end (see
//! `ignore_rules.rs`). Its rules are followed, and tests compare the two walks. Unlike in that walker, the rules can leave
//! out links without a target and links to a folder above, as they can other entries.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, FileType},
    io,
    ops::ControlFlow,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use fumi_base::project::Project;
use ignore::overrides::Override;
use parking_lot::Mutex;

use super::{
    FileKind,
    ignore_rules::{FolderRules, RuleReader, is_hidden},
    traversal::Traversal,
};
use crate::skipped::{SkipReason, SkippedList, display_path};

/// The maximum size of all ignore files that one walk reads, in bytes. Compiling them takes up to 3 seconds a megabyte.
const MOST_RULE_BYTES: u64 = 4 << 20;

/// A walk of folders, which never leaves the project.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk<'a> {
    pub(crate) project: &'a Project,
    /// Absolute paths. Ignore rules are not applied to these themselves.
    pub(crate) roots: &'a [PathBuf],
    pub(crate) traversal: Traversal,
    /// The name of the ignore file that this kind of walk reads besides those of all:
    /// [`FD_IGNORE`](super::FD_IGNORE) or [`RIPGREP_IGNORE`](super::RIPGREP_IGNORE).
    pub(crate) own_rules: &'static str,
    /// The caller's globs, which take precedence over ignore files and hidden names.
    pub(crate) globs: &'a Override,
    /// The maximum depth of a visited entry.
    pub(crate) max_depth: Option<usize>,
    /// Takes what cannot be visited.
    pub(crate) skipped: &'a Mutex<SkippedList>,
}

/// An entry that a walk visits.
#[derive(Debug)]
pub(crate) struct WalkEntry {
    pub(crate) path: PathBuf,
    /// The kind of the target, if the entry is a link that was followed.
    pub(crate) kind: FileKind,
    /// The number of folders between it and its root; 0 for a root.
    pub(crate) depth: usize,
    /// True for a link that was followed.
    pub(crate) is_followed: bool,
}

/// A folder that is to be entered.
struct PendingFolder {
    entry: WalkEntry,
    /// The rules of the folder above it; `None` if no ignore files are read.
    rules: Option<Arc<FolderRules>>,
    /// The folders that contain it, if links are followed.
    above: Option<Arc<EnteredFolder>>,
}

/// A folder that was entered, in a list with those that contain it.
struct EnteredFolder {
    /// Its device and inode.
    id: (u64, u64),
    above: Option<Arc<Self>>,
}

/// An entry as a folder lists it.
struct ListedEntry {
    name: OsString,
    kind: FileType,
}

impl Walk<'_> {
    /// Visits every entry once, until the visitor breaks.
    pub(crate) fn visit(&self, mut visitor: impl FnMut(WalkEntry) -> ControlFlow<()>) -> ControlFlow<()> {
        let is_reading = !self.traversal.no_ignore;
        let mut reader = is_reading.then(|| RuleReader::new(self.own_rules, self.project.root(), MOST_RULE_BYTES));
        for root in self.roots {
            let mut pending = Vec::new();
            match root.metadata() {
                Ok(found) => {
                    let entry =
                        WalkEntry { path: root.clone(), kind: found.file_type().into(), depth: 0, is_followed: false };
                    if entry.kind != FileKind::Folder {
                        self.project.note_entry(root);
                        visitor(entry)?;
                        continue;
                    }
                    match reader.as_mut().map(|reader| reader.above(root)).transpose() {
                        Ok(rules) => pending.push(PendingFolder { entry, rules, above: None }),
                        Err(reason) => self.skip(root, reason),
                    }
                }
                Err(error) => self.skip_error(root, &error),
            }
            while let Some(folder) = pending.pop() {
                self.enter(folder, &mut reader, &mut pending, &mut visitor)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits a folder and its entries; the folders among these are added to `pending`.
    fn enter(
        &self,
        PendingFolder { entry, rules, above }: PendingFolder,
        reader: &mut Option<RuleReader>,
        pending: &mut Vec<PendingFolder>,
        visitor: &mut impl FnMut(WalkEntry) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (folder, depth) = (entry.path.clone(), entry.depth + 1);
        let is_deepest = self.max_depth.is_some_and(|most| most < depth);
        let listed = if is_deepest { Ok(Vec::new()) } else { self.list(&folder) };
        let has = |name: &str| listed.iter().flatten().any(|entry| entry.name == name);
        let rules = reader.as_mut().zip(rules);
        let rules = rules.map(|(reader, above)| reader.folder(&above, &folder, has)).transpose();
        let rules = match rules {
            Ok(rules) => rules,
            Err(reason) => {
                self.skip(&folder, reason);
                return ControlFlow::Continue(());
            }
        };
        self.project.note_entry(&folder);
        visitor(entry)?;
        let listed = match listed {
            Ok(listed) => listed,
            Err(error) => {
                self.skip_error(&folder, &error);
                return ControlFlow::Continue(());
            }
        };
        let above = if self.traversal.follow_symlinks { self.entered(&folder, above) } else { None };
        for ListedEntry { name, kind } in listed {
            let path = folder.join(&name);
            let Some((kind, is_followed)) = self.follow(&path, kind) else {
                continue;
            };
            if self.leaves_out(&path, &name, kind == FileKind::Folder, rules.as_deref()) {
                continue;
            }
            if is_followed && let Some(reason) = self.link_skip_reason(&path, kind, above.as_deref()) {
                self.skip(&path, reason);
                continue;
            }
            let entry = WalkEntry { path, kind, depth, is_followed };
            if kind == FileKind::Folder {
                pending.push(PendingFolder { entry, rules: rules.clone(), above: above.clone() });
            } else {
                self.project.note_entry(&entry.path);
                visitor(entry)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Lists a folder. What cannot be listed of it is recorded.
    fn list(&self, folder: &Path) -> io::Result<Vec<ListedEntry>> {
        let mut listed = Vec::new();
        for entry in fs::read_dir(folder)? {
            let read = entry.and_then(|entry| Ok(ListedEntry { kind: entry.file_type()?, name: entry.file_name() }));
            match read {
                Ok(entry) => listed.push(entry),
                Err(error) => self.skip_error(folder, &error),
            }
        }
        Ok(listed)
    }

    /// Returns the kind of an entry, and true if it is a link that is followed. A link without a target is not followed.
    /// `None` if the target cannot be accessed.
    fn follow(&self, path: &Path, kind: FileType) -> Option<(FileKind, bool)> {
        if !(self.traversal.follow_symlinks && kind.is_symlink()) {
            return Some((kind.into(), false));
        }
        match path.metadata() {
            Ok(target) => Some((target.file_type().into(), true)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.project.note_unstamped();
                Some((FileKind::Link, false))
            }
            Err(error) => {
                self.skip_error(path, &error);
                None
            }
        }
    }

    /// True if globs, ignore files or a hidden name leave out an entry.
    fn leaves_out(&self, path: &Path, name: &OsStr, is_folder: bool, rules: Option<&FolderRules>) -> bool {
        let by_globs = self.globs.matched(path, is_folder);
        if !by_globs.is_none() {
            return by_globs.is_ignore();
        }
        let by_rules = rules.and_then(|rules| rules.leaves_out(path, is_folder));
        by_rules.unwrap_or_else(|| !self.traversal.hidden && is_hidden(name))
    }

    /// Returns the reason for not visiting a link.
    fn link_skip_reason(&self, link: &Path, kind: FileKind, above: Option<&EnteredFolder>) -> Option<SkipReason> {
        // The target decides about everything below it.
        if !leads_inside(self.project, link) {
            return Some(SkipReason::OutsideProject);
        }
        let is_loop = kind == FileKind::Folder && self.contains(above, link);
        is_loop.then_some(SkipReason::LinkLoop)
    }

    /// Returns the list of the entered folders with one more.
    fn entered(&self, folder: &Path, above: Option<Arc<EnteredFolder>>) -> Option<Arc<EnteredFolder>> {
        let found = self.project.failures().record(folder.metadata()).ok()?;
        let id = (found.dev(), found.ino());
        Some(Arc::new(EnteredFolder { id, above }))
    }

    /// True if a link leads to one of the entered folders.
    fn contains(&self, mut entered: Option<&EnteredFolder>, link: &Path) -> bool {
        let Ok(target) = self.project.failures().record(link.metadata()) else { return false };
        while let Some(folder) = entered {
            if folder.id == (target.dev(), target.ino()) {
                return true;
            }
            entered = folder.above.as_deref();
        }
        false
    }

    fn skip_error(&self, path: &Path, error: &io::Error) {
        self.project.note_unstamped();
        // Deleted during the walk: as if it had never existed.
        if error.kind() != io::ErrorKind::NotFound {
            self.skip(path, SkipReason::from_io_error(error));
        }
    }

    fn skip(&self, path: &Path, reason: SkipReason) {
        self.skipped.lock().add(display_path(self.project.root(), path), reason);
    }
}

/// True if a link leads to a place inside the project.
pub(crate) fn leads_inside(project: &Project, link: &Path) -> bool {
    project.note_unstamped();
    let real = project.failures().record(link.canonicalize());
    real.is_ok_and(|real| real.starts_with(project.root()))
}
