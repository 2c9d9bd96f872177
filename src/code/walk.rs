//! Finding files by name, kind, size and age, with the semantics of fd 10: same files, same filters, same ignore rules.
//!
//! Invariant: nothing outside the project is listed or descended into, also when links are followed; a link that leads
//! outside, or back to its own parent, is skipped and reported in [`FileListing::skipped`]. This module never opens the
//! files, and reads ignore files (also those of parent folders) only for their patterns.

use std::{
    cell::OnceCell,
    cmp::Ordering,
    collections::HashSet,
    fs::{FileType, Metadata},
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use fumi_base::project::{Project, ProjectPath};
use ignore::{DirEntry, WalkBuilder, overrides::Override, overrides::OverrideBuilder};
use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use regex_syntax::hir::{Capture, Class, Hir, HirKind, Literal, Look, Repetition};
use tokio_util::sync::CancellationToken;

use crate::{
    errors::search::{SearchAdvice, SearchError},
    modified_filter::ModifiedFilter,
    pattern_error,
    place_filter::PlaceFilter,
    shared_walk::{WalkEntry, walk},
    size::SizeFilter,
    skipped::{SkipReason, SkippedList, display_path},
    thread_budget::{self, ThreadPermit, cores},
};

/// The number of entries that a thread visits between two checks of the cancellation token (a check takes a lock).
const POLL_EVERY: u32 = 32;

/// The number of found entries that a thread gathers before it hands them over.
const BATCH: usize = 1_024;

/// The number of found entries allowed beyond `keep` before the rest is dropped. Bounds the memory of a huge walk.
const SLACK: usize = 100_000;

/// The rules for descending into folders; the same for listing and for searching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traversal {
    /// True to follow links, inside the project only.
    pub follow_symlinks: bool,
    /// True to include names that begin with a dot.
    pub hidden: bool,
    /// True to read no ignore files at all.
    pub no_ignore: bool,
}

/// The filters that a caller requests. The default finds everything that fd would list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// A regular expression, or a glob if `glob`. Smart case: an upper-case letter makes it case-sensitive.
    pub pattern: Option<String>,
    /// True if the pattern is a glob that matches the whole name.
    pub glob: bool,
    /// True if the pattern is compared with the absolute path instead of the name.
    pub full_path_match: bool,
    /// The wanted types: `f`, `d`, `l`, `x`, `e`, or the long names that fd has for them.
    pub types: Vec<String>,
    /// The wanted extensions, with or without the dot, in either case.
    pub extensions: Vec<String>,
    /// Globs in the syntax of ignore files, relative to the root that is walked.
    pub exclude: Vec<String>,
    /// The maximum number of levels below a root; 1 means the root's own entries.
    pub depth: Option<usize>,
    /// Size limits such as `+10M`; all must be met.
    pub size: Vec<String>,
    /// The earliest change: a time span or a date; see [`crate::modified_filter`].
    pub changed_within: Option<String>,
    /// The latest change: a time span or a date; see [`crate::modified_filter`].
    pub changed_before: Option<String>,
    pub traversal: Traversal,
}

/// A validated [`FileOptions`] with the roots that it applies to.
#[derive(Debug)]
pub struct FileFilter {
    project: Arc<Project>,
    /// Each root with its excludes, which are relative to it.
    roots: Vec<(PathBuf, Override)>,
    traversal: Traversal,
    depth: Option<usize>,
    test: EntryTest,
}

/// The amount of information needed for each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListingDetail {
    /// Only the number of files.
    Count,
    /// The paths of the files.
    Names,
    /// Paths, sizes and times.
    Metadata,
}

/// The order of a listing; applied before the listing is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListingSort {
    /// By the bytes of the path.
    #[default]
    Path,
    /// Last changed first, then by path.
    Mtime,
    /// Largest first, then by path.
    Size,
}

/// The wanted content of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListingRequest {
    pub detail: ListingDetail,
    pub sort: ListingSort,
    /// The maximum number of files kept; further files are only counted.
    pub keep: usize,
}

/// A file, folder or link that was found.
#[derive(Clone, Debug)]
pub struct FoundFile {
    pub path: ProjectPath,
    /// True if the entry is a folder (a followed link counts as its target).
    pub is_dir: bool,
    /// True if the entry is a link that was not followed.
    pub is_symlink: bool,
    /// The size in bytes; that of the link itself if it was not followed. Only with [`ListingDetail::Metadata`].
    pub size_bytes: Option<u64>,
    /// The time of the last change, in Unix seconds. Only with [`ListingDetail::Metadata`].
    pub mtime: Option<i64>,
}

