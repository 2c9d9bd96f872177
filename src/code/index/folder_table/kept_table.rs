//! The table of a project and the changes that it must follow.
//!
//! Invariant: a table is present only if every change so far is in it. A change that concerns few folders is followed at
//! once, by listing these folders again; otherwise the table is dropped, and made anew in the background.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::Metadata,
    io, mem,
    ops::Bound::{Excluded, Unbounded},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use fumi_base::{project::Project, system::unless_unreadable};

use super::{
    Entry, EntryKind, Folder, FolderTable, Unlistable,
    lister::{Lister, ListingBounds},
};
use crate::walk::FileKind;

/// The maximum memory of a table, in bytes. It grows by what calls add to it.
const MOST_BYTES: usize = 64 << 20;

/// The maximum number of changes while a table is made. Beyond it, the table is not used.
const MOST_PENDING: usize = 10_000;

/// The time after which a table is made again where that was impossible.
const RETRY: Duration = Duration::from_mins(1);

/// The time before the first retry if something changed while the table was made, which may be the reason for the failure.
/// It doubles with each failure, up to [`RETRY`].
const RETRY_CHANGED: Duration = Duration::from_secs(1);

/// A path that may have changed, relative to the root, and what is there now.
#[derive(Debug)]
pub(crate) struct ChangedPath {
    pub(crate) relative: PathBuf,
    pub(crate) found: Option<Metadata>,
}

impl ChangedPath {
    /// Looks at a path. Fails only if the system does.
    pub(crate) fn new(root: &Path, relative: PathBuf) -> io::Result<Self> {
        // Joined to an empty path, the root would end with a slash.
        let path = if relative.as_os_str().is_empty() { root.to_path_buf() } else { root.join(&relative) };
        Ok(Self { found: unless_unreadable(path.symlink_metadata())?, relative })
    }
}

/// The table of a project, if there is one now.
#[derive(Debug, Default)]
pub(crate) struct KeptTable {
    table: Option<Arc<FolderTable>>,
    /// The hash of the ignore rules outside the project, as of the last look; `None` if it cannot be told.
    outside: Option<u64>,
    /// The paths that changed since a table began to be made. `None` if none is being made, or it cannot be used.
    pending: Option<Vec<PathBuf>>,
    is_wanted: bool,
    /// The time before which no table is made, because that was impossible.
    retry: Option<Instant>,
    /// The number of failures to make a table since the last success.
    failures: u32,
}

/// A part of the table that must be made again.
enum Stale {
    /// Everything below a folder: its rules changed.
    Below,
    /// An entry of a listed folder, which has this kind now, or is gone.
    Entry(Option<FileKind>),
}

impl KeptTable {
    pub(crate) fn get(&self) -> Option<Arc<FolderTable>> {
        self.table.clone()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.table.as_ref().map_or(0, |table| table.bytes())
    }

    /// Records that a search could use a table. Returns true if one is to be made.
    pub(crate) fn want(&mut self) -> bool {
        let is_possible = self.outside.is_some() && self.retry.is_none_or(|retry| retry <= Instant::now());
        self.is_wanted |= self.table.is_none() && is_possible;
        self.is_wanted
    }

    /// True if a table is to be made, or is being made.
    pub(crate) const fn is_awaited(&self) -> bool {
        self.is_wanted || self.pending.is_some()
    }

    /// Begins to make a table. Returns false if none is wanted.
    pub(crate) fn begin(&mut self) -> bool {
        let is_wanted = mem::take(&mut self.is_wanted) && self.table.is_none();
        self.pending = is_wanted.then(Vec::new);
        is_wanted
    }

    /// Takes a table that was made since [`KeptTable::begin`].
    pub(crate) fn finish(&mut self, made: Result<FolderTable, Unlistable>, project: &Arc<Project>) {
        let pending = self.pending.take();
        let is_changed = pending.as_ref().is_none_or(|pending| !pending.is_empty());
        let look = |path| ChangedPath::new(project.root(), path);
        let changed = pending.map(|pending| pending.into_iter().map(look).collect::<io::Result<Vec<_>>>());
        match (made, changed) {
            (Ok(table), Some(Ok(changed))) => {
                (self.retry, self.failures) = (None, 0);
                self.table = Some(Arc::new(table));
                self.follow(&changed, project);
            }
            // Too much changed meanwhile: the next search asks again.
            (Ok(_), None) => {}
            _ => {
                let changed = RETRY_CHANGED.saturating_mul(2_u32.saturating_pow(self.failures));
                self.retry = Some(Instant::now() + if is_changed { changed.min(RETRY) } else { RETRY });
                self.failures += 1;
            }
        }
    }

    /// Drops the table, and the one that is being made.
    pub(crate) fn forget(&mut self) {
        self.table = None;
        self.pending = None;
    }

    /// Follows changes. `outside` is the hash of the ignore rules outside the project, `None` if it cannot be told.
    pub(crate) fn change(&mut self, changed: &[ChangedPath], outside: Option<u64>, project: &Arc<Project>) {
        if outside.is_none() || outside != self.outside {
            self.outside = outside;
            self.forget();
        }
        if let Some(pending) = &mut self.pending {
            pending.extend(changed.iter().map(|path| path.relative.clone()));
        }
        self.pending.take_if(|pending| pending.len() > MOST_PENDING);
        self.follow(changed, project);
    }

