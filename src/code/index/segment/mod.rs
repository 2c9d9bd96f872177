//! A segment: documents that were indexed together, and the posting lists of their trigrams.
//!
//! Invariant: a segment is immutable, except that documents die and never live again. So a caller with an old segment
//! opens more files than necessary, and misses none. A segment knows no file system: it neither reads files nor asks
//! whether they changed.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    need::Need,
    postings::{DocSet, PostingList},
    trigrams::Trigram,
};
use crate::languages::detect::FileLanguage;

/// The number of candidates that are not narrowed further: opening them costs less than reading a list.
const FEW_CANDIDATES: usize = 8;

/// The maximum number of lists that are intersected.
const MOST_LISTS: usize = 16;

/// The number of most recent lists that decide whether another list is read: together they must have removed enough
/// candidates.
const RECENT_LISTS: usize = 3;

/// The part of the candidates that they must have removed, as a divisor: 2 %.
const LEAST_PART: usize = 50;

/// The number of a document in its segment: its place in the order of paths.
pub(crate) type DocId = u32;

/// The facts about a document, besides its trigrams.
#[derive(Clone, Debug)]
pub(crate) struct DocFacts {
    /// The path relative to the root. Shared with the table of places.
    pub(crate) path: Arc<Path>,
    /// The size of the file, in bytes.
    pub(crate) size: u64,
    pub(crate) inode: u64,
    /// True if the text has a NUL; then the trigrams are those of the text before it.
    pub(crate) has_nul: bool,
    /// The language, as far as the name and plain text show it.
    pub(crate) language: FileLanguage,
}

/// The properties of a search that decide which documents must be opened whatever their trigrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchReach {
    /// True if the search does not end at the first NUL of a file, where the trigrams end.
    pub(crate) passes_nul: bool,
    /// The size in bytes above which the search reports a file instead of searching it.
    pub(crate) most_bytes: u64,
}

/// The documents of a segment that a query may match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Candidates {
    /// Every document: the query needs no trigram, or only common ones.
    Every,
    /// Only these, which are alive.
    Only(DocSet),
}

impl Candidates {
    pub(crate) fn contains(&self, doc: DocId) -> bool {
        match self {
            Self::Every => true,
            Self::Only(docs) => docs.contains(doc),
        }
    }
}

/// Documents that were indexed together.
#[derive(Debug)]
pub(crate) struct Segment {
    /// In the order of [`Path`], in which a folder's documents are neighbours. No path occurs twice.
    pub(super) docs: Vec<DocFacts>,
    /// The trigrams of all documents, sorted.
    pub(super) grams: Vec<Trigram>,
    /// The end of each trigram's list in `lists`.
    pub(super) ends: Vec<u32>,
    pub(super) lists: Vec<u8>,
    /// One bit for each document, which only goes from 1 to 0.
    live: Box<[AtomicU64]>,
    with_nul: DocSet,
    /// The size of the largest file, in bytes.
    largest: u64,
}

impl Segment {
    /// Assembles a segment; only a writer can keep its invariants.
    pub(super) fn new(docs: Vec<DocFacts>, grams: Vec<Trigram>, ends: Vec<u32>, lists: Vec<u8>) -> Self {
        let documents = count(docs.len());
        let mut with_nul = DocSet::new(documents);
        for (doc, _) in (0..).zip(&docs).filter(|(_, facts)| facts.has_nul) {
            with_nul.insert(doc);
        }
        Self {
            largest: docs.iter().map(|facts| facts.size).max().unwrap_or_default(),
            live: (0..docs.len().div_ceil(64)).map(|_| AtomicU64::new(u64::MAX)).collect(),
            with_nul,
            docs,
            grams,
            ends,
            lists,
        }
    }

    /// Returns the number of documents, dead ones among them.
    pub(crate) fn documents(&self) -> u32 {
        count(self.docs.len())
    }

    /// Returns all documents that are alive, in the order of their paths.
    pub(crate) fn live_documents(&self) -> impl Iterator<Item = (DocId, &DocFacts)> {
        (0..).zip(&self.docs).filter(|(doc, _)| self.is_live(*doc))
    }

    pub(crate) fn is_live(&self, doc: DocId) -> bool {
        // `Relaxed` suffices: a search may or may not open a document that dies meanwhile, as with a file that changes
        // during a scan. The lock of the index orders a change before the next call.
        self.live.get(doc as usize / 64).is_some_and(|word| word.load(Ordering::Relaxed) >> (doc % 64) & 1 == 1)
    }

    /// Ends the life of the document of a path, and of all documents below that path as a folder.
    pub(crate) fn kill(&self, relative: &Path) {
        let from = self.docs.partition_point(|facts| *facts.path < *relative);
        let concerned = self.docs[from..].iter().take_while(|facts| facts.path.starts_with(relative));
        for (doc, _) in (from..).zip(concerned) {
            self.kill_document(count(doc));
        }
    }

    /// Ends the life of the documents that do not satisfy a test.
    pub(super) fn keep_only(&self, mut keeps: impl FnMut(&DocFacts) -> bool) {
        for (doc, facts) in (0..).zip(&self.docs) {
            if !keeps(facts) {
                self.kill_document(doc);
            }
        }
    }