impl FoundFile {
    /// Returns the extension without its dot, as written; empty if the name has none.
    #[must_use]
    pub fn ext(&self) -> String {
        self.path
            .relative()
            .extension()
            .map(|ext| ext.to_string_lossy().into_owned())
            .unwrap_or_default()
    }
}

/// The result of a file search.
#[derive(Clone, Debug, Default)]
pub struct FileListing {
    /// The first files in the requested order; empty for [`ListingDetail::Count`].
    pub entries: Vec<FoundFile>,
    /// The number of all matching files.
    pub total_count: u64,
    /// The number of entries visited.
    pub visited: u64,
    /// The entries that were skipped.
    pub skipped: SkippedList,
    /// The duration of the search.
    pub elapsed: Duration,
}

impl FileFilter {
    /// Validates the options and returns all errors together. An empty `roots` means the whole project.
    ///
    /// Time spans such as `1d` count back from `now`.
    pub fn new(
        project: &Arc<Project>,
        roots: &[ProjectPath],
        options: &FileOptions,
        now: SystemTime,
    ) -> Result<Self, Vec<SearchError>> {
        let mut faults = Vec::new();
        let mut kept = |fault| {
            faults.push(fault);
        };
        let name = name_test(options).map_err(&mut kept).ok().flatten();
        let kinds = Kinds::parse(&options.types).map_err(&mut kept).ok().flatten();
        let mut sizes = Vec::new();
        for value in &options.size {
            match SizeFilter::parse(value) {
                Ok(size) => sizes.push(size),
                Err(fault) => kept(fault),
            }
        }
        let mut changed = Vec::new();
        let within = options.changed_within.as_deref();
        let before = options.changed_before.as_deref();
        for bound in [
            within.map(|value| ModifiedFilter::within(value, now)),
            before.map(|value| ModifiedFilter::before(value, now)),
        ] {
            match bound {
                Some(Ok(bound)) => changed.push(bound),
                Some(Err(fault)) => kept(fault),
                None => {}
            }
        }
        let mut places: Vec<PathBuf> = roots.iter().map(ProjectPath::absolute).collect();
        if places.is_empty() {
            places.push(project.root().to_path_buf());
        }
        places.sort();
        places.dedup();
        let mut excluded = Vec::new();
        for root in places {
            match excludes(&root, &options.exclude) {
                Ok(globs) => excluded.push((root, globs)),
                Err(fault) => {
                    kept(fault);
                    break;
                }
            }
        }
        let extensions = extension_test(&options.extensions).map_err(&mut kept).ok().flatten();
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self {
            project: Arc::clone(project),
            roots: excluded,
            traversal: options.traversal,
            depth: options.depth,
            test: EntryTest {
                project: Arc::clone(project),
                name,
                within: None,
                full_path: options.full_path_match,
                extensions,
                kinds,
                sizes,
                changed,
            },
        })
    }

    /// Restricts the filter to the given places.
    #[must_use]
    pub fn only_within(mut self, within: Option<PlaceFilter>) -> Self {
        self.test.within = within;
        self
    }

    /// Finds the files. Stops within [`POLL_EVERY`] entries after cancellation.
    pub fn list(&self, wanted: ListingRequest, cancel: &CancellationToken) -> Result<FileListing, SearchError> {
        let started = Instant::now();
        let skipped = Arc::new(Mutex::new(SkippedList::default()));
        let overlap = self.roots.len() > 1 && self.overlaps();
        let gathered = ListingCollector {
            wanted,
            overlap,
            total: AtomicU64::new(0),
            visited: AtomicU64::new(0),
            found: Mutex::new(Vec::new()),
        };
        let threads = ThreadPermit::acquire(cores());
        for (root, globs) in &self.roots {
            let mut rules = walk_builder(&self.project, self.traversal, &skipped);
            if !self.traversal.no_ignore {
                rules.add_custom_ignore_filename(".fdignore");
            }
            rules.overrides(globs.clone()).max_depth(self.depth).add(root);
            self.walk(&rules, &gathered, &skipped, cancel);
            if cancel.is_cancelled() {
                return Err(SearchError::Cancelled);
            }
        }
        let mut found = gathered.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut total_count = gathered.total.into_inner();
        if overlap {
            let mut seen = HashSet::new();
            found.retain(|entry| seen.insert(entry.relative.clone()));
            total_count = found.len() as u64;
        }
        if wanted.detail == ListingDetail::Count {
            found.clear();
        }
        found.sort_unstable_by(|a, b| wanted.sort.compare(a, b));
        found.truncate(wanted.keep);
        if wanted.detail == ListingDetail::Metadata {
            read_stamps(&self.project, &mut found, threads.count());
        }
        let mut skipped = lock(&skipped).clone();
        skipped.finish()?;
        Ok(FileListing {
            entries: found
                .into_iter()
                .filter_map(|entry| entry.into_found_file(&self.project, wanted.detail))
                .collect(),
            total_count,
            visited: gathered.visited.into_inner(),
            skipped,
            elapsed: started.elapsed(),
        })
    }

    /// True if one root lies inside another, so that an entry may be visited twice.
    fn overlaps(&self) -> bool {
        self.roots
            .iter()
            .any(|(a, _)| self.roots.iter().any(|(b, _)| a != b && b.starts_with(a)))
    }

    /// Walks one root and adds the matching entries to `gathered`.
    fn walk(
        &self,
        rules: &WalkBuilder,
        gathered: &ListingCollector,
        skipped: &Mutex<SkippedList>,
        cancel: &CancellationToken,
    ) {
        let mut batch = FoundBatch {
            shelf: gathered,
            found: Vec::new(),
            total: 0,
            visited: 0,
        };
        // The caller checks the token.
        let _cancelled = walk(rules, |entry| {
            batch.visited += 1;
            if batch.visited.is_multiple_of(u64::from(POLL_EVERY)) && cancel.is_cancelled() {
                return ControlFlow::Break(());
            }
            record_entry(&entry, &self.project, skipped);
            match WalkCandidate::read(entry) {
                Ok(Some(candidate)) => {
                    if self.test.admits(&candidate) {
                        batch.add(&candidate, &self.project);
                    }
                }
                Ok(None) => {}
                Err(error) => record_walk_error(&error, self.project.root(), skipped),
            }
            ControlFlow::Continue(())
        });
    }
}

