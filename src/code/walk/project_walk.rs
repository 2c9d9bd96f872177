//! The rules of every walk of a project: which ignore files are read, which links are followed, what is recorded.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use fumi_base::project::Project;
use ignore::{DirEntry, WalkBuilder};
use parking_lot::Mutex;

use super::traversal::Traversal;
use crate::skipped::{SkipReason, SkippedList, display_path};

/// The names of the ignore files that only one kind of walk reads.
pub(crate) const FD_IGNORE: &str = ".fdignore";
pub(crate) const RIPGREP_IGNORE: &str = ".rgignore";

/// Returns a walk of project folders, which never leaves the project, with the ignore rules that fd and ripgrep share, and
/// those in files of another name: [`FD_IGNORE`] for a listing, [`RIPGREP_IGNORE`] for a search.
pub(crate) fn walk_builder(
    project: &Arc<Project>,
    traversal: Traversal,
    own_rules: &str,
    skipped: &Arc<Mutex<SkippedList>>,
) -> WalkBuilder {
    let mut builder = WalkBuilder::empty();
    builder
        .current_dir(project.root())
        .standard_filters(!traversal.no_ignore)
        .hidden(!traversal.hidden)
        .follow_links(traversal.follow_symlinks);
    if traversal.follow_symlinks {
        let project = Arc::clone(project);
        let skipped = Arc::clone(skipped);
        builder.filter_entry(move |entry| {
            // A followed link keeps its own name; the target of the link decides about everything below it.
            if !entry.path_is_symlink() || leads_inside(&project, entry.path()) {
                return true;
            }
            skipped
                .lock()
                .add(display_path(project.root(), entry.path()), SkipReason::OutsideProject);
            false
        });
    }
    if !traversal.no_ignore {
        builder.add_custom_ignore_filename(own_rules);
    }
    builder
}

/// Adds an error of the walk to `skipped`, if it concerns the reader.
pub(crate) fn record_walk_error(error: &ignore::Error, root: &Path, skipped: &Mutex<SkippedList>) {
    if let Some((path, reason)) = skip_reason(error, root) {
        skipped.lock().add(display_path(root, &path), reason);
    }
}

/// Records the properties of an entry that affect the whole answer: a system failure while reading a folder's ignore
/// rules, which decide about the entries left out, and content that may change without a new stamp.
pub(crate) fn record_entry(entry: &Result<DirEntry, ignore::Error>, project: &Project, skipped: &Mutex<SkippedList>) {
    let Ok(entry) = entry else {
        // A link without a target while links are followed, among others.
        project.note_unstamped();
        return;
    };
    project.note_entry(entry.path());
    if let Some((path, SkipReason::System)) = entry.error().and_then(|error| skip_reason(error, entry.path())) {
        skipped
            .lock()
            .add(display_path(project.root(), &path), SkipReason::System);
    }
}

/// True if a link leads to a place inside the project.
pub(crate) fn leads_inside(project: &Project, link: &Path) -> bool {
    project.note_unstamped();
    let real = project.failures().record(link.canonicalize());
    real.is_ok_and(|real| real.starts_with(project.root()))
}

/// Returns the path and the reason of an error of the walk; `path` if the error names none. Malformed patterns in
/// ignore files are not reported: git ignores them too.
pub(crate) fn skip_reason(error: &ignore::Error, path: &Path) -> Option<(PathBuf, SkipReason)> {
    match error {
        ignore::Error::Partial(errors) => errors.iter().find_map(|error| skip_reason(error, path)),
        ignore::Error::WithLineNumber { err, .. } | ignore::Error::WithDepth { err, .. } => skip_reason(err, path),
        ignore::Error::WithPath { path, err } => skip_reason(err, path),
        ignore::Error::Loop { child, .. } => Some((child.clone(), SkipReason::LinkLoop)),
        // Deleted during the walk: as if it had never existed.
        ignore::Error::Io(io) if io.kind() == io::ErrorKind::NotFound => None,
        ignore::Error::Io(io) => Some((path.to_path_buf(), SkipReason::from_io_error(io))),
        _ => None,
    }
}
