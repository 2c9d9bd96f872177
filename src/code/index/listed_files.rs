//! The files of a table of folders, each with its document if the index has one: the list of a search that does not walk.
//!
//! Invariant: every file that a walk finds is among them once. A file without a document, or whose document died since,
//! is opened by every search.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::overrides::Override;

use super::{
    folder_table::FolderTable,
    indexed_files::{ContentFilter, IndexedFiles, Place},
    postings::DocSet,
};

/// The files of one table.
#[derive(Debug)]
pub(crate) struct ListedFiles {
    folders: Arc<FolderTable>,
    indexed: Arc<IndexedFiles>,
    /// The documents of the files, by segment.
    known: Vec<DocSet>,
    unknown: Vec<Arc<Path>>,
}

impl ListedFiles {
    pub(crate) fn new(folders: Arc<FolderTable>, indexed: Arc<IndexedFiles>) -> Self {
        let segments = indexed.segments().iter();
        let mut known: Vec<DocSet> = segments.map(|segment| DocSet::new(segment.documents())).collect();
        let mut unknown = Vec::new();
        if let Some(top) = folders.folder(Path::new("")) {
            top.each_file(&mut PathBuf::new(), &Override::empty(), |path: &Path| {
                match indexed.live_place(path) {
                    Some(place) => known[place.segment].insert(place.doc),
                    None => unknown.push(Arc::from(path)),
                }
                true
            });
        }
        Self { folders, indexed, known, unknown }
    }

    /// True if these are the files of a table, with these documents.
    pub(crate) fn is_of(&self, folders: &Arc<FolderTable>, indexed: &Arc<IndexedFiles>) -> bool {
        Arc::ptr_eq(&self.folders, folders) && Arc::ptr_eq(&self.indexed, indexed)
    }

    /// Returns the files that a query must open.
    pub(crate) fn to_open<'f>(&'f self, filter: Option<&'f ContentFilter>) -> impl Iterator<Item = &'f Arc<Path>> {
        let known = self.known.iter().enumerate().flat_map(move |(segment, known)| {
            let docs = match filter {
                Some(filter) => filter.to_open(segment, known).documents(),
                None => known.documents(),
            };
            let places = docs.into_iter().map(move |doc| Place { segment, doc });
            places.map(|place| &self.indexed.facts(place).path)
        });
        self.unknown.iter().chain(known)
    }

    /// Calls `visit` with each file, and with the facts about it if they are known.
    pub(crate) fn each(&self, mut visit: impl FnMut(&Arc<Path>, Option<Place>)) {
        for path in &self.unknown {
            visit(path, None);
        }
        for (segment, known) in self.known.iter().enumerate() {
            for doc in known.documents() {
                let place = Place { segment, doc };
                visit(&self.indexed.facts(place).path, Some(place));
            }
        }
    }
}
