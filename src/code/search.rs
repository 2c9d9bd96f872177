//! Searching text in many files, with the semantics of ripgrep 15: same files, same lines, same counts.
//!
//! Invariant: the kept rows are bounded, the counts are not; and the kept rows do not depend on the order in which
//! threads finish (the first rows by path and line, or the files with the most matches). A file is searched once,
//! however often the roots name it. The form of a reply is decided elsewhere (see [`crate::shape`]).

use std::{
    cmp::Ordering,
    collections::HashSet,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use fumi_base::project::{Project, ProjectPath};
use ignore::{
    WalkBuilder,
    overrides::{Override, OverrideBuilder},
};
use tokio_util::sync::CancellationToken;

use crate::{
    errors::search::SearchError,
    file_searcher::{FileOrigin, FileSearcher, FileTally},
    pattern_error,
    place_filter::PlaceFilter,
    shared_walk::{WalkEntry, walk_shared},
    size,
    skipped::{SkipReason, SkippedList},
    text_query::TextQuery,
    thread_budget::{self, ThreadPermit, cores},
    walk::{self, FoundFile, Traversal, compare_paths, lock, record_entry, record_walk_error},
};

/// The maximum size of the kept rows of one search, in bytes of text. Well under the 500 MB that one operation may use.
const ROW_BYTES: usize = 64 << 20;

/// The filters for the files that a walk searches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeOptions {
    /// Globs as ripgrep's `-g GLOB`: only files that match one of them. Relative to the project.
    pub include_globs: Vec<String>,
    /// Globs as ripgrep's `-g '!GLOB'`, with or without the `!`. They take precedence over the others.
    pub exclude_globs: Vec<String>,
    /// The size above which files are left out: `10M`, `500K`.
    pub max_filesize: Option<String>,
    pub traversal: Traversal,
}

/// The validated form of [`ScopeOptions`].
#[derive(Clone, Debug)]
pub struct SearchScope {
    project: Arc<Project>,
    globs: Override,
    within: Option<PlaceFilter>,
    max_filesize: Option<u64>,
    traversal: Traversal,
    /// The size in bytes above which files found by a walk are reported as skipped.
    most_bytes: u64,
}

impl SearchScope {
    /// Validates globs and size. `most_bytes` is the size of the largest file that a walk searches (100 MB by default).
    pub fn new(project: &Arc<Project>, options: &ScopeOptions, most_bytes: u64) -> Result<Self, Vec<SearchError>> {
        let mut faults = Vec::new();
        let mut builder = OverrideBuilder::new(project.root());
        for (argument, mark, globs) in [
            ("include_globs", "", &options.include_globs),
            ("exclude_globs", "!", &options.exclude_globs),
        ] {
            for glob in globs {
                let mark = if glob.starts_with('!') { "" } else { mark };
                if let Err(error) = builder.add(&format!("{mark}{glob}")) {
                    faults.push(SearchError::Glob {
                        argument,
                        glob: glob.clone(),
                        reason: pattern_error::glob_reason(&error),
                    });
                }
            }
        }
        let globs = builder.build().unwrap_or_else(|error| {
            faults.push(SearchError::Glob {
                argument: "include_globs",
                glob: options.include_globs.join(", "),
                reason: pattern_error::glob_reason(&error),
            });
            Override::empty()
        });
        let max_filesize = match options.max_filesize.as_deref().map(size::max_filesize).transpose() {
            Ok(limit) => limit,
            Err(fault) => {
                faults.push(fault);
                None
            }
        };
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self {
            project: Arc::clone(project),
            globs,
            within: None,
            max_filesize,
            traversal: options.traversal,
            most_bytes,
        })
    }

    /// Restricts the files that a walk finds to the given places.
    #[must_use]
    pub fn only_within(mut self, within: Option<PlaceFilter>) -> Self {
        self.within = within;
        self
    }

    /// True if a found file lies in the places that the call named.
    pub(crate) fn is_within(&self, path: &ProjectPath) -> bool {
        self.within.as_ref().is_none_or(|within| within.admits(path.relative()))
    }

    pub(crate) const fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Returns a walk of the folders that also reads the ignore files of ripgrep.
    pub(crate) fn walk_builder(&self, skipped: &Arc<Mutex<SkippedList>>) -> WalkBuilder {
        let mut rules = walk::walk_builder(&self.project, self.traversal, skipped);
        if !self.traversal.no_ignore {
            rules.add_custom_ignore_filename(".rgignore");
        }
        rules.overrides(self.globs.clone());
        rules
    }

    /// Returns the size of the largest file that is read, in bytes.
    pub(crate) fn most_bytes(&self) -> u64 {
        self.max_filesize
            .map_or(self.most_bytes, |wanted| wanted.min(self.most_bytes))
    }

    /// True if globs and size admit a file that another search found.
    fn admits(&self, file: &FoundFile) -> bool {
        let path = file.path.absolute();
        if self.globs.matched(&path, false).is_ignore() {
            return false;
        }
        // An excluded folder excludes its content; a walk would not have descended into it.
        let below_excluded = path
            .ancestors()
            .skip(1)
            .take_while(|folder| folder.starts_with(self.project.root()) && *folder != self.project.root())
            .any(|folder| self.globs.matched(folder, true).is_ignore());
        if below_excluded {
            return false;
        }
        let Some(limit) = self.max_filesize else { return true };
        let size = file.size_bytes.or_else(|| path.metadata().ok().map(|meta| meta.len()));
        size.is_none_or(|size| size <= limit)
    }
}