    fn follow(&mut self, changed: &[ChangedPath], project: &Arc<Project>) {
        let Some(table) = self.table.take_if(|_| !changed.is_empty()) else {
            return;
        };
        self.table = match table.stale(changed) {
            Ok(stale) if stale.is_empty() => Some(table),
            stale => stale.and_then(|stale| table.made_again(&stale, project)).ok().map(Arc::new),
        };
    }
}

impl FolderTable {
    /// Returns the parts that must be made again, by their path relative to the root.
    fn stale(&self, changed: &[ChangedPath]) -> Result<BTreeMap<PathBuf, Stale>, Unlistable> {
        let mut stale = BTreeMap::new();
        for ChangedPath { relative, found } in changed {
            let is_linked = |found: &Metadata| found.nlink() > 1 && self.rule_inodes.contains(&found.ino());
            if found.as_ref().is_some_and(is_linked) {
                return Err(Unlistable);
            }
            let (Some(parent), Some(name)) = (relative.parent(), relative.file_name()) else {
                // The root itself.
                stale.insert(PathBuf::new(), Stale::Below);
                continue;
            };
            if let Some(folder) = folder_of_rules(relative) {
                if self.folder(folder).is_some() {
                    stale.entry(folder.to_path_buf()).or_insert(Stale::Below);
                }
                continue;
            }
            // A walk enters no folder that is not listed, or the whole folder is stale.
            let Some(folder) = self.folder(parent) else { continue };
            let found = found.as_ref().map(|found| FileKind::from(found.file_type()));
            let is_same = match (folder.entry(name), found) {
                // It may be another folder than before, or have become readable.
                (Some(entry), Some(FileKind::Folder)) => entry.kind() == FileKind::Folder && !entry.is_visible,
                (Some(entry), Some(found)) => entry.kind() == found,
                (None, None) => true,
                _ => false,
            };
            if !is_same {
                stale.insert(relative.clone(), Stale::Entry(found));
            }
        }
        Ok(stale)
    }

    /// Returns the table with some parts made again.
    fn made_again(&self, stale: &BTreeMap<PathBuf, Stale>, project: &Arc<Project>) -> Result<Self, Unlistable> {
        let mut lister = Lister::new(project, ListingBounds::OF_CALL);
        let top = self.top.made_again(Path::new(""), stale, &mut lister)?;
        let mut rule_inodes = lister.rule_inodes;
        rule_inodes.extend(&self.rule_inodes);
        let table = Self { top, rule_inodes, has_own_rules_above: self.has_own_rules_above };
        if table.bytes() <= MOST_BYTES { Ok(table) } else { Err(Unlistable) }
    }
}

impl Folder {
    /// Returns a copy with the stale parts at and below the folder made again; `path` is its path relative to the root.
    /// Each folder is copied once, however many of its entries are stale.
    fn made_again(
        &self,
        path: &Path,
        stale: &BTreeMap<PathBuf, Stale>,
        lister: &mut Lister,
    ) -> Result<Self, Unlistable> {
        if stale.contains_key(path) {
            return lister.list(path)?.ok_or(Unlistable);
        }
        lister.copy(self.entries.len())?;
        let mut made: BTreeMap<&OsStr, Option<Entry>> = BTreeMap::new();
        let below = stale.range::<Path, _>((Excluded(path), Unbounded));
        for (stale_path, part) in below.take_while(|(below, _)| below.starts_with(path)) {
            lister.spend(1)?;
            let mut names = stale_path.strip_prefix(path).map_err(|_| Unlistable)?.iter();
            let name = names.next().ok_or(Unlistable)?;
            // The entry was made again with all stale parts below it.
            if made.contains_key(name) {
                continue;
            }
            let child = path.join(name);
            let entry = match part {
                Stale::Entry(kind) if names.next().is_none() => {
                    kind.map(|kind| lister.entry(&child, kind)).transpose()?
                }
                _ => {
                    let folder = self.below(name).ok_or(Unlistable)?;
                    Some(Entry {
                        name: name.into(),
                        is_visible: true,
                        kind: EntryKind::Folder(Arc::new(folder.made_again(&child, stale, lister)?)),
                    })
                }
            };
            made.insert(name, entry);
        }
        let same = self.entries.iter().filter(|entry| !made.contains_key(&*entry.name));
        let entries = same.cloned().collect::<Vec<_>>().into_iter();
        Ok(Self::new(entries.chain(made.into_values().flatten()).collect()))
    }
}

/// Returns the folder to which the ignore rules in a path apply, or which the path makes a repository, so that the rules
/// of git above it do not count.
fn folder_of_rules(relative: &Path) -> Option<&Path> {
    let is_git = |path: &&Path| path.file_name() == Some(OsStr::new(".git"));
    if let Some(git) = relative.ancestors().filter(is_git).last() {
        let inside = relative.strip_prefix(git).ok()?;
        let has_rules = ["", "info", "info/exclude"].iter().any(|path| inside == Path::new(path));
        return git.parent().filter(|_| has_rules);
    }
    let name = relative.file_name()?;
    let has_rules = [".gitignore", ".ignore", ".rgignore", ".jj"].iter().any(|rules| name == *rules);
    relative.parent().filter(|_| has_rules)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::folder_of_rules;

    #[test]
    fn rules_belong_to_their_folder() {
        for (path, folder) in [
            ("a.rs", None),
            ("a/.gitignore", Some("a")),
            (".rgignore", Some("")),
            ("a/.jj", Some("a")),
            (".git", Some("")),
            ("a/.git/info/exclude", Some("a")),
            ("a/.git/index", None),
            (".git/info/other", None),
        ] {
            assert_eq!(folder_of_rules(Path::new(path)), folder.map(Path::new), "{path}");
        }
    }
}
