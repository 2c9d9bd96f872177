//! An entry of a folder, whose metadata is read only if a filter needs it.

use std::{cell::OnceCell, fs::Metadata, path::Path};

use fumi_base::project::Project;

use crate::walk::{FileKind, WalkEntry};

/// An entry that a walk visits, or that the table of folders has.
pub(super) struct Candidate<'a> {
    source: CandidateSource<'a>,
    pub(super) kind: FileKind,
    pub(super) metadata: OnceCell<Option<Metadata>>,
}

enum CandidateSource<'a> {
    Visited(WalkEntry),
    /// An entry that is not visited, by its absolute path.
    Listed(&'a Path),
}

impl<'a> Candidate<'a> {
    /// Returns an entry of the table of folders.
    pub(super) const fn listed(path: &'a Path, kind: FileKind) -> Self {
        Self { source: CandidateSource::Listed(path), kind, metadata: OnceCell::new() }
    }

    /// Returns a visited entry. `None` for a folder that is the root itself.
    pub(super) fn visited(entry: WalkEntry) -> Option<Self> {
        let kind = entry.kind;
        (entry.depth > 0 || kind != FileKind::Folder).then_some(Self {
            source: CandidateSource::Visited(entry),
            kind,
            metadata: OnceCell::new(),
        })
    }

    pub(super) fn path(&self) -> &Path {
        match &self.source {
            CandidateSource::Visited(entry) => &entry.path,
            CandidateSource::Listed(path) => path,
        }
    }

    /// True if the entry was visited through a followed link.
    pub(super) const fn followed(&self) -> bool {
        matches!(&self.source, CandidateSource::Visited(entry) if entry.is_followed)
    }

    pub(super) fn metadata(&self, project: &Project) -> Option<&Metadata> {
        self.metadata
            .get_or_init(|| {
                let read = if self.followed() { self.path().metadata() } else { self.path().symlink_metadata() };
                project.failures().record(read).ok()
            })
            .as_ref()
    }
}