/// The rows that a search returns besides exact counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowDemand {
    /// No rows: the cheapest search.
    Counts,
    /// The first rows by path, then line.
    Rows {
        /// The maximum number of rows.
        keep: usize,
    },
    /// The first rows of the files with the most matches.
    Top {
        /// The maximum number of files.
        files: usize,
        /// The maximum number of rows of each file.
        rows: usize,
    },
}

/// A matching line, or a block of lines if a match spans several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMatch {
    /// The line number of its first line, from 1.
    pub line: u64,
    /// The text without its line break; the part around the first match if the line is long (400 characters, 4,000 for
    /// several lines).
    pub text: String,
    /// Start and end of each match in characters of `text`, end exclusive.
    pub spans: Vec<[usize; 2]>,
    /// True if `text` is only a part of the line.
    pub line_truncated: bool,
    /// The lines before it that no earlier row contains.
    pub context_before: Vec<String>,
    /// The context lines after it.
    pub context_after: Vec<String>,
}

impl LineMatch {
    fn bytes(&self) -> usize {
        let context = self.context_before.iter().chain(&self.context_after);
        size_of::<Self>()
            + self.text.len()
            + self.spans.len() * size_of::<[usize; 2]>()
            + context.map(|line| line.len() + size_of::<String>()).sum::<usize>()
    }
}

/// The matches of one file.
#[derive(Clone, Debug)]
pub struct FileMatches {
    pub path: ProjectPath,
    /// The kept rows, by line number.
    pub lines: Vec<LineMatch>,
    /// The number of matches, as counted by `rg --count-matches`.
    pub match_count: u64,
    /// The number of matching lines, as counted by `rg --count`.
    pub line_count: u64,
    /// The encoding that the file was decoded from, if not UTF-8.
    pub encoding: Option<String>,
}

/// The result of a text search.
#[derive(Clone, Debug, Default)]
pub struct SearchMatches {
    /// The files with matches, by path.
    pub files: Vec<FileMatches>,
    /// The number of matches in all files.
    pub total_matches: u64,
    /// The number of matching lines in all files.
    pub total_lines: u64,
    /// The number of files searched.
    pub searched_files: u64,
    /// True if no row was dropped (never for [`RowDemand::Counts`] unless nothing matched).
    pub complete: bool,
    /// The files and folders that were skipped.
    pub skipped: SkippedList,
    /// The duration of the search.
    pub elapsed: Duration,
}

