//! The choice of a search: which of the files that it finds it need not open.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use super::{
    indexed_files::{ContentFilter, IndexedFiles},
    project_index::ProjectIndex,
};
use crate::{text_query::TextQuery, walk::Traversal};

/// How far a search used the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexUse {
    /// Every file that was found was known.
    Whole,
    /// Some files were not known, and were opened.
    Part,
    /// No file was skipped: the project is not indexed, or the query could match any file.
    #[default]
    None,
}

impl IndexUse {
    /// Returns the name in `_meta`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Part => "part",
            Self::None => "none",
        }
    }
}

/// What a search does with a file that it found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileChoice {
    /// The file cannot match.
    Skip,
    Open,
    /// The index does not know the file. It is opened, and to be read for the index.
    OpenUnknown,
}

/// The choice for one search.
#[derive(Debug)]
pub(crate) struct SearchPlan<'a> {
    index: &'a ProjectIndex,
    indexed: Arc<IndexedFiles>,
    /// `None` if the query could match any file.
    filter: Option<ContentFilter>,
    has_unknown: AtomicBool,
    /// True if files that are not known are to be read for the index. Those that only special searches find are not.
    wants_unknown: bool,
}

impl<'a> SearchPlan<'a> {
    /// Plans a search of files of at most `most_bytes`. `None` without an index of the project.
    pub(crate) fn new(
        index: Option<&'a ProjectIndex>,
        query: &TextQuery,
        most_bytes: u64,
        traversal: Traversal,
    ) -> Option<Self> {
        let index = index?;
        let indexed = index.indexed()?;
        Some(Self {
            // A path below a link may have been read when it led elsewhere.
            filter: ContentFilter::new(&indexed, query, most_bytes).filter(|_| !traversal.follow_symlinks),
            index,
            indexed,
            has_unknown: AtomicBool::new(false),
            wants_unknown: traversal == Traversal::default(),
        })
    }

    /// Returns what to do with a file that a walk found, relative to the root.
    pub(crate) fn choice(&self, relative: &Path) -> FileChoice {
        if self.filter.as_ref().is_some_and(|filter| !filter.may_match(relative)) {
            FileChoice::Skip
        } else if self.indexed.knows(relative) {
            FileChoice::Open
        } else {
            FileChoice::OpenUnknown
        }
    }

    /// Records files that were not known, to be read for the index.
    pub(crate) fn want(&self, unknown: Vec<Arc<Path>>) {
        if unknown.is_empty() {
            return;
        }
        self.has_unknown.store(true, Relaxed);
        if self.wants_unknown {
            self.index.want(unknown);
        }
    }

    /// Returns how far the index was used, after the search.
    pub(crate) fn index_use(&self) -> IndexUse {
        match (self.filter.is_some(), self.has_unknown.load(Relaxed)) {
            (false, _) => IndexUse::None,
            (true, false) => IndexUse::Whole,
            (true, true) => IndexUse::Part,
        }
    }
}