/// Returns a walk of project folders with the ignore rules of fd and ripgrep, which never leaves the project.
pub(crate) fn walk_builder(
    project: &Arc<Project>,
    traversal: Traversal,
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
            lock(&skipped).add(display_path(project.root(), entry.path()), SkipReason::OutsideProject);
            false
        });
    }
    builder
}

/// Adds an error of the walk to `skipped`, if it concerns the reader.
pub(crate) fn record_walk_error(error: &ignore::Error, root: &Path, skipped: &Mutex<SkippedList>) {
    if let Some((path, reason)) = skip_reason(error, root) {
        lock(skipped).add(display_path(root, &path), reason);
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
        lock(skipped).add(display_path(project.root(), &path), SkipReason::System);
    }
}

/// Locks a list that is only ever pushed to: a panic elsewhere cannot leave it half-written.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True if a link leads to a place inside the project.
pub(crate) fn leads_inside(project: &Project, link: &Path) -> bool {
    project.note_unstamped();
    let real = project.failures().record(link.canonicalize());
    real.is_ok_and(|real| real.starts_with(project.root()))
}

/// Returns the path and the reason of an error of the walk; `path` if the error names none. Malformed patterns in
/// ignore files are not reported: git ignores them too.
fn skip_reason(error: &ignore::Error, path: &Path) -> Option<(PathBuf, SkipReason)> {
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

/// An entry visited by a walk.
struct WalkCandidate {
    source: CandidateSource,
    kind: FileType,
    metadata: OnceCell<Option<Metadata>>,
}

enum CandidateSource {
    Entry(DirEntry),
    /// A link without a target, while links are followed.
    Broken(PathBuf),
}

impl WalkCandidate {
    /// Returns `None` for the root itself, and for entries without a type.
    fn read(entry: WalkEntry) -> Result<Option<Self>, ignore::Error> {
        match entry {
            Ok(entry) => Ok(entry
                .file_type()
                .filter(|kind| entry.depth() > 0 || !kind.is_dir())
                .map(|kind| Self {
                    source: CandidateSource::Entry(entry),
                    kind,
                    metadata: OnceCell::new(),
                })),
            // It cannot be followed; it is listed as a link, as by fd.
            Err(ignore::Error::WithPath { path, err })
                if err.io_error().is_some_and(|io| io.kind() == io::ErrorKind::NotFound) =>
            {
                let link = path.symlink_metadata().ok().filter(Metadata::is_symlink);
                Ok(link.map(|meta| Self {
                    source: CandidateSource::Broken(path),
                    kind: meta.file_type(),
                    metadata: OnceCell::from(Some(meta)),
                }))
            }
            Err(error) => Err(error),
        }
    }

    fn path(&self) -> &Path {
        match &self.source {
            CandidateSource::Entry(entry) => entry.path(),
            CandidateSource::Broken(path) => path,
        }
    }

    /// True if the entry was visited through a followed link.
    fn followed(&self) -> bool {
        matches!(&self.source, CandidateSource::Entry(entry) if entry.path_is_symlink() && !self.kind.is_symlink())
    }

    fn metadata(&self, project: &Project) -> Option<&Metadata> {
        self.metadata
            .get_or_init(|| {
                let read = match &self.source {
                    CandidateSource::Entry(entry) if self.followed() => entry.path().metadata(),
                    CandidateSource::Entry(entry) => entry.path().symlink_metadata(),
                    CandidateSource::Broken(path) => path.symlink_metadata(),
                };
                project.failures().record(read).ok()
            })
            .as_ref()
    }
}

/// The filters of a file search, in the order of their cost.
#[derive(Debug)]
struct EntryTest {
    project: Arc<Project>,
    name: Option<Regex>,
    within: Option<PlaceFilter>,
    full_path: bool,
    extensions: Option<RegexSet>,
    kinds: Option<Kinds>,
    sizes: Vec<SizeFilter>,
    changed: Vec<ModifiedFilter>,
}

impl EntryTest {
    fn admits(&self, candidate: &WalkCandidate) -> bool {
        let Some(name) = candidate.path().file_name() else {
            return false;
        };
        let name = name.as_encoded_bytes();
        if let Some(pattern) = &self.name {
            let subject = if self.full_path {
                candidate.path().as_os_str().as_encoded_bytes()
            } else {
                name
            };
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
            let is_file = candidate.kind.is_file()
                || (candidate.kind.is_symlink()
                    && leads_inside(&self.project, candidate.path())
                    && candidate.path().is_file());
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
struct Kinds {
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
    fn parse(types: &[String]) -> Result<Option<Self>, SearchError> {
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
                _ => return Err(SearchError::Kind { value: value.clone() }),
            }
        }
        if kinds.only.empty && !(kinds.files || kinds.folders) {
            kinds.files = true;
            kinds.folders = true;
        }
        Ok((!types.is_empty()).then_some(kinds))
    }

    fn admit(self, candidate: &WalkCandidate, project: &Project) -> bool {
        let kind = candidate.kind;
        let admitted =
            (self.files && kind.is_file()) || (self.folders && kind.is_dir()) || (self.links && kind.is_symlink());
        admitted
            && (!self.only.executable || executable(candidate, project))
            && (!self.only.empty || empty(candidate, project))
    }
}

fn executable(candidate: &WalkCandidate, project: &Project) -> bool {
    use std::os::unix::fs::PermissionsExt;
    // Any execute bit: it does not matter if this process may run the file, since nothing is run. fd asks the system,
    // which follows links.
    let bits = |meta: &Metadata| meta.permissions().mode() & 0o111 != 0;
    if candidate.kind.is_symlink() {
        project.note_unstamped();
        let target = project.failures().record(candidate.path().metadata());
        return target.is_ok_and(|meta| bits(&meta));
    }
    candidate.metadata(project).is_some_and(bits)
}

fn empty(candidate: &WalkCandidate, project: &Project) -> bool {
    if candidate.kind.is_dir() {
        let entries = project.failures().record(candidate.path().read_dir());
        entries.is_ok_and(|mut entries| entries.next().is_none())
    } else {
        candidate.kind.is_file() && candidate.metadata(project).is_some_and(|meta| meta.len() == 0)
    }
}

/// Compiles the pattern into a matcher of names or paths, with fd's smart case.
fn name_test(options: &FileOptions) -> Result<Option<Regex>, SearchError> {
    let Some(pattern) = options.pattern.as_deref().filter(|pattern| !pattern.is_empty()) else {
        return Ok(None);
    };
    if !options.full_path_match && pattern.contains('/') {
        return Err(SearchError::SlashInName {
            pattern: pattern.to_owned(),
            glob: options.glob,
        });
    }
    let expression = if options.glob {
        globset::GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .map_err(|error| SearchError::Glob {
                argument: "pattern",
                glob: pattern.to_owned(),
                reason: error.kind().to_string(),
            })?
            .regex()
            .to_owned()
    } else {
        pattern.to_owned()
    };
    let refused = |column, reason, advice| SearchError::Regex {
        argument: "pattern",
        pattern: pattern.to_owned(),
        column,
        reason,
        advice,
    };
    let parsed = regex_syntax::ParserBuilder::new()
        .utf8(false)
        .build()
        .parse(&expression)
        .map_err(|error| {
            let (column, reason) = pattern_error::regex_position_and_reason(&error);
            let is_glob = globset::Glob::new(pattern).is_ok() && !options.glob;
            refused(
                column,
                reason,
                if is_glob {
                    SearchAdvice::Glob
                } else {
                    SearchAdvice::Escape
                },
            )
        })?;
    if !options.traversal.hidden && begins_with_dot(&parsed) {
        return Err(SearchError::HiddenName {
            pattern: pattern.to_owned(),
        });
    }
    RegexBuilder::new(&expression)
        .case_insensitive(!has_uppercase(&parsed))
        .dot_matches_new_line(true)
        .build()
        .map(Some)
        .map_err(|error| refused(0, pattern_error::last_line(&error.to_string()), SearchAdvice::Shorten))
}

/// True if an expression names an upper-case letter. `\w` does (its class contains them), `\x6F` does not, as in fd.
fn has_uppercase(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(Literal(bytes)) => match std::str::from_utf8(bytes) {
            Ok(text) => text.chars().any(char::is_uppercase),
            Err(_) => bytes.iter().any(|byte| char::from(*byte).is_uppercase()),
        },
        HirKind::Class(Class::Unicode(ranges)) => ranges
            .iter()
            .any(|range| range.start().is_uppercase() || range.end().is_uppercase()),
        HirKind::Class(Class::Bytes(ranges)) => ranges
            .iter()
            .any(|range| char::from(range.start()).is_uppercase() || char::from(range.end()).is_uppercase()),
        HirKind::Capture(Capture { sub, .. }) | HirKind::Repetition(Repetition { sub, .. }) => has_uppercase(sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(has_uppercase),
        HirKind::Empty | HirKind::Look(_) => false,
    }
}

/// True if an expression begins with `^\.`: the only form of "hidden names only" that fd reports to its user.
fn begins_with_dot(hir: &Hir) -> bool {
    let HirKind::Concat(parts) = hir.kind() else {
        return false;
    };
    matches!(parts.first().map(Hir::kind), Some(HirKind::Look(Look::Start)))
        && matches!(parts.get(1).map(Hir::kind), Some(HirKind::Literal(Literal(bytes))) if bytes.starts_with(b"."))
}

/// Compiles extensions in the forms that fd accepts, and also `*.py`.
fn extension_test(extensions: &[String]) -> Result<Option<RegexSet>, SearchError> {
    if extensions.is_empty() {
        return Ok(None);
    }
    let mut patterns = Vec::with_capacity(extensions.len());
    for extension in extensions {
        let plain = extension
            .strip_prefix("*.")
            .unwrap_or(extension)
            .trim_start_matches('.');
        if plain.is_empty() || plain.contains(['*', '?', '[', '{', '/', '\\', ',']) {
            return Err(SearchError::Extension {
                value: extension.clone(),
            });
        }
        // A character before the dot is required: `.py` is a hidden file without an extension.
        patterns.push(format!(r".\.{}$", regex::escape(plain)));
    }
    // Escaped text always compiles; if the set is ever too large, no file matches.
    let set = RegexSetBuilder::new(patterns).case_insensitive(true).build();
    Ok(Some(set.unwrap_or_else(|_| RegexSet::empty())))
}

/// Compiles fd's `-E`: lines of an ignore file that take precedence over all others.
fn excludes(root: &Path, globs: &[String]) -> Result<Override, SearchError> {
    let mut builder = OverrideBuilder::new(root);
    for glob in globs {
        builder.add(&format!("!{glob}")).map_err(|error| SearchError::Glob {
            argument: "exclude",
            glob: glob.clone(),
            reason: pattern_error::glob_reason(&error),
        })?;
    }
    builder.build().map_err(|error| SearchError::Glob {
        argument: "exclude",
        glob: globs.join(", "),
        reason: pattern_error::glob_reason(&error),
    })
}

/// An entry that passed the filters.
#[derive(Debug)]
struct FoundEntry {
    relative: PathBuf,
    is_dir: bool,
    is_symlink: bool,
    followed: bool,
    stamp: Option<SizeAndTime>,
}

#[derive(Clone, Copy, Debug)]
struct SizeAndTime {
    size: u64,
    changed: Option<SystemTime>,
}

impl SizeAndTime {
    fn from_metadata(meta: &Metadata) -> Self {
        Self {
            size: meta.len(),
            changed: meta.modified().ok(),
        }
    }
}

impl FoundEntry {
    fn into_found_file(self, project: &Arc<Project>, detail: ListingDetail) -> Option<FoundFile> {
        let stamp = self.stamp.filter(|_| detail == ListingDetail::Metadata);
        Some(FoundFile {
            path: project.walked_path(&project.root().join(&self.relative))?,
            is_dir: self.is_dir,
            is_symlink: self.is_symlink,
            size_bytes: stamp.map(|stamp| stamp.size),
            mtime: stamp.and_then(|stamp| stamp.changed).map(unix_seconds),
        })
    }
}

impl ListingSort {
    fn compare(self, a: &FoundEntry, b: &FoundEntry) -> Ordering {
        let first = match self {
            Self::Path => Ordering::Equal,
            Self::Mtime => b
                .stamp
                .map(|stamp| stamp.changed)
                .cmp(&a.stamp.map(|stamp| stamp.changed)),
            Self::Size => b.stamp.map(|stamp| stamp.size).cmp(&a.stamp.map(|stamp| stamp.size)),
        };
        first.then_with(|| compare_paths(&a.relative, &b.relative))
    }
}

/// Returns the part of a walked path below the root. Walked paths begin with the very bytes of the root, and comparing
/// bytes is faster than comparing components.
fn strip_root<'a>(root: &Path, path: &'a Path) -> Option<&'a Path> {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let rest = path.as_os_str().as_bytes().strip_prefix(root.as_os_str().as_bytes())?;
    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
    Some(Path::new(OsStr::from_bytes(rest)))
}

