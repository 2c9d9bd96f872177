//! Posting lists: the documents that contain one trigram, as sorted numbers.
//!
//! Invariant: reading returns what was written, in ascending order. Reading a damaged list never panics; it may end
//! early or return documents that do not exist. Lists know no trigrams and no files.

/// A set of documents of one segment: a bitmap. 13,000 documents take 1.6 kB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DocSet {
    words: Vec<u64>,
}

impl DocSet {
    pub(crate) fn new(documents: u32) -> Self {
        Self { words: vec![0; (documents as usize).div_ceil(64)] }
    }

    /// Adds a document. One that is not in the segment is ignored.
    pub(crate) fn insert(&mut self, doc: u32) {
        if let Some(word) = self.words.get_mut(doc as usize / 64) {
            *word |= 1 << (doc % 64);
        }
    }

    pub(crate) fn contains(&self, doc: u32) -> bool {
        self.words.get(doc as usize / 64).is_some_and(|word| word >> (doc % 64) & 1 == 1)
    }

    /// Returns the documents, 64 in each number, the lowest bit first.
    pub(crate) fn bits(&self) -> impl Iterator<Item = u64> {
        self.words.iter().copied()
    }

    /// Returns the documents in ascending order.
    pub(crate) fn documents(&self) -> Vec<u32> {
        let mut documents = Vec::new();
        each_bit(self.bits(), |doc| documents.push(doc));
        documents
    }

    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn intersect(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    pub(crate) fn unite(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Keeps the documents whose bits are set in `words`, of which there is one for each 64 documents.
    pub(crate) fn retain_bits(&mut self, words: impl Iterator<Item = u64>) {
        for (word, other) in self.words.iter_mut().zip(words) {
            *word &= other;
        }
    }
}

/// Appends a list of ascending document numbers: its length and form, then the shorter of gaps and a bitmap.
pub(crate) fn encode(docs: &[u32], documents: u32, out: &mut Vec<u8>) {
    let bitmap_bytes = (documents as usize).div_ceil(8);
    let length = docs.len() as u64;
    let gaps = || {
        let before = std::iter::once(None).chain(docs.iter().map(|doc| Some(*doc)));
        docs.iter().zip(before).map(|(doc, before)| before.map_or(*doc, |before| doc - before - 1))
    };
    if gaps().map(varint_bytes).sum::<usize>() <= bitmap_bytes {
        write_varint(length << 1, out);
        for gap in gaps() {
            write_varint(u64::from(gap), out);
        }
    } else {
        write_varint(length << 1 | 1, out);
        let from = out.len();
        out.resize(from + bitmap_bytes, 0);
        for doc in docs {
            out[from + *doc as usize / 8] |= 1 << (doc % 8);
        }
    }
}

/// An encoded list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PostingList<'s> {
    /// The number of documents.
    len: u32,
    form: ListForm<'s>,
}

/// The two forms of a list.
#[derive(Clone, Copy, Debug)]
enum ListForm<'s> {
    /// LEB128 numbers: the first document, then for each further one the number of documents left out before it.
    Gaps(&'s [u8]),
    /// One bit for each document of the segment.
    Bits(&'s [u8]),
}

impl<'s> PostingList<'s> {
    pub(crate) fn new(bytes: &'s [u8]) -> Self {
        let mut rest = bytes;
        let header = read_varint(&mut rest).unwrap_or_default();
        Self {
            len: u32::try_from(header >> 1).unwrap_or(u32::MAX),
            form: if header & 1 == 1 { ListForm::Bits(rest) } else { ListForm::Gaps(rest) },
        }
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Calls `visit` with each document in ascending order.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(u32)) {
        match self.form {
            ListForm::Gaps(mut bytes) => {
                let mut next = 0_u32;
                while let Some(gap) = read_varint(&mut bytes) {
                    let Some(doc) = u32::try_from(gap).ok().and_then(|gap| next.checked_add(gap)) else {
                        return;
                    };
                    visit(doc);
                    next = doc.saturating_add(1);
                }
            }
            ListForm::Bits(bytes) => each_bit(words(bytes), visit),
        }
    }

    /// Removes from the candidates what is not in the list.
    pub(crate) fn retain(&self, candidates: &mut DocSet) {
        match self.form {
            ListForm::Bits(bytes) => candidates.retain_bits(words(bytes).chain(std::iter::repeat(0))),
            ListForm::Gaps(_) => {
                let (mut at, mut listed) = (0, 0_u64);
                self.for_each(|doc| {
                    let word = doc as usize / 64;
                    // Words up to the document's are complete. A list that leads out of the segment ends here.
                    while at < word.min(candidates.words.len()) {
                        candidates.words[at] &= std::mem::take(&mut listed);
                        at += 1;
                    }
                    listed |= 1 << (doc % 64);
                });
                for word in candidates.words.iter_mut().skip(at) {
                    *word &= std::mem::take(&mut listed);
                }
            }
        }
    }

    /// Adds the list to the candidates.
    pub(crate) fn add_to(&self, candidates: &mut DocSet) {
        match self.form {
            ListForm::Bits(bytes) => {
                for (word, listed) in candidates.words.iter_mut().zip(words(bytes)) {
                    *word |= listed;
                }
            }
            ListForm::Gaps(_) => self.for_each(|doc| candidates.insert(doc)),
        }
    }
}

/// Returns a bitmap in words of 64 documents; the last one is filled up with zeros.
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    })
}

