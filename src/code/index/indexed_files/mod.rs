//! The segments at one moment, and the answer that a search needs of them: which files it need not open.
//!
//! Invariant: a file is skipped only if it has a live document that the query cannot match. A file that the index does
//! not know is always opened.

use std::{collections::HashMap, path::Path, sync::Arc};

use fumi_base::encoding::EncodingChoice;

use super::{
    postings::DocSet,
    segment::{Candidates, DocFacts, DocId, SearchReach, Segment},
};
use crate::text_query::TextQuery;

/// The segments at one moment, and the place of each file in them.
#[derive(Debug, Default)]
pub(crate) struct IndexedFiles {
    /// The oldest first.
    segments: Vec<Arc<Segment>>,
    places: HashMap<Arc<Path>, Place>,
}

/// The place of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// An index into the segments.
    pub(super) segment: usize,
    pub(super) doc: DocId,
}

impl IndexedFiles {
    /// Takes segments, the oldest first. If several have a live document of one file, only the newest stays alive.
    pub(crate) fn new(segments: Vec<Arc<Segment>>) -> Self {
        let documents = segments.iter().map(|segment| segment.documents() as usize).sum();
        let mut places: HashMap<Arc<Path>, Place> = HashMap::with_capacity(documents);
        for (at, segment) in segments.iter().enumerate() {
            for (doc, facts) in segment.live_documents() {
                let place = Place { segment: at, doc };
                if let Some(older) = places.insert(Arc::clone(&facts.path), place) {
                    segments[older.segment].kill_document(older.doc);
                }
            }
        }
        Self { segments, places }
    }

    pub(crate) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// Returns the number of files, those that changed since among them.
    pub(crate) fn files(&self) -> usize {
        self.places.len()
    }

    /// Returns the memory of the segments, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.segments.iter().map(|segment| segment.bytes()).sum()
    }

    /// True if the index knows the file and no change of it.
    pub(crate) fn knows(&self, relative: &Path) -> bool {
        self.live_place(relative).is_some()
    }

    /// Returns the place of the document of a file, if it is alive.
    pub(crate) fn live_place(&self, relative: &Path) -> Option<Place> {
        let place = *self.places.get(relative)?;
        self.is_live(place).then_some(place)
    }

    /// True if nothing changed a document of these segments.
    pub(crate) fn is_live(&self, place: Place) -> bool {
        self.segments[place.segment].is_live(place.doc)
    }

    /// Returns the facts about a document of these segments.
    pub(crate) fn facts(&self, place: Place) -> &DocFacts {
        &self.segments[place.segment].docs[place.doc as usize]
    }
}

/// The files that a query may skip.
#[derive(Clone, Debug)]
pub(crate) struct ContentFilter {
    indexed: Arc<IndexedFiles>,
    /// The candidates of each segment.
    candidates: Arc<[Candidates]>,
}

impl ContentFilter {
    /// Looks up the candidates of a query among files of at most `most_bytes`. `None` if no file may be skipped: the
    /// query needs no trigram or only common ones, or the caller forces an encoding, of which the index knows nothing.
    pub(crate) fn new(indexed: &Arc<IndexedFiles>, query: &TextQuery, most_bytes: u64) -> Option<Self> {
        if query.encoding != EncodingChoice::Auto {
            return None;
        }
        let reach = SearchReach { passes_nul: query.multiline, most_bytes };
        let candidates: Arc<[Candidates]> =
            indexed.segments.iter().map(|segment| segment.candidates(&query.need, reach)).collect();
        let is_filter = candidates.iter().any(|each| *each != Candidates::Every);
        is_filter.then(|| Self { indexed: Arc::clone(indexed), candidates })
    }

    /// True if a search must open the file, given relative to the root: it may match, or the index does not know it.
    pub(crate) fn may_match(&self, relative: &Path) -> bool {
        self.indexed.live_place(relative).is_none_or(|place| self.candidates[place.segment].contains(place.doc))
    }

    /// Returns those of some documents of a segment that a search must open.
    pub(super) fn to_open(&self, segment: usize, among: &DocSet) -> DocSet {
        self.indexed.segments[segment].to_open(&self.candidates[segment], among)
    }

    /// True if a search must open the file of a document of the same segments.
    pub(crate) fn must_open(&self, place: Place) -> bool {
        self.candidates[place.segment].contains(place.doc) || !self.indexed.is_live(place)
    }
}

#[cfg(test)]
mod tests;