impl SearchMatches {
    /// Returns the number of files with matches.
    #[must_use]
    pub fn total_files(&self) -> usize {
        self.files.len()
    }

    /// Returns the number of kept rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.files.iter().map(|file| file.lines.len()).sum()
    }
}

/// The places to search: folders are walked; files are searched even if they are ignored or hidden. If both are empty,
/// the whole project is searched.
#[derive(Clone, Debug, Default)]
pub struct SearchTargets {
    /// Folders to walk, or files.
    pub roots: Vec<ProjectPath>,
    /// Files to search, also ignored and hidden ones.
    pub files: Vec<ProjectPath>,
}

/// Searches folders and named files.
pub fn search(
    query: &TextQuery,
    targets: &SearchTargets,
    scope: &SearchScope,
    need: RowDemand,
    cancel: &CancellationToken,
) -> Result<SearchMatches, SearchError> {
    let mut named: Vec<ProjectPath> = Vec::new();
    let mut folders: Vec<PathBuf> = Vec::new();
    for target in targets.files.iter().chain(&targets.roots) {
        if target.is_dir() {
            folders.push(target.absolute());
        } else {
            named.push(target.clone());
        }
    }
    if targets.files.is_empty() && targets.roots.is_empty() {
        folders.push(scope.project.root().to_path_buf());
    }
    named.sort_by(|a, b| compare_paths(a.relative(), b.relative()));
    named.dedup_by(|a, b| a.relative() == b.relative());
    folders.sort();
    folders.dedup();
    let gathered = MatchCollector::new(need);
    let walkers = ThreadPermit::acquire(cores());
    search_files(
        &named,
        walkers.count(),
        query,
        scope,
        &gathered,
        FileOrigin::Named,
        cancel,
    );
    if !folders.is_empty() && !cancel.is_cancelled() {
        let named: HashSet<PathBuf> = named.iter().map(|path| path.relative().to_path_buf()).collect();
        walk_folders(&folders, &named, walkers.count(), query, scope, &gathered, cancel);
    }
    gathered.finish(cancel)
}

/// Searches files that a [`walk::FileFilter`] found, if globs and size admit them. Folders and links among them are not
/// searched.
pub fn search_found(
    query: &TextQuery,
    found: &[FoundFile],
    scope: &SearchScope,
    need: RowDemand,
    cancel: &CancellationToken,
) -> Result<SearchMatches, SearchError> {
    let files: Vec<ProjectPath> = found
        .iter()
        .filter(|file| !file.is_dir && !file.is_symlink && scope.admits(file))
        .map(|file| file.path.clone())
        .collect();
    let gathered = MatchCollector::new(need);
    let walkers = ThreadPermit::acquire(cores());
    search_files(
        &files,
        walkers.count(),
        query,
        scope,
        &gathered,
        FileOrigin::Found,
        cancel,
    );
    gathered.finish(cancel)
}

/// Searches a list of files on several threads.
fn search_files(
    files: &[ProjectPath],
    threads: usize,
    query: &TextQuery,
    scope: &SearchScope,
    gathered: &MatchCollector,
    origin: FileOrigin,
    cancel: &CancellationToken,
) {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut worker = SearchWorker::new(query, scope, gathered, cancel);
        while let Some(path) = files.get(next.fetch_add(1, Relaxed)) {
            if cancel.is_cancelled() {
                return;
            }
            worker.search(path, origin);
        }
    };
    std::thread::scope(|threading| {
        for _ in 1..threads.min(files.len()) {
            thread_budget::spawn_thread(threading, work);
        }
        work();
    });
}