/// Calls `visit` with the number of each bit that is set, the lowest bit of the first word being 0.
fn each_bit(words: impl Iterator<Item = u64>, mut visit: impl FnMut(u32)) {
    for (first, mut word) in (0_u32..).step_by(64).zip(words) {
        while word != 0 {
            visit(first + word.trailing_zeros());
            word &= word - 1;
        }
    }
}

fn varint_bytes(value: u32) -> usize {
    match value {
        0..=0x7F => 1,
        0x80..=0x3FFF => 2,
        0x4000..=0x001F_FFFF => 3,
        0x0020_0000..=0x0FFF_FFFF => 4,
        _ => 5,
    }
}

/// Appends a number in LEB128: seven bits a byte, the lowest first.
fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            out.push(low & 0x7F);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Reads a number; `None` at the end of the bytes, and for a number that is cut or has more than 63 bits.
fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let (mut value, mut shift) = (0_u64, 0);
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        shift += 7;
        if shift > 56 {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::{
        collection::{btree_set, vec},
        prelude::*,
        test_runner::{Config, RngSeed},
    };

    use super::{DocSet, PostingList, encode};

    /// The number of documents, and some of them: few, many, and all.
    fn lists() -> impl Strategy<Value = (u32, BTreeSet<u32>, BTreeSet<u32>)> {
        let documents = prop_oneof![1_u32..200, 200_u32..3_000, Just(70_000_u32)];
        documents.prop_flat_map(|documents| (Just(documents), docs_of(documents), docs_of(documents)))
    }

    fn docs_of(documents: u32) -> impl Strategy<Value = BTreeSet<u32>> {
        prop_oneof![
            4 => btree_set(0..documents, 0..=(documents as usize).min(40)),
            2 => btree_set(0..documents, 0..=(documents as usize).min(900)),
            1 => (0..documents).prop_map(move |from| (from..documents.min(from + 5_000)).collect()),
        ]
    }

    fn set(docs: &BTreeSet<u32>, documents: u32) -> DocSet {
        let mut set = DocSet::new(documents);
        for doc in docs {
            set.insert(*doc);
        }
        set
    }

    proptest! {
        #![proptest_config(Config { failure_persistence: None, rng_seed: RngSeed::Fixed(22), ..Config::default() })]

        #[test]
        fn lists_are_read_as_written((documents, docs, others) in lists()) {
            let sorted: Vec<u32> = docs.iter().copied().collect();
            let mut bytes = Vec::new();
            encode(&sorted, documents, &mut bytes);
            prop_assert!(bytes.len() <= (documents as usize).div_ceil(8) + 4);
            let list = PostingList::new(&bytes);
            prop_assert_eq!(list.len() as usize, docs.len());
            let mut read = Vec::new();
            list.for_each(|doc| read.push(doc));
            prop_assert_eq!(read, sorted);
            let mut both = set(&others, documents);
            list.retain(&mut both);
            prop_assert_eq!(&both, &set(&docs.intersection(&others).copied().collect(), documents));
            prop_assert_eq!(both.len(), docs.intersection(&others).count());
            let mut either = set(&others, documents);
            list.add_to(&mut either);
            prop_assert_eq!(&either, &set(&docs.union(&others).copied().collect(), documents));
            for doc in 0..documents + 70 {
                prop_assert_eq!(either.contains(doc), docs.contains(&doc) || others.contains(&doc));
            }
        }

        #[test]
        fn damaged_lists_do_not_panic(bytes in vec(any::<u8>(), 0..40), documents in 1_u32..300) {
            let list = PostingList::new(&bytes);
            let mut all = DocSet::new(documents);
            for doc in 0..documents {
                all.insert(doc);
            }
            list.retain(&mut all);
            list.add_to(&mut all);
            prop_assert!(all.words.len() == (documents as usize).div_ceil(64));
        }
    }

    #[test]
    fn dense_lists_are_bitmaps() {
        let documents = 12_000;
        for (step, most) in [(1, 1_503), (7, 1_502), (9, 1_336), (1_000, 24)] {
            let docs: Vec<u32> = (0..documents).step_by(step).collect();
            let mut bytes = Vec::new();
            encode(&docs, documents, &mut bytes);
            assert!(bytes.len() <= most, "every {step}th: {} bytes", bytes.len());
        }
    }
}
