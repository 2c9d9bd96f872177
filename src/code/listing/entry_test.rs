//! The filters that an entry of a walk must pass: name, place, extension, kind, size and time.

use std::{fs::Metadata, sync::Arc};

use fumi_base::project::Project;
use regex::bytes::{Regex, RegexSet};

use super::candidate::Candidate;
use crate::{
    errors::search::SearchError,
    modified_filter::ModifiedFilter,
    place_filter::PlaceFilter,
    size::SizeFilter,
    walk::{FileKind, leads_inside, strip_root},
};

/// The filters of a file search, in the order of their cost.
#[derive(Debug)]
pub(super) struct EntryTest {
    pub(super) project: Arc<Project>,
    pub(super) name: Option<Regex>,
    pub(super) within: Option<PlaceFilter>,
    pub(super) full_path: bool,
    pub(super) extensions: Option<RegexSet>,
    pub(super) kinds: Option<Kinds>,
    pub(super) sizes: Vec<SizeFilter>,
    pub(super) changed: Vec<ModifiedFilter>,
}

impl EntryTest {
    pub(super) fn admits(&self, candidate: &Candidate<'_>) -> bool {
        let Some(name) = candidate.path().file_name() else {
            return false;
        };
        let name = name.as_encoded_bytes();
        if let Some(pattern) = &self.name {
            let subject = if self.full_path { candidate.path().as_os_str().as_encoded_bytes() } else { name };
            if !pattern.is_match(subject) {
                return false;
            }
        }
        if let Some(within) = &self.within {
            let relative = strip_root(self.project.root(), candidate.path());
            if !relative.is_some_and(|relative| within.admits(relative)) {
                return false;
            }
        }
        if self.extensions.as_ref().is_some_and(|set| !set.is_match(name)) {
            return false;
        }
        if self.kinds.is_some_and(|kinds| !kinds.admit(candidate, &self.project)) {
            return false;
        }
        if !self.sizes.is_empty() {
            // As in fd: sizes are of files, and of links that lead to files (the size is then the link's own).
            let is_file = candidate.kind == FileKind::File
                || (candidate.kind == FileKind::Link
                    && leads_inside(&self.project, candidate.path())
                    && self.project.failures().record(candidate.path().metadata()).is_ok_and(|meta| meta.is_file()));
            let size = candidate.metadata(&self.project).map(Metadata::len);
            if !is_file || !size.is_some_and(|size| self.sizes.iter().all(|filter| filter.admits(size))) {
                return false;
            }
        }
        if !self.changed.is_empty() {
            let changed = candidate.metadata(&self.project).and_then(|meta| meta.modified().ok());
            if !changed.is_some_and(|time| self.changed.iter().all(|filter| filter.admits(time))) {
                return false;
            }
        }
        true
    }
}

/// The kinds of entries admitted: the meaning of fd's `--type`, where `x` and `e` narrow the other types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds {
    files: bool,
    folders: bool,
    links: bool,
    only: KindRestriction,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct KindRestriction {
    executable: bool,
    empty: bool,
}

impl Kinds {
    pub(super) fn parse(types: &[String]) -> Result<Option<Self>, SearchError> {
        let mut kinds = Self::default();
        for value in types {
            match value.as_str() {
                "f" | "file" => kinds.files = true,
                "d" | "dir" | "directory" => kinds.folders = true,
                "l" | "symlink" => kinds.links = true,
                "x" | "executable" => {
                    kinds.only.executable = true;
                    kinds.files = true;
                }
                "e" | "empty" => kinds.only.empty = true,
                _ => return Err(SearchError::UnknownFileType { value: value.clone() }),
            }
        }
        if kinds.only.empty && !(kinds.files || kinds.folders) {
            kinds.files = true;
            kinds.folders = true;
        }
        Ok((!types.is_empty()).then_some(kinds))
    }

    fn admit(self, candidate: &Candidate<'_>, project: &Project) -> bool {
        let admitted = match candidate.kind {
            FileKind::File => self.files,
            FileKind::Folder => self.folders,
            FileKind::Link => self.links,
            FileKind::Other => false,
        };
        admitted
            && (!self.only.executable || executable(candidate, project))
            && (!self.only.empty || empty(candidate, project))
    }
}

fn executable(candidate: &Candidate<'_>, project: &Project) -> bool {
    use std::os::unix::fs::PermissionsExt;
    // Any execute bit: it does not matter if this process may run the file, since nothing is run. fd asks the system,
    // which follows links.
    let bits = |meta: &Metadata| meta.permissions().mode() & 0o111 != 0;
    if candidate.kind == FileKind::Link {
        project.note_unstamped();
        let target = project.failures().record(candidate.path().metadata());
        return target.is_ok_and(|meta| bits(&meta));
    }
    candidate.metadata(project).is_some_and(bits)
}

fn empty(candidate: &Candidate<'_>, project: &Project) -> bool {
    match candidate.kind {
        FileKind::File => candidate.metadata(project).is_some_and(|meta| meta.len() == 0),
        FileKind::Folder => {
            let failures = project.failures();
            let entries = failures.record(candidate.path().read_dir());
            entries.is_ok_and(|mut entries| entries.next().map(|entry| failures.record(entry)).is_none())
        }
        FileKind::Link | FileKind::Other => false,
    }
}