/// Walks folders and searches their files during the walk.
fn walk_folders(
    folders: &[PathBuf],
    named: &HashSet<PathBuf>,
    threads: usize,
    query: &TextQuery,
    scope: &SearchScope,
    gathered: &MatchCollector,
    cancel: &CancellationToken,
) {
    let root = scope.project.root();
    let mut rules = scope.walk_builder(&gathered.skipped);
    rules.max_filesize(scope.max_filesize);
    for folder in folders {
        rules.add(folder);
    }
    // A file can be visited twice only if one folder lies in another.
    let overlap = folders
        .iter()
        .any(|a| folders.iter().any(|b| a != b && b.starts_with(a)));
    let seen = Mutex::new(HashSet::new());
    walk_shared(&rules, threads, || {
        let mut worker = SearchWorker::new(query, scope, gathered, cancel);
        let seen = &seen;
        move |entry: WalkEntry| {
            if cancel.is_cancelled() {
                return ControlFlow::Break(());
            }
            record_entry(&entry, &scope.project, &gathered.skipped);
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    record_walk_error(&error, root, &gathered.skipped);
                    return ControlFlow::Continue(());
                }
            };
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                return ControlFlow::Continue(());
            }
            let Some(path) = scope
                .project
                .walked_path(entry.path())
                .filter(|path| scope.is_within(path))
            else {
                return ControlFlow::Continue(());
            };
            let again =
                named.contains(path.relative()) || (overlap && !lock(seen).insert(path.relative().to_path_buf()));
            if !again {
                worker.search(&path, FileOrigin::Found);
            }
            ControlFlow::Continue(())
        }
    });
}

/// The searcher of one thread, with its counter.
struct SearchWorker<'a> {
    searcher: FileSearcher<'a>,
    gathered: &'a MatchCollector,
    searched: u64,
}

impl<'a> SearchWorker<'a> {
    fn new(
        query: &'a TextQuery,
        scope: &SearchScope,
        gathered: &'a MatchCollector,
        cancel: &'a CancellationToken,
    ) -> Self {
        let wants_rows = gathered.need != RowDemand::Counts;
        Self {
            searcher: FileSearcher::new(query, scope.most_bytes, wants_rows, cancel),
            gathered,
            searched: 0,
        }
    }

    fn search(&mut self, path: &ProjectPath, origin: FileOrigin) {
        let keep = self.gathered.row_limit(path.relative());
        match self.searcher.search(path, origin, keep) {
            Ok(tally) => {
                self.searched += 1;
                if tally.matches > 0 {
                    self.gathered.add(path, tally);
                }
            }
            Err(reason) => lock(&self.gathered.skipped).add(path.shown(), reason),
        }
    }
}

impl Drop for SearchWorker<'_> {
    fn drop(&mut self) {
        self.gathered.searched.fetch_add(self.searched, Relaxed);
    }
}

/// The results that all threads of a search share.
struct MatchCollector {
    started: Instant,
    need: RowDemand,
    searched: AtomicU64,
    skipped: Arc<Mutex<SkippedList>>,
    /// Set once rows after some path are no longer wanted.
    is_full: AtomicBool,
    kept: Mutex<KeptMatches>,
}

#[derive(Default)]
struct KeptMatches {
    files: Vec<FileMatches>,
    matches: u64,
    lines: u64,
    rows: usize,
    bytes: usize,
    incomplete: bool,
    /// No row of a file after this path will be shown.
    last: Option<PathBuf>,
}

impl MatchCollector {
    fn new(need: RowDemand) -> Self {
        Self {
            started: Instant::now(),
            need,
            searched: AtomicU64::new(0),
            skipped: Arc::default(),
            is_full: AtomicBool::new(false),
            kept: Mutex::default(),
        }
    }

    /// Returns the number of rows of this file that may still be shown.
    fn row_limit(&self, path: &Path) -> usize {
        match self.need {
            RowDemand::Counts => 0,
            RowDemand::Top { rows, .. } => rows,
            RowDemand::Rows { keep } => {
                let behind = self.is_full.load(Relaxed)
                    && lock(&self.kept)
                        .last
                        .as_deref()
                        .is_some_and(|last| compare_paths(path, last) == Ordering::Greater);
                if behind { 0 } else { keep }
            }
        }
    }