/// Compares by the bytes of the whole path, so that the order is that of the displayed strings.
pub(crate) fn compare_paths(a: &Path, b: &Path) -> Ordering {
    a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes())
}

/// Returns seconds since 1970, rounded down; negative before 1970.
fn unix_seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => {
            let before = before.duration();
            let seconds = before.as_secs() + u64::from(before.subsec_nanos() > 0);
            i64::try_from(seconds).map_or(i64::MIN, |seconds| -seconds)
        }
    }
}

/// The entries that all threads of a listing found.
struct ListingCollector {
    wanted: ListingRequest,
    overlap: bool,
    total: AtomicU64,
    visited: AtomicU64,
    found: Mutex<Vec<FoundEntry>>,
}

impl ListingCollector {
    /// True if the entries themselves are needed later; otherwise they are only counted.
    const fn gathers(&self) -> bool {
        self.overlap || !matches!(self.wanted.detail, ListingDetail::Count)
    }

    fn take(&self, batch: &mut Vec<FoundEntry>) {
        let mut found = lock(&self.found);
        found.append(batch);
        // With overlapping roots a path may occur twice, and dropping rows would drop the wrong ones.
        if !self.overlap && found.len() > self.wanted.keep.saturating_add(SLACK) && self.wanted.keep > 0 {
            let sort = self.wanted.sort;
            let _ = found.select_nth_unstable_by(self.wanted.keep - 1, |a, b| sort.compare(a, b));
            found.truncate(self.wanted.keep);
        }
    }
}