    pub(super) fn kill_document(&self, doc: DocId) {
        if let Some(word) = self.live.get(doc as usize / 64) {
            word.fetch_and(!(1 << (doc % 64)), Ordering::Relaxed);
        }
    }

    /// Returns the memory of the segment, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let paths: usize = self.docs.iter().map(|facts| facts.path.as_os_str().len()).sum();
        size_of_val(self.docs.as_slice()) + paths + self.text_bytes()
    }

    /// Returns the part of [`Segment::bytes`] that holds trigrams and their lists.
    pub(crate) fn text_bytes(&self) -> usize {
        size_of_val(self.grams.as_slice()) + size_of_val(self.ends.as_slice()) + self.lists.len()
    }

    /// Returns the live documents that a query with this need may match.
    pub(crate) fn candidates(&self, need: &Need, reach: SearchReach) -> Candidates {
        let Some(mut docs) = self.meeting(need) else {
            return Candidates::Every;
        };
        if reach.passes_nul {
            docs.unite(&self.with_nul);
        }
        if self.largest > reach.most_bytes {
            for (doc, facts) in (0..).zip(&self.docs) {
                if facts.size > reach.most_bytes {
                    docs.insert(doc);
                }
            }
        }
        docs.retain_bits(self.live.iter().map(|word| word.load(Ordering::Relaxed)));
        Candidates::Only(docs)
    }

    /// Returns those of some documents that a search must open: the candidates, and the dead.
    pub(crate) fn to_open(&self, candidates: &Candidates, among: &DocSet) -> DocSet {
        let mut docs = among.clone();
        if let Candidates::Only(candidates) = candidates {
            let dead = self.live.iter().map(|word| !word.load(Ordering::Relaxed));
            docs.retain_bits(candidates.bits().zip(dead).map(|(candidates, dead)| candidates | dead));
        }
        docs
    }

    /// Returns the documents that meet a need, and some that do not. `None` if more than half may meet it: then a
    /// look-up saves less than it costs.
    fn meeting(&self, need: &Need) -> Option<DocSet> {
        if self.bound(need) > u64::from(self.documents()) / 2 {
            return None;
        }
        match need {
            Need::Anything => None,
            Need::Any(parts) => {
                let mut docs = DocSet::new(self.documents());
                for part in parts {
                    docs.unite(&self.meeting(part)?);
                }
                Some(docs)
            }
            Need::All(grams, parts) => self.meeting_all(grams, parts),
        }
    }

    /// Intersects the lists of trigrams from the shortest on, then the parts, as long as that is worth its time.
    fn meeting_all(&self, grams: &[Trigram], parts: &[Need]) -> Option<DocSet> {
        let mut lists: Vec<PostingList<'_>> = grams.iter().map(|gram| self.list(*gram)).collect();
        lists.sort_unstable_by_key(PostingList::len);
        let mut docs: Option<DocSet> = None;
        // The numbers of candidates after each list.
        let mut left: Vec<usize> = Vec::new();
        for list in lists.iter().take(MOST_LISTS) {
            let docs = docs.get_or_insert_with(|| DocSet::new(self.documents()));
            if left.is_empty() {
                list.add_to(docs);
            } else {
                list.retain(docs);
            }
            let now = docs.len();
            if now <= FEW_CANDIDATES {
                break;
            }
            if let Some(before) = left.len().checked_sub(RECENT_LISTS).and_then(|at| left.get(at))
                && (before - now) * LEAST_PART < *before
            {
                break;
            }
            left.push(now);
        }
        let mut parts: Vec<(u64, &Need)> = parts.iter().map(|part| (self.bound(part), part)).collect();
        parts.sort_by_key(|(bound, _)| *bound);
        for (_, part) in parts {
            if docs.as_ref().is_some_and(|docs| docs.len() <= FEW_CANDIDATES) {
                break;
            }
            if let Some(meeting) = self.meeting(part) {
                match &mut docs {
                    Some(docs) => docs.intersect(&meeting),
                    None => docs = Some(meeting),
                }
            }
        }
        docs
    }

    /// Returns the maximum number of documents that meet a need, from the lengths of lists alone.
    fn bound(&self, need: &Need) -> u64 {
        match need {
            Need::Anything => u64::from(self.documents()),
            Need::All(grams, parts) => {
                let lists = grams.iter().map(|gram| u64::from(self.list(*gram).len()));
                lists
                    .chain(parts.iter().map(|part| self.bound(part)))
                    .min()
                    .unwrap_or_else(|| u64::from(self.documents()))
            }
            Need::Any(parts) => parts.iter().map(|part| self.bound(part)).sum(),
        }
    }

    /// Returns the list of a trigram, which is empty if no document has it.
    fn list(&self, gram: Trigram) -> PostingList<'_> {
        PostingList::new(self.grams.binary_search(&gram).map_or(&[][..], |at| self.list_bytes(at)))
    }

    /// Returns the encoded list of the trigram at a place of the dictionary.
    pub(super) fn list_bytes(&self, at: usize) -> &[u8] {
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.lists[from as usize..self.ends[at] as usize]
    }
}

/// Returns a number of documents. There are fewer than 2³²: each takes over 64 bytes of memory.
pub(super) fn count(documents: usize) -> u32 {
    u32::try_from(documents).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
