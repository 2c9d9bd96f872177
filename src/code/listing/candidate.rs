//! An entry of a folder, whose metadata is read only if a filter needs it.

use std::{
    cell::OnceCell,
    fs::Metadata,
    io,
    path::{Path, PathBuf},
};

use fumi_base::project::Project;
use ignore::DirEntry;

use crate::{shared_walk::WalkEntry, walk::FileKind};

/// An entry that a walk visits, or that the table of folders has.
pub(super) struct Candidate<'a> {
    source: CandidateSource<'a>,
    pub(super) kind: FileKind,
    pub(super) metadata: OnceCell<Option<Metadata>>,
}

enum CandidateSource<'a> {
    Entry(DirEntry),
    /// An entry that is not visited, by its absolute path.
    Listed(&'a Path),
    /// A link without a target, while links are followed.
    Broken(PathBuf),
}

impl<'a> Candidate<'a> {
    /// Returns an entry of the table of folders.
    pub(super) const fn listed(path: &'a Path, kind: FileKind) -> Self {
        Self {
            source: CandidateSource::Listed(path),
            kind,
            metadata: OnceCell::new(),
        }
    }

    /// Returns a visited entry; `None` for the root itself, and for entries without a type.
    pub(super) fn read(entry: WalkEntry) -> Result<Option<Self>, ignore::Error> {
        match entry {
            Ok(entry) => Ok(entry
                .file_type()
                .filter(|kind| entry.depth() > 0 || !kind.is_dir())
                .map(|kind| Self {
                    source: CandidateSource::Entry(entry),
                    kind: kind.into(),
                    metadata: OnceCell::new(),
                })),
            // It cannot be followed; it is listed as a link, as by fd.
            Err(ignore::Error::WithPath { path, err })
                if err.io_error().is_some_and(|io| io.kind() == io::ErrorKind::NotFound) =>
            {
                let link = path.symlink_metadata().ok().filter(Metadata::is_symlink);
                Ok(link.map(|meta| Self {
                    source: CandidateSource::Broken(path),
                    kind: FileKind::Link,
                    metadata: OnceCell::from(Some(meta)),
                }))
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn path(&self) -> &Path {
        match &self.source {
            CandidateSource::Entry(entry) => entry.path(),
            CandidateSource::Listed(path) => path,
            CandidateSource::Broken(path) => path,
        }
    }

    /// True if the entry was visited through a followed link.
    pub(super) fn followed(&self) -> bool {
        matches!(&self.source, CandidateSource::Entry(entry) if entry.path_is_symlink() && self.kind != FileKind::Link)
    }

    pub(super) fn metadata(&self, project: &Project) -> Option<&Metadata> {
        self.metadata
            .get_or_init(|| {
                let read = match &self.source {
                    CandidateSource::Entry(entry) if self.followed() => entry.path().metadata(),
                    _ => self.path().symlink_metadata(),
                };
                project.failures().record(read).ok()
            })
            .as_ref()
    }
}
