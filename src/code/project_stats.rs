//! Statistics of a whole project: files, lines, languages, complexity.
//!
//! One parallel pass over the files that a plain walk finds. A file that cannot be read or is not text counts as a file
//! with bytes and without lines; a system failure ends the count with an error. This module does not cache, and parses
//! only when complexity is requested.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use fumi_base::encoding::{self, EncodingChoice};
use fumi_base::files;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::{
    errors::{search::SearchError, structure::StructureError},
    file_scale::statistics,
    languages::{
        detect::{TEXT_PROBE, by_file_name},
        facts::LanguageFamily,
    },
    listing::{FileFilter, FoundFile, ListingDetail, ListingRequest, ListingSort},
    parse::SourceFile,
    parser_pool::ParserPool,
    syntax_errors::SyntaxErrorSummary,
    thread_budget::{ThreadPermit, cores},
};

/// The maximum number of callables kept, the most complex first.
pub const TOP: usize = 50;

/// The language name of files in no known language.
pub const OTHER: &str = "other";

/// The amount of work for each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatsDepth {
    /// Lines and languages only.
    Lines,
    /// Also the complexity of every callable.
    Complexity,
}

/// The statistics of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStats {
    /// The path relative to the project.
    pub path: String,
    /// The language's name, or [`OTHER`].
    pub language: &'static str,
    /// The number of lines; 0 for a binary file.
    pub lines: usize,
    /// The size in bytes.
    pub bytes: u64,
    /// The time of the last change, in Unix seconds.
    pub modified: i64,
}

/// A function or method with its complexity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallableStats {
    /// The path relative to the project.
    pub path: String,
    /// The qualified name of the element.
    pub element: String,
    /// The number of its first line.
    pub line: usize,
    /// The cyclomatic complexity of the callable.
    pub complexity: usize,
}

/// The statistics of a whole project.
#[derive(Clone, Debug, Default)]
pub struct ProjectStats {
    /// The kept files, by path.
    pub files: Vec<FileStats>,
    /// The number of all files, including those not kept.
    pub total_files: u64,
    /// The number of callables by complexity; empty unless requested.
    pub complexity: BTreeMap<usize, usize>,
    /// The most complex callables, in descending order.
    pub top: Vec<CallableStats>,
    /// Paths of files whose parser reached a limit: their callables are missing.
    pub unparsed: Vec<String>,
    /// Parsed files with syntax errors, each with the line of its first error: callables may be missing.
    pub broken: Vec<(String, usize)>,
}

/// Collects statistics of every file that the filter finds, up to `keep`.
pub fn collect_stats(
    filter: &FileFilter,
    depth: StatsDepth,
    keep: usize,
    file_bytes: u64,
    parsers: &ParserPool,
    cancel: &CancellationToken,
) -> Result<ProjectStats, SearchError> {
    let wanted = ListingRequest { detail: ListingDetail::Metadata, sort: ListingSort::Path, keep };
    let listing = filter.list(wanted, cancel)?;
    let found: Vec<_> = listing.entries.iter().filter(|file| !file.is_dir && !file.is_symlink).collect();
    let (next, gathered) = (AtomicUsize::new(0), Mutex::new(ProjectStats::default()));
    let failure = Mutex::new(None);
    let work = || {
        let mut own = ProjectStats::default();
        while let Some(file) = found.get(next.fetch_add(1, Ordering::Relaxed)) {
            if cancel.is_cancelled() {
                return;
            }
            if let Err(error) = own.add(file, depth, file_bytes, parsers, cancel) {
                // The results of the remaining files would be discarded.
                next.store(found.len(), Ordering::Relaxed);
                failure.lock().get_or_insert(error);
                return;
            }
        }
        gathered.lock().merge(own);
    };
    let walkers = ThreadPermit::acquire(cores());
    std::thread::scope(|scope| {
        for _ in 1..walkers.count() {
            crate::thread_budget::spawn_thread(scope, work);
        }
        work();
    });
    if cancel.is_cancelled() {
        return Err(SearchError::Cancelled);
    }
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    let mut stats = gathered.into_inner();
    stats.files.sort_by(|a, b| a.path.cmp(&b.path));
    stats.unparsed.sort();
    stats.sort_top();
    stats.total_files = listing.total_count - (listing.entries.len() - found.len()) as u64;
    Ok(stats)
}

impl ProjectStats {
    /// Returns the mean complexity of all callables, 0 without any.
    pub fn average_complexity(&self) -> f64 {
        let count: usize = self.complexity.values().sum();
        let total: usize = self.complexity.iter().map(|(complexity, count)| complexity * count).sum();
        total as f64 / count.max(1) as f64
    }