    fn add(&self, path: &ProjectPath, tally: FileTally) {
        let binary = tally.binary;
        let mut kept = lock(&self.kept);
        kept.matches += tally.matches;
        kept.lines += tally.lines;
        kept.rows += tally.rows.len();
        kept.bytes += tally.rows.iter().map(LineMatch::bytes).sum::<usize>();
        kept.incomplete |= tally.more_rows;
        kept.files.push(FileMatches {
            path: path.clone(),
            lines: tally.rows,
            match_count: tally.matches,
            line_count: tally.lines,
            encoding: tally.encoding,
        });
        // Trims only at twice the needed size, so that trimming is rare.
        let too_many = match self.need {
            RowDemand::Counts => false,
            RowDemand::Rows { keep } => kept.rows > keep.saturating_mul(2) || kept.bytes > ROW_BYTES * 2,
            RowDemand::Top { files, rows } => kept.rows > files.saturating_mul(rows).saturating_mul(2).max(4_096),
        };
        if too_many {
            kept.trim(self.need);
            self.is_full.store(kept.last.is_some(), Relaxed);
        }
        drop(kept);
        if binary {
            lock(&self.skipped).add(path.shown(), SkipReason::BinaryMatches);
        }
    }

    fn finish(self, cancel: &CancellationToken) -> Result<SearchMatches, SearchError> {
        if cancel.is_cancelled() {
            return Err(SearchError::Cancelled);
        }
        let mut kept = std::mem::take(&mut *lock(&self.kept));
        kept.trim(self.need);
        kept.files
            .sort_by(|a, b| compare_paths(a.path.relative(), b.path.relative()));
        let mut skipped = std::mem::take(&mut *lock(&self.skipped));
        skipped.finish()?;
        Ok(SearchMatches {
            files: kept.files,
            total_matches: kept.matches,
            total_lines: kept.lines,
            searched_files: self.searched.into_inner(),
            complete: !kept.incomplete,
            skipped,
            elapsed: self.started.elapsed(),
        })
    }
}

