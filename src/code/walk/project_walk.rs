//! The rules of every walk of a project: which ignore files are read, which links are followed, what is recorded.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use fumi_base::{change_log::is_logged, project::Project};
use ignore::{DirEntry, WalkBuilder};
use parking_lot::Mutex;

use super::{
    rule_files::{CheckedFolders, RuleFiles},
    traversal::Traversal,
};
use crate::skipped::{SkipReason, SkippedList, display_path};

/// The names of the ignore files that only one kind of walk reads.
pub(crate) const FD_IGNORE: &str = ".fdignore";
pub(crate) const RIPGREP_IGNORE: &str = ".rgignore";

/// The maximum size of all ignore files that one walk reads, in bytes. Compiling them takes up to 3 seconds a megabyte.
const MOST_RULE_BYTES: u64 = 4 << 20;

/// Returns a walk of folders, which never leaves the project, with the ignore rules that fd and ripgrep share, and
/// those in files of another name: [`FD_IGNORE`] for a listing, [`RIPGREP_IGNORE`] for a search.
pub(crate) fn walk_builder<'a>(
    project: &Arc<Project>,
    roots: impl IntoIterator<Item = &'a Path>,
    traversal: Traversal,
    own_rules: &str,
    checked: CheckedFolders,
    skipped: &Arc<Mutex<SkippedList>>,
) -> WalkBuilder {
    let mut builder = WalkBuilder::empty();
    builder
        .current_dir(project.root())
        .standard_filters(!traversal.no_ignore)
        .hidden(!traversal.hidden)
        .follow_links(traversal.follow_symlinks);
    if !traversal.no_ignore {
        builder.add_custom_ignore_filename(own_rules);
    }
    let rule_files = RuleFiles::new(MOST_RULE_BYTES);
    for root in roots {
        let is_usable = if traversal.no_ignore {
            Ok(())
        } else {
            rule_files.check_root(root)
        };
        match is_usable {
            Ok(()) => _ = builder.add(root),
            Err(reason) => skipped.lock().add(display_path(project.root(), root), reason),
        }
    }
    // The watch of a project does not see folders whose changes are not logged, nor what links lead to.
    let is_unknown = move |path: &Path| checked == CheckedFolders::All || traversal.follow_symlinks || !is_logged(path);
    let project = Arc::clone(project);
    let skipped = Arc::clone(skipped);
    builder.filter_entry(move |entry| {
        let is_folder = || entry.file_type().is_some_and(|kind| kind.is_dir());
        // A followed link keeps its own name; the target of the link decides about everything below it.
        let is_usable = if traversal.follow_symlinks && entry.path_is_symlink() && !leads_inside(&project, entry.path())
        {
            Err(SkipReason::OutsideProject)
        } else if !traversal.no_ignore && is_folder() && is_unknown(entry.path()) {
            rule_files.check(entry.path())
        } else {
            Ok(())
        };
        if let Err(reason) = is_usable {
            skipped.lock().add(display_path(project.root(), entry.path()), reason);
        }
        is_usable.is_ok()
    });
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
