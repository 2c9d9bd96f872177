//! Collecting the matches of all threads: counts are exact, kept rows are bounded.

use std::{
    cmp::Ordering,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    time::Instant,
};

use fumi_base::project::ProjectPath;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::matches::{FileMatches, LineMatch, RowDemand, SearchMatches};
use crate::{
    errors::search::SearchError,
    file_searcher::FileTally,
    index::{IndexUse, SearchPlan},
    skipped::{SkipReason, SkippedList},
    walk::compare_paths,
    work_counters::count_unopened,
};

/// The maximum size of the kept rows of one search, in bytes of text. Well under the 500 MB that one operation may use.
const ROW_BYTES: usize = 64 << 20;

/// The plan and the results that all threads of a search share.
pub(super) struct MatchCollector<'a> {
    started: Instant,
    /// The choice of the files to open; `None` without an index.
    pub(super) plan: Option<SearchPlan<'a>>,
    pub(super) need: RowDemand,
    pub(super) searched: AtomicU64,
    /// The number of files that the index excluded.
    pub(super) unopened: AtomicU64,
    /// True if folders were walked to find the files.
    pub(super) has_walked: AtomicBool,
    pub(super) skipped: Mutex<SkippedList>,
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

impl<'a> MatchCollector<'a> {
    pub(super) fn new(need: RowDemand, plan: Option<SearchPlan<'a>>) -> Self {
        Self {
            started: Instant::now(),
            plan,
            need,
            searched: AtomicU64::new(0),
            unopened: AtomicU64::new(0),
            has_walked: AtomicBool::new(false),
            skipped: Mutex::default(),
            is_full: AtomicBool::new(false),
            kept: Mutex::default(),
        }
    }

    /// Returns the number of rows of this file that may still be shown.
    pub(super) fn row_limit(&self, path: &Path) -> usize {
        match self.need {
            RowDemand::Counts => 0,
            RowDemand::Top { rows, .. } => rows,
            RowDemand::Rows { keep } => {
                let behind = self.is_full.load(Relaxed)
                    && self
                        .kept
                        .lock()
                        .last
                        .as_deref()
                        .is_some_and(|last| compare_paths(path, last) == Ordering::Greater);
                if behind { 0 } else { keep }
            }
        }
    }

    pub(super) fn add(&self, path: &ProjectPath, tally: FileTally) {
        let binary = tally.binary;
        let mut kept = self.kept.lock();
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
            self.skipped.lock().add(path.shown(), SkipReason::BinaryMatches);
        }
    }

    pub(super) fn finish(self, cancel: &CancellationToken) -> Result<SearchMatches, SearchError> {
        if cancel.is_cancelled() {
            return Err(SearchError::Cancelled);
        }
        let mut kept = std::mem::take(&mut *self.kept.lock());
        kept.trim(self.need);
        kept.files.sort_by(|a, b| compare_paths(a.path.relative(), b.path.relative()));
        let mut skipped = std::mem::take(&mut *self.skipped.lock());
        skipped.finish()?;
        let has_walked = self.has_walked.into_inner();
        let unopened_files = self.unopened.into_inner();
        count_unopened(unopened_files);
        Ok(SearchMatches {
            files: kept.files,
            total_matches: kept.matches,
            total_lines: kept.lines,
            searched_files: self.searched.into_inner(),
            complete: !kept.incomplete,
            skipped,
            index_use: self.plan.map_or(IndexUse::None, |plan| plan.index_use(!has_walked)),
            has_walked,
            unopened_files,
            elapsed: self.started.elapsed(),
            is_named_file: false,
        })
    }
}

impl KeptMatches {
    /// Drops the rows that will not be shown.
    fn trim(&mut self, need: RowDemand) {
        match need {
            RowDemand::Counts => {}
            RowDemand::Rows { keep } => {
                self.files.sort_by(|a, b| compare_paths(a.path.relative(), b.path.relative()));
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
                    b.match_count.cmp(&a.match_count).then_with(|| compare_paths(a.path.relative(), b.path.relative()))
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