impl KeptMatches {
    /// Drops the rows that will not be shown.
    fn trim(&mut self, need: RowDemand) {
        match need {
            RowDemand::Counts => {}
            RowDemand::Rows { keep } => {
                self.files
                    .sort_by(|a, b| compare_paths(a.path.relative(), b.path.relative()));
                let (mut rows, mut bytes, mut full) = (0, 0, false);
                for file in &mut self.files {
                    let here = file.lines.len();
                    let mut fits = 0;
                    for line in &file.lines {
                        if full || rows == keep || bytes > ROW_BYTES {
                            full = true;
                            break;
                        }
                        rows += 1;
                        bytes += line.bytes();
                        fits += 1;
                    }
                    if fits < here {
                        file.lines.truncate(fits);
                        file.lines.shrink_to_fit();
                        self.incomplete = true;
                        if self
                            .last
                            .as_deref()
                            .is_none_or(|last| compare_paths(file.path.relative(), last) == Ordering::Less)
                        {
                            self.last = Some(file.path.relative().to_path_buf());
                        }
                    }
                }
                (self.rows, self.bytes) = (rows, bytes);
            }
            RowDemand::Top { files, .. } => {
                self.files.sort_by(|a, b| {
                    b.match_count
                        .cmp(&a.match_count)
                        .then_with(|| compare_paths(a.path.relative(), b.path.relative()))
                });
                for file in self.files.iter_mut().skip(files) {
                    self.incomplete |= !file.lines.is_empty();
                    file.lines = Vec::new();
                }
                self.rows = self.files.iter().map(|file| file.lines.len()).sum();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink, sync::Arc, time::SystemTime};

    use fumi_base::project::Project;
    use tokio_util::sync::CancellationToken;

    use super::{RowDemand, ScopeOptions, SearchMatches, SearchScope, SearchTargets, search, search_found};
    use crate::{
        errors::search::SearchError,
        skipped::SkipReason,
        text_query::{QuerySyntax, TextQuery, TextQueryOptions},
        walk::{FileFilter, FileOptions, ListingDetail, ListingRequest, ListingSort},
    };

    const MOST: u64 = 100 << 20;
    const ROWS: RowDemand = RowDemand::Rows { keep: 10_000 };

    fn project(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Arc<Project>) {
        let root = tempfile::tempdir().expect("a folder");
        for (file, content) in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
            fs::write(path, content).expect("a file");
        }
        let project = Project::open(root.path()).expect("a project");
        (root, project)
    }

    fn found(project: &Arc<Project>, files: &[&str], options: &TextQueryOptions, need: RowDemand) -> SearchMatches {
        let targets = SearchTargets {
            files: files
                .iter()
                .map(|file| project.resolve(file).expect("inside"))
                .collect(),
            ..SearchTargets::default()
        };
        let scope = SearchScope::new(project, &ScopeOptions::default(), MOST).expect("valid");
        let query = TextQuery::new(options).expect("valid");
        search(&query, &targets, &scope, need, &CancellationToken::new()).expect("not cancelled")
    }

    /// Returns `path:line:text` of each row.
    fn rows(matches: &SearchMatches) -> Vec<String> {
        let file = |file: &super::FileMatches| {
            let path = file.path.shown();
            file.lines
                .iter()
                .map(move |line| format!("{path}:{}:{}", line.line, line.text))
                .collect::<Vec<_>>()
        };
        matches.files.iter().flat_map(file).collect()
    }

    #[test]
    fn exactly_the_named_files_are_searched_even_hidden_and_once() {
        let (_root, project) = project(&[
            ("a/__init__.py", b"x = 1\n"),
            ("b/__init__.py", b"x = 2\n"),
            (".env", b"x = 3\n"),
        ]);
        let options = TextQueryOptions::new("x =");
        let one = found(&project, &["a/__init__.py", "./a/__init__.py"], &options, ROWS);
        assert_eq!(rows(&one), ["a/__init__.py:1:x = 1"]);
        let hidden = found(&project, &[".env", "."], &options, ROWS);
        assert_eq!((hidden.total_matches, hidden.total_files()), (3, 3));
    }

    #[test]
    fn japanese_files_are_found_in_every_encoding() {
        let text = "吾輩は猫である。\n名前はまだ無い。\nどこで生れたかとんと見当がつかぬ。\n";
        let sjis = encode("shift_jis", text);
        let euc = encode("euc-jp", text);
        let jis = encode("iso-2022-jp", text);
        let utf_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = [b"\xff\xfe".as_slice(), &utf_16].concat();
        let (_root, project) = project(&[
            ("e.txt", &euc),
            ("j.txt", &jis),
            ("m.txt", &marked),
            ("s.txt", &sjis),
            ("u.txt", text.as_bytes()),
        ]);
        let matches = found(&project, &[], &TextQueryOptions::new("名前"), ROWS);
        let each: Vec<_> = ["e", "j", "m", "s", "u"]
            .iter()
            .map(|f| format!("{f}.txt:2:名前はまだ無い。"))
            .collect();
        assert_eq!(rows(&matches), each);
        assert_eq!(matches.files[0].lines[0].spans, [[0, 2]]);
        let encodings: Vec<_> = matches.files.iter().map(|file| file.encoding.as_deref()).collect();
        assert_eq!(
            encodings,
            [
                Some("euc-jp"),
                Some("iso-2022-jp"),
                Some("utf-16le"),
                Some("shift_jis"),
                None
            ]
        );
    }

    fn encode(label: &str, text: &str) -> Vec<u8> {
        match fumi_base::files::EncodingChoice::parse(label).expect("known") {
            fumi_base::files::EncodingChoice::Fixed(encoding) => encoding.encode(text).0.into_owned(),
            fumi_base::files::EncodingChoice::Auto => panic!("a fixed encoding"),
        }
    }

    #[test]
    fn one_broken_character_does_not_make_a_file_latin() {
        let content = [("文".repeat(50) + "\n").as_bytes(), b"\xff\n", "文字\n".as_bytes()].concat();
        let (_root, project) = project(&[("a.txt", &content)]);
        assert_eq!(
            rows(&found(&project, &[], &TextQueryOptions::new("文字"), ROWS)),
            ["a.txt:3:文字"]
        );
    }

    #[test]
    fn context_lines_appear_once() {
        let (_root, project) = project(&[("a.txt", b"1\n2\nhit\n4\n5\nhit\n7\n")]);
        let mut options = TextQueryOptions::new("hit");
        (options.context_before, options.context_after) = (2, 1);
        let matches = found(&project, &[], &options, ROWS);
        let [first, second] = &matches.files[0].lines[..] else {
            panic!("two rows");
        };
        assert_eq!(
            (first.context_before.join(","), first.context_after.join(",")),
            ("1,2".into(), "4".into())
        );
        assert_eq!(
            (second.context_before.join(","), second.context_after.join(",")),
            ("5".into(), "7".into())
        );
    }

    #[test]
    fn rows_are_bounded_and_counts_are_exact() {
        let many = "hit hit\n".repeat(1_000);
        let (_root, project) = project(&[("a", many.as_bytes()), ("b", many.as_bytes()), ("c", b"hit\n")]);
        let options = TextQueryOptions::new("hit");
        let cut = found(&project, &[], &options, RowDemand::Rows { keep: 1_005 });
        assert_eq!(
            (cut.total_matches, cut.total_lines, cut.total_files()),
            (4_001, 2_001, 3)
        );
        let kept: Vec<_> = cut.files.iter().map(|file| file.lines.len()).collect();
        assert_eq!((kept, cut.complete), (vec![1_000, 5, 0], false));
        let all = found(&project, &[], &options, ROWS);
        assert_eq!((all.rows(), all.complete), (2_001, true));
        let top = found(&project, &[], &options, RowDemand::Top { files: 1, rows: 3 });
        let kept: Vec<_> = top.files.iter().map(|file| file.lines.len()).collect();
        assert_eq!((kept, top.total_matches), (vec![3, 0, 0], 4_001));
        let counts = found(&project, &[], &options, RowDemand::Counts);
        assert_eq!((counts.total_matches, counts.rows()), (4_001, 0));
    }

    #[test]
    fn matches_across_lines_are_one_row() {
        let (_root, project) = project(&[("a.rs", b"fn a(\n    x: u8,\n) {}\nfn b() {}\n")]);
        let mut options = TextQueryOptions::new(r"fn a\([^)]*\)");
        options.multiline = true;
        let matches = found(&project, &[], &options, ROWS);
        assert_eq!(rows(&matches), ["a.rs:1:fn a(\n    x: u8,\n) {}"]);
        assert_eq!((matches.total_matches, matches.total_lines), (1, 3));
    }

    #[test]
    fn binary_files_count_only_when_named() {
        let (_root, project) = project(&[("a.bin", b"hit\n\0\nhit\n"), ("b.txt", b"hit\n")]);
        let options = TextQueryOptions::new("hit");
        let walked = found(&project, &["."], &options, ROWS);
        assert_eq!(
            (rows(&walked), walked.total_matches),
            (vec!["b.txt:1:hit".to_owned()], 1)
        );
        let named = found(&project, &["a.bin"], &options, ROWS);
        assert_eq!((rows(&named), named.total_matches), (vec!["a.bin:1:hit".to_owned()], 2));
        assert_eq!(named.skipped.examples[0].reason, SkipReason::BinaryMatches);
    }

    #[test]
    fn links_that_leave_the_project_are_not_searched() {
        let (root, project) = project(&[("a.txt", b"hit\n")]);
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("b.txt"), "hit\n").expect("a file");
        symlink(outside.path(), root.path().join("out")).expect("a link");
        symlink(outside.path().join("b.txt"), root.path().join("b.txt")).expect("a link");
        let options = ScopeOptions {
            traversal: crate::walk::Traversal {
                follow_symlinks: true,
                ..Default::default()
            },
            ..ScopeOptions::default()
        };
        let scope = SearchScope::new(&project, &options, MOST).expect("valid");
        let query = TextQuery::new(&TextQueryOptions::new("hit")).expect("valid");
        let matches = search(
            &query,
            &SearchTargets::default(),
            &scope,
            ROWS,
            &CancellationToken::new(),
        )
        .expect("not cancelled");
        assert_eq!(rows(&matches), ["a.txt:1:hit"]);
        let skipped: Vec<_> = matches
            .skipped
            .examples
            .iter()
            .map(|skipped| skipped.path.as_str())
            .collect();
        assert_eq!(skipped, ["b.txt", "out"]);
    }

