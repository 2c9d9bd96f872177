//! The choice of a search: which of the files that it finds it need not open.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use super::{
    folder_question::FolderQuestion,
    folder_table::{Folder, FolderTable},
    indexed_files::{ContentFilter, IndexedFiles, Place},
    project_index::{IndexView, ProjectIndex},
};
use crate::{
    languages::{Language, detect::FileLanguage},
    text_query::TextQuery,
    walk::Traversal,
};

/// The extent to which a search used the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, fumi_base::Named)]
pub enum IndexUse {
    /// Every file that was found was known.
    Whole,
    /// Some files were not known, and were opened.
    Part,
    /// No file was skipped: the project is not indexed, or the query could match any file.
    #[default]
    None,
}

/// The action of a search on a file that it found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileChoice {
    /// The file cannot match.
    Skip,
    Open,
    /// The index does not know the file. It is opened, and to be read for the index.
    OpenUnknown,
}

/// The files that a walk would find.
#[derive(Debug, Default)]
pub(crate) struct FileList {
    /// Those that must be opened, relative to the root.
    pub(crate) files: Vec<Arc<Path>>,
    /// The number of those that cannot match.
    pub(crate) unopened: u64,
}

/// The source files that a walk would find.
#[derive(Debug, Default)]
pub(crate) struct SourceList {
    /// Those that must be read, relative to the root, in no order. Not all of them need be sources.
    pub(crate) files: Vec<Arc<Path>>,
    /// Those that need not be read.
    pub(crate) left_out: LanguageCounts,
}

/// The numbers of files that need not be read, by language.
#[derive(Debug, Default)]
pub(crate) struct LanguageCounts(Vec<FilesOfLanguage>);

#[derive(Debug)]
struct FilesOfLanguage {
    language: &'static Language,
    /// True if files in the language must be read: first for files that cannot match, then for files that may match.
    is_read: [bool; 2],
    left_out: usize,
}

impl LanguageCounts {
    fn entry(
        &mut self,
        language: &'static Language,
        is_read: impl Fn(&'static Language, bool) -> bool,
    ) -> &mut FilesOfLanguage {
        // A project has few languages.
        let known = self.0.iter().position(|files| std::ptr::eq(files.language, language));
        let at = known.unwrap_or_else(|| {
            self.0.push(FilesOfLanguage {
                language,
                is_read: [false, true].map(|may_match| is_read(language, may_match)),
                left_out: 0,
            });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// Returns the languages with files that need not be read, and the number of these.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static Language, usize)> {
        let counts = self.0.iter().map(|files| (files.language, files.left_out));
        counts.filter(|(_, left_out)| *left_out > 0)
    }
}

/// The choice for one search.
#[derive(Debug)]
pub(crate) struct SearchPlan<'a> {
    index: &'a ProjectIndex,
    indexed: Arc<IndexedFiles>,
    folders: Option<Arc<FolderTable>>,
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
        let IndexView { indexed, folders } = index.view()?;
        Some(Self {
            // A path below a link may have been read when it led elsewhere.
            filter: ContentFilter::new(&indexed, query, most_bytes).filter(|_| !traversal.follow_symlinks),
            index,
            indexed,
            folders,
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

    /// Returns the files that a walk would find. `None` if the walk must be made.
    pub(crate) fn list(&self, question: &FolderQuestion<'_>) -> Option<FileList> {
        let Some(table) = &self.folders else {
            self.index.want_folders();
            return None;
        };
        if !question.is_of_all_files() {
            let mut list = FileList::default();
            let is_listed = question.each_file(table, |relative| match self.choice(relative) {
                FileChoice::Skip => list.unopened += 1,
                FileChoice::Open | FileChoice::OpenUnknown => list.files.push(Arc::from(relative)),
            });
            return is_listed.then_some(list);
        }
        let tops = question.tops(table)?;
        let is_below = |path: &Path| is_below(&tops, path);
        let found: u64 = tops.iter().map(|(folder, _)| folder.files()).sum::<Option<u64>>()?;
        let named = question.named.iter().filter(|path| is_below(path) && table.has_file(path));
        let listed = self.index.listed(table, &self.indexed);
        let to_open = listed.to_open(self.filter.as_ref());
        let files: Vec<Arc<Path>> =
            to_open.filter(|path| is_below(path) && !question.named.contains(&***path)).cloned().collect();
        let unopened = found.checked_sub(named.count() as u64 + files.len() as u64)?;
        Some(FileList { files, unopened })
    }

    /// Returns the source files that a walk would find and that must be read: those for whose language `is_read` says so;
    /// its second argument is true if the file may match. `None` if all files must be walked, or read.
    pub(crate) fn list_sources(
        &self,
        question: &FolderQuestion<'_>,
        is_read: impl Fn(&'static Language, bool) -> bool,
    ) -> Option<SourceList> {
        let filter = self.filter.as_ref()?;
        let Some(table) = &self.folders else {
            self.index.want_folders();
            return None;
        };
        let (mut list, mut unknown) = (SourceList::default(), Vec::new());
        let mut sort = |path: &dyn Fn() -> Arc<Path>, place: Option<Place>| {
            let language = place.map(|place| self.indexed.facts(place).language);
            match (place, language) {
                (None, _) => unknown.push(path()),
                (Some(_), Some(FileLanguage::None)) => {}
                (Some(place), Some(FileLanguage::Known(language))) => {
                    let files = list.left_out.entry(language, &is_read);
                    if files.is_read[usize::from(filter.must_open(place))] {
                        list.files.push(path());
                    } else {
                        files.left_out += 1;
                    }
                }
                _ => list.files.push(path()),
            }
        };
        if question.is_of_all_files() {
            let tops = question.tops(table)?;
            // Otherwise a part of the folders must be walked.
            tops.iter().map(|(folder, _)| folder.files()).sum::<Option<u64>>()?;
            let is_below = |path: &Path| is_below(&tops, path);
            self.index.listed(table, &self.indexed).each(|path, place| {
                if is_below(path) && !question.named.contains(&**path) {
                    sort(&|| Arc::clone(path), place.filter(|place| self.indexed.is_live(*place)));
                }
            });
        } else if !question.each_file(table, |path| sort(&|| Arc::from(path), self.indexed.live_place(path))) {
            return None;
        }
        list.files.extend(unknown.iter().cloned());
        self.want(unknown);
        Some(list)
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

    /// Returns how far the index was used, after the search. `is_listed` is true if no folder was walked.
    pub(crate) fn index_use(&self, is_listed: bool) -> IndexUse {
        match (is_listed, self.filter.is_some(), self.has_unknown.load(Relaxed)) {
            (false, false, _) => IndexUse::None,
            (true, true, false) => IndexUse::Whole,
            _ => IndexUse::Part,
        }
    }
}

/// True if a path lies in one of some folders, which are given with their paths.
fn is_below(folders: &[(&Folder, PathBuf)], path: &Path) -> bool {
    folders.iter().any(|(_, folder)| folder.as_os_str().is_empty() || path.starts_with(folder))
}