    fn add(
        &mut self,
        file: &FoundFile,
        depth: StatsDepth,
        file_bytes: u64,
        parsers: &ParserPool,
        cancel: &CancellationToken,
    ) -> Result<(), SearchError> {
        let path = file.path.shown();
        let language = by_file_name(&path);
        let bytes = match files::read(&file.path, file_bytes) {
            Ok(bytes) => bytes,
            Err(error) if error.is_system_failure() => return Err(SearchError::System { path }),
            Err(_) => Vec::new(),
        };
        let is_text = !bytes[..bytes.len().min(TEXT_PROBE)].contains(&0);
        // Data contains no decisions, and lock files are large.
        let runs = language.is_some_and(|language| language.facts.family != LanguageFamily::Data);
        self.files.push(FileStats {
            language: language.map_or(OTHER, |language| language.name),
            lines: if is_text { lines(&bytes) } else { 0 },
            bytes: file.size_bytes.unwrap_or_default(),
            modified: file.mtime.unwrap_or_default(),
            path: path.clone(),
        });
        if depth == StatsDepth::Lines || !runs || !is_text {
            return Ok(());
        }
        let decoded = encoding::decode(&bytes, EncodingChoice::Auto);
        let outline = SourceFile::new(path.clone(), decoded, bytes.len() as u64, None)
            .and_then(|source| parsers.outline(source, cancel));
        let file = match outline {
            Ok(file) => file,
            Err(StructureError::ParserUnavailable { .. }) => return Err(SearchError::System { path }),
            Err(StructureError::ParserStopped { .. }) => {
                self.unparsed.push(path);
                return Ok(());
            }
            // An empty text has no language; a cancelled count fails in the caller.
            Err(_) => return Ok(()),
        };
        if let Some(broken) = SyntaxErrorSummary::from_errors(&file.errors, file.error_count) {
            self.broken.push((path.clone(), broken.first_line));
        }
        for (element, line, complexity) in statistics(&file).callables {
            *self.complexity.entry(complexity).or_default() += 1;
            self.top.push(CallableStats { path: path.clone(), element, line, complexity });
        }
        if self.top.len() > TOP * 20 {
            self.sort_top();
        }
        Ok(())
    }

    fn merge(&mut self, other: Self) {
        self.files.extend(other.files);
        self.top.extend(other.top);
        self.unparsed.extend(other.unparsed);
        self.broken.extend(other.broken);
        for (complexity, count) in other.complexity {
            *self.complexity.entry(complexity).or_default() += count;
        }
    }

    fn sort_top(&mut self) {
        self.top.sort_by(|a, b| (b.complexity, &a.path, a.line).cmp(&(a.complexity, &b.path, b.line)));
        self.top.truncate(TOP);
    }
}

/// Counts line feeds, plus one if the last line is not empty.
fn lines(bytes: &[u8]) -> usize {
    let feeds = memchr::memchr_iter(b'\n', bytes).count();
    feeds + usize::from(bytes.last().is_some_and(|last| *last != b'\n'))
}

#[cfg(test)]
mod tests {
    use std::{fs, time::SystemTime};

    use fumi_base::project::Project;
    use tokio_util::sync::CancellationToken;

    use super::{StatsDepth, collect_stats};
    use crate::{
        errors::search::SearchError,
        listing::{FileFilter, FileOptions},
        parser_pool::{ParserPool, ParserProgram},
    };

    #[test]
    fn lines_languages_and_complexity_of_a_small_project() {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join("a.py"), "def f(x):\n    if x and x > 1:\n        return 1\n    return 2\n")
            .expect("a file");
        fs::write(root.path().join("b.txt"), "one\ntwo").expect("a file");
        fs::write(root.path().join("c.bin"), b"\0\n\n").expect("a file");
        let project = Project::open(root.path()).expect("a project");
        let filter = FileFilter::new(&project, &[], &FileOptions::default(), SystemTime::now()).expect("plain");
        let stats = collect_stats(
            &filter,
            StatsDepth::Complexity,
            100,
            1 << 20,
            &ParserPool::in_process(),
            &CancellationToken::new(),
        )
        .expect("read");
        let shown: Vec<_> = stats.files.iter().map(|file| (file.path.as_str(), file.language, file.lines)).collect();
        assert_eq!(shown, [("a.py", "python", 4), ("b.txt", "other", 2), ("c.bin", "other", 0)]);
        assert_eq!((stats.top[0].element.as_str(), stats.top[0].complexity), ("f", 3));
        assert_eq!(stats.total_files, 3);
    }

    #[test]
    fn unavailable_parser_fails_the_count() {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join("a.py"), "def f(): pass\n").expect("a file");
        let project = Project::open(root.path()).expect("a project");
        let filter = FileFilter::new(&project, &[], &FileOptions::default(), SystemTime::now()).expect("plain");
        let parsers = ParserPool::new(ParserProgram { path: root.path().join("missing"), arguments: Vec::new() });
        let collect = |depth| collect_stats(&filter, depth, 100, 1 << 20, &parsers, &CancellationToken::new());
        let failure = collect(StatsDepth::Complexity).expect_err("no parser");
        assert!(matches!(&failure, SearchError::System { path } if path == "a.py"), "{failure:?}");
        assert!(collect(StatsDepth::Lines).is_ok());
    }
}