    #[test]
    fn search_found_keeps_to_listing_and_globs() {
        let (_root, project) = project(&[
            ("src/big.rs", b"hit hit hit, and more of it\n"),
            ("src/small.rs", b"hit\n"),
            ("src/skip/other.rs", b"hit hit hit hit hit hit hit hit\n"),
            ("notes.txt", b"hit\n"),
        ]);
        let filter = FileFilter::new(
            &project,
            &[],
            &FileOptions {
                extensions: vec!["rs".to_owned()],
                ..FileOptions::default()
            },
            SystemTime::now(),
        )
        .expect("valid");
        let wanted = ListingRequest {
            detail: ListingDetail::Metadata,
            sort: ListingSort::Size,
            keep: 2,
        };
        let listing = filter.list(wanted, &CancellationToken::new()).expect("not cancelled");
        let options = ScopeOptions {
            exclude_globs: vec!["skip/".to_owned()],
            ..ScopeOptions::default()
        };
        let scope = SearchScope::new(&project, &options, MOST).expect("valid");
        let query = TextQuery::new(&TextQueryOptions::new("hit")).expect("valid");
        let matches =
            search_found(&query, &listing.entries, &scope, ROWS, &CancellationToken::new()).expect("not cancelled");
        assert_eq!((listing.total_count, matches.searched_files), (3, 1));
        assert_eq!(rows(&matches), ["src/big.rs:1:hit hit hit, and more of it"]);
    }