/// The entries that one thread found since its last hand-over.
struct FoundBatch<'a> {
    shelf: &'a ListingCollector,
    found: Vec<FoundEntry>,
    total: u64,
    visited: u64,
}

impl FoundBatch<'_> {
    fn add(&mut self, candidate: &WalkCandidate, project: &Project) {
        self.total += 1;
        if !self.shelf.gathers() {
            return;
        }
        let Some(relative) = strip_root(project.root(), candidate.path()) else {
            return;
        };
        // Sorting needs the metadata of every file; otherwise only that of the kept files is read, later.
        let stamp = match self.shelf.wanted.sort {
            ListingSort::Path => candidate.metadata.get().and_then(|meta| meta.as_ref()),
            ListingSort::Mtime | ListingSort::Size => candidate.metadata(project),
        }
        .map(SizeAndTime::from_metadata);
        self.found.push(FoundEntry {
            relative: relative.to_path_buf(),
            is_dir: candidate.kind.is_dir(),
            is_symlink: candidate.kind.is_symlink(),
            followed: candidate.followed(),
            stamp,
        });
        if self.found.len() >= BATCH {
            self.shelf.take(&mut self.found);
        }
    }
}

impl Drop for FoundBatch<'_> {
    fn drop(&mut self) {
        self.shelf.total.fetch_add(self.total, Relaxed);
        self.shelf.visited.fetch_add(self.visited, Relaxed);
        if !self.found.is_empty() {
            self.shelf.take(&mut self.found);
        }
    }
}

