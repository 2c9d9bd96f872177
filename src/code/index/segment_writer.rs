//! Making segments: of documents that were just read, or of older segments.
//!
//! Invariant: documents are numbered in the order of their paths, and of several with one path the last one stays. The
//! lists of a segment are as if all its documents had been added at once. Nothing is read from files here.

use std::{collections::BTreeMap, mem, path::Path, sync::Arc};

use super::{
    postings::{self, PostingList},
    segment::{DocFacts, DocId, Segment, count},
    trigrams::Trigram,
};

/// The number of postings at which a segment is full. They take 16 MB until they are encoded.
const MOST_POSTINGS: usize = 2_000_000;

/// Collects documents for one segment.
#[derive(Debug, Default)]
pub(crate) struct SegmentWriter {
    docs: Vec<DocFacts>,
    postings: Vec<Posting>,
}

/// A trigram in the upper half, and in the lower half the number of a document in which it is. Sorted by both: pairs
/// would take twice the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Posting(u64);

impl Posting {
    fn new(gram: Trigram, doc: DocId) -> Self {
        Self(u64::from(gram.number()) << 32 | u64::from(doc))
    }

    fn gram(self) -> Trigram {
        let [_, a, b, c, ..] = self.0.to_be_bytes();
        Trigram::new(a, b, c)
    }

    fn doc(self) -> DocId {
        let [.., a, b, c, d] = self.0.to_be_bytes();
        DocId::from_be_bytes([a, b, c, d])
    }
}

impl SegmentWriter {
    /// Adds a document with its distinct trigrams.
    pub(crate) fn add(&mut self, facts: DocFacts, grams: &[Trigram]) {
        let doc = count(self.docs.len());
        self.docs.push(facts);
        self.postings.extend(grams.iter().map(|gram| Posting::new(*gram, doc)));
    }

    /// True if the segment should be finished before further documents are added.
    pub(crate) fn is_full(&self) -> bool {
        self.postings.len() >= MOST_POSTINGS
    }

    /// Makes the segment.
    pub(crate) fn finish(self) -> Segment {
        let Self { docs, mut postings } = self;
        let (docs, numbers) = in_path_order(docs);
        if !numbers.iter().copied().eq((0..count(docs.len())).map(Some)) {
            postings.retain_mut(|posting| match numbers[posting.doc() as usize] {
                Some(number) => {
                    *posting = Posting::new(posting.gram(), number);
                    true
                }
                None => false,
            });
        }
        postings.sort_unstable();
        let mut lists = ListWriter::new(docs.len());
        let mut numbers = Vec::new();
        for list in postings.chunk_by(|posting, next| posting.gram() == next.gram()) {
            numbers.clear();
            numbers.extend(list.iter().map(|posting| posting.doc()));
            lists.write(list[0].gram(), &numbers);
        }
        lists.finish(docs)
    }
}

/// Sorts documents by path. Returns for each document of the input its number, or `None` if a later one has its path.
fn in_path_order(docs: Vec<DocFacts>) -> (Vec<DocFacts>, Vec<Option<DocId>>) {
    let mut numbers = vec![None; docs.len()];
    let mut places: BTreeMap<Arc<Path>, usize> = BTreeMap::new();
    for (at, facts) in docs.iter().enumerate() {
        places.insert(Arc::clone(&facts.path), at);
    }
    for (number, at) in (0..).zip(places.into_values()) {
        numbers[at] = Some(number);
    }
    let mut kept: Vec<(DocId, DocFacts)> =
        numbers.iter().zip(docs).filter_map(|(number, facts)| number.map(|number| (number, facts))).collect();
    kept.sort_unstable_by_key(|(number, _)| *number);
    (kept.into_iter().map(|(_, facts)| facts).collect(), numbers)
}

/// Writes the lists of a segment, in the order of trigrams.
struct ListWriter {
    documents: u32,
    grams: Vec<Trigram>,
    ends: Vec<u32>,
    lists: Vec<u8>,
}

impl ListWriter {
    fn new(documents: usize) -> Self {
        Self { documents: count(documents), grams: Vec::new(), ends: Vec::new(), lists: Vec::new() }
    }

    fn write(&mut self, gram: Trigram, docs: &[DocId]) {
        postings::encode(docs, self.documents, &mut self.lists);
        self.grams.push(gram);
        self.ends.push(count(self.lists.len()));
    }

    fn finish(mut self, docs: Vec<DocFacts>) -> Segment {
        self.grams.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.lists.shrink_to_fit();
        Segment::new(docs, self.grams, self.ends, self.lists)
    }
}

/// Makes one segment of several, the oldest first: of their live documents, and of those with one path the newest.
///
/// A document that dies during the work stays alive in the result; the caller that replaces the parts must kill it there
/// too.
pub(crate) fn merge(parts: &[Arc<Segment>]) -> Segment {
    let mut docs = Vec::new();
    // For each part the numbers of its documents among `docs`.
    let mut origins: Vec<Vec<Option<usize>>> = Vec::new();
    for part in parts {
        let mut origin = vec![None; part.docs.len()];
        for (doc, facts) in part.live_documents() {
            origin[doc as usize] = Some(docs.len());
            docs.push(facts.clone());
        }
        origins.push(origin);
    }
    let (docs, numbers) = in_path_order(docs);
    let origins: Vec<Vec<Option<DocId>>> = origins
        .into_iter()
        .map(|origin| origin.into_iter().map(|at| at.and_then(|at| numbers[at])).collect())
        .collect();
    let mut lists = ListWriter::new(docs.len());
    let mut next = vec![0_usize; parts.len()];
    let mut list = Vec::new();
    while let Some(gram) = parts.iter().zip(&next).filter_map(|(part, at)| part.grams.get(*at)).min().copied() {
        list.clear();
        for ((part, at), origin) in parts.iter().zip(&mut next).zip(&origins) {
            if part.grams.get(*at) == Some(&gram) {
                let place = mem::replace(at, *at + 1);
                PostingList::new(part.list_bytes(place)).for_each(|doc| {
                    list.extend(origin.get(doc as usize).copied().flatten());
                });
            }
        }
        if !list.is_empty() {
            list.sort_unstable();
            lists.write(gram, &list);
        }
    }
    lists.finish(docs)
}