    #[test]
    fn too_large_files_are_reported() {
        let (_root, project) = project(&[("a.log", b"hit, and some more\n"), ("b", b"hit\n")]);
        let scope = SearchScope::new(&project, &ScopeOptions::default(), 10).expect("valid");
        let query = TextQuery::new(&TextQueryOptions::new("hit")).expect("valid");
        let matches = search(
            &query,
            &SearchTargets::default(),
            &scope,
            ROWS,
            &CancellationToken::new(),
        )
        .expect("not cancelled");
        assert_eq!(rows(&matches), ["b:1:hit"]);
        let skipped = &matches.skipped.examples[0];
        assert_eq!((skipped.path.as_str(), skipped.reason), ("a.log", SkipReason::TooLarge));
    }

    #[test]
    fn pcre2_supports_look_around() {
        let (_root, project) = project(&[("a", b"foobar foobaz\n")]);
        let mut options = TextQueryOptions::new("foo(?!bar)");
        options.syntax = QuerySyntax::Pcre2;
        let matches = found(&project, &[], &options, ROWS);
        assert_eq!(matches.files[0].lines[0].spans, [[7, 10]]);
    }

    #[test]
    fn cancelled_search_stops_and_errors_are_collected() {
        let (_root, project) = project(&[("a", b"hit\n")]);
        let scope = SearchScope::new(&project, &ScopeOptions::default(), MOST).expect("valid");
        let query = TextQuery::new(&TextQueryOptions::new("hit")).expect("valid");
        let cancel = CancellationToken::new();
        cancel.cancel();
        let stopped = search(&query, &SearchTargets::default(), &scope, ROWS, &cancel);
        assert_eq!(stopped.expect_err("cancelled"), SearchError::Cancelled);
        let options = ScopeOptions {
            include_globs: vec!["[".to_owned()],
            exclude_globs: vec!["{a".to_owned()],
            max_filesize: Some("10MB".to_owned()),
            ..ScopeOptions::default()
        };
        assert_eq!(
            SearchScope::new(&project, &options, MOST).expect_err("refused").len(),
            3
        );
    }
}