/// Reads sizes and times of the kept entries that lack them.
fn read_stamps(project: &Project, found: &mut [FoundEntry], threads: usize) {
    /// The minimum number of entries for which a second thread pays.
    const WORTH_A_THREAD: usize = 512;
    let read = |part: &mut [FoundEntry]| {
        for entry in part.iter_mut().filter(|entry| entry.stamp.is_none()) {
            let path = project.root().join(&entry.relative);
            let meta = if entry.followed {
                path.metadata()
            } else {
                path.symlink_metadata()
            };
            let meta = project.failures().record(meta);
            entry.stamp = meta.ok().map(|meta| SizeAndTime::from_metadata(&meta));
        }
    };
    let share = found.len().div_ceil(threads).max(WORTH_A_THREAD);
    let all_started = std::thread::scope(|scope| {
        let mut all_started = true;
        let mut parts = found.chunks_mut(share);
        let own = parts.next();
        for part in parts {
            all_started &= thread_budget::spawn_thread(scope, move || read(part));
        }
        if let Some(part) = own {
            read(part);
        }
        all_started
    });
    if !all_started {
        read(found);
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink, path::Path, sync::Arc, time::SystemTime};

    use fumi_base::project::Project;
    use tokio_util::sync::CancellationToken;

    use super::{FileFilter, FileListing, FileOptions, ListingDetail, ListingRequest, ListingSort, Traversal};
    use crate::{errors::search::SearchError, skipped::SkipReason};

    fn tree(files: &[&str]) -> (tempfile::TempDir, Arc<Project>) {
        let root = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
            fs::write(path, file).expect("a file");
        }
        let project = Project::open(root.path()).expect("a project");
        (root, project)
    }

    fn list(project: &Arc<Project>, roots: &[&str], options: &FileOptions, wanted: ListingRequest) -> FileListing {
        let roots: Vec<_> = roots
            .iter()
            .map(|root| project.resolve(root).expect("inside"))
            .collect();
        FileFilter::new(project, &roots, options, SystemTime::now())
            .expect("valid")
            .list(wanted, &CancellationToken::new())
            .expect("not cancelled")
    }

    const ALL: ListingRequest = ListingRequest {
        detail: ListingDetail::Names,
        sort: ListingSort::Path,
        keep: 10_000,
    };

    fn names(listing: &FileListing) -> Vec<String> {
        listing.entries.iter().map(|entry| entry.path.shown()).collect()
    }

    #[test]
    fn overlapping_roots_and_files_as_roots_count_once() {
        let (_root, project) = tree(&["a/x.py", "a/b/y.py", "a/b/z.txt"]);
        let options = FileOptions {
            extensions: vec!["PY".to_owned()],
            ..FileOptions::default()
        };
        let listing = list(&project, &["a", "a/b", ".", "a/b/y.py"], &options, ALL);
        assert_eq!(names(&listing), ["a/b/y.py", "a/x.py"]);
        assert_eq!(listing.total_count, 2);
        assert_eq!(names(&list(&project, &["a/b/y.py"], &options, ALL)), ["a/b/y.py"]);
    }

    #[test]
    fn total_count_is_not_limited_by_keep() {
        let (_root, project) = tree(&["1", "2", "3", "4"]);
        let options = FileOptions::default();
        let two = list(&project, &["."], &options, ListingRequest { keep: 2, ..ALL });
        assert_eq!(
            (names(&two), two.total_count),
            (vec!["1".to_owned(), "2".to_owned()], 4)
        );
        let count = list(
            &project,
            &["."],
            &options,
            ListingRequest {
                detail: ListingDetail::Count,
                ..ALL
            },
        );
        assert_eq!((count.entries.len(), count.total_count), (0, 4));
    }

    #[test]
    fn links_are_followed_inside_only_and_loops_end() {
        let (root, project) = tree(&["src/deep/f.rs"]);
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("secret"), "s").expect("a file");
        symlink(outside.path(), root.path().join("out")).expect("a link");
        symlink("..", root.path().join("src/deep/loop")).expect("a link");
        symlink("src/deep", root.path().join("in")).expect("a link");
        let options = FileOptions {
            types: vec!["f".to_owned()],
            traversal: Traversal {
                follow_symlinks: true,
                ..Traversal::default()
            },
            ..FileOptions::default()
        };
        let listing = list(&project, &["."], &options, ALL);
        let found = names(&listing);
        assert!(
            found.contains(&"in/f.rs".to_owned()) && found.contains(&"src/deep/f.rs".to_owned()),
            "{found:?}"
        );
        assert!(!found.iter().any(|name| name.contains("secret")), "{found:?}");
        let reasons: Vec<_> = listing
            .skipped
            .examples
            .iter()
            .map(|s| (s.path.as_str(), s.reason))
            .collect();
        assert!(reasons.contains(&("out", SkipReason::OutsideProject)), "{reasons:?}");
        assert!(
            reasons.contains(&("src/deep/loop", SkipReason::LinkLoop)),
            "{reasons:?}"
        );
    }

    #[test]
    fn listing_is_sorted_before_truncation() {
        let (root, project) = tree(&["a", "b", "c"]);
        fs::write(root.path().join("b"), "the largest of them").expect("written");
        let old = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000);
        for (name, after) in [("a", 5), ("b", 0), ("c", 9)] {
            let file = fs::File::options()
                .write(true)
                .open(root.path().join(name))
                .expect("a file");
            file.set_modified(old + std::time::Duration::from_secs(after))
                .expect("set");
        }
        let first = |sort| {
            let wanted = ListingRequest {
                detail: ListingDetail::Metadata,
                sort,
                keep: 1,
            };
            let listing = list(&project, &["."], &FileOptions::default(), wanted);
            (names(&listing).remove(0), listing.entries[0].mtime)
        };
        assert_eq!(first(ListingSort::Path), ("a".to_owned(), Some(1_005)));
        assert_eq!(first(ListingSort::Mtime), ("c".to_owned(), Some(1_009)));
        assert_eq!(first(ListingSort::Size), ("b".to_owned(), Some(1_000)));
    }

    #[test]
    fn all_errors_are_returned_together() {
        let (_root, project) = tree(&["a"]);
        let options = FileOptions {
            pattern: Some("文字(".to_owned()),
            types: vec!["q".to_owned()],
            exclude: vec!["[".to_owned()],
            size: vec!["10".to_owned()],
            changed_within: Some("soon".to_owned()),
            ..FileOptions::default()
        };
        let faults = FileFilter::new(&project, &[], &options, SystemTime::now()).expect_err("refused");
        assert_eq!(faults.len(), 5, "{faults:?}");
        assert!(
            matches!(&faults[0], SearchError::Regex { column: 3, .. }),
            "{:?}",
            faults[0]
        );
    }

    #[test]
    fn a_cancelled_walk_stops() {
        let files: Vec<String> = (0..500).map(|n| format!("d{}/{n}", n % 7)).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let (_root, project) = tree(&files);
        let cancel = CancellationToken::new();
        cancel.cancel();
        let filter = FileFilter::new(&project, &[], &FileOptions::default(), SystemTime::now()).expect("valid");
        assert_eq!(
            filter.list(ALL, &cancel).expect_err("cancelled"),
            SearchError::Cancelled
        );
        assert!(Path::new(project.root()).exists());
    }
}
