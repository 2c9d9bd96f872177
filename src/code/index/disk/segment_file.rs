//! A segment as bytes: its documents, its trigrams, the ends of their lists, and the lists. Numbers are little-endian; each
//! part but the last is preceded by its length.

use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use super::super::{
    segment::{DocFacts, Segment},
    trigrams::Trigram,
};
use crate::languages::{by_name, detect::FileLanguage};

/// The bytes of a number.
const NUMBER: usize = size_of::<u32>();

/// The facts about a document.
#[derive(Serialize, Deserialize)]
struct StoredDoc {
    path: PathBytes,
    size: u64,
    inode: u64,
    has_nul: bool,
    language: StoredLanguage,
}

/// The bytes of a path, which need not be UTF-8.
#[derive(Serialize, Deserialize)]
struct PathBytes(Vec<u8>);

#[derive(Serialize, Deserialize)]
enum StoredLanguage {
    Known(String),
    Unclear,
    None,
}

impl PathBytes {
    fn new(path: &Path) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(OsStr::from_bytes(&self.0))
    }
}

/// Returns the bytes of a segment.
pub(super) fn encode(segment: &Segment) -> postcard::Result<Vec<u8>> {
    let docs: Vec<StoredDoc> = segment.docs.iter().map(stored).collect();
    let docs = postcard::to_stdvec(&docs)?;
    let (grams, ends) = (&segment.grams, &segment.ends);
    let mut bytes = Vec::with_capacity(docs.len() + 2 * NUMBER * (grams.len() + 1) + segment.lists.len());
    write_length(docs.len(), &mut bytes);
    bytes.extend_from_slice(&docs);
    write_length(grams.len(), &mut bytes);
    for number in grams.iter().map(|gram| gram.number()).chain(ends.iter().copied()) {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&segment.lists);
    Ok(bytes)
}

/// Decodes the bytes of a segment. `None` if they are not those of a segment.
pub(super) fn decode(mut bytes: &[u8]) -> Option<Segment> {
    let docs = read_length(&mut bytes)?;
    let docs: Vec<StoredDoc> = postcard::from_bytes(bytes.split_off(..docs)?).ok()?;
    let docs: Option<Vec<DocFacts>> = docs.into_iter().map(facts).collect();
    let grams = read_length(&mut bytes)?;
    let mut numbers = || {
        let numbers = bytes.split_off(..grams.checked_mul(NUMBER)?)?;
        let (numbers, _) = numbers.as_chunks::<NUMBER>();
        Some(numbers.iter().map(|number| u32::from_le_bytes(*number)))
    };
    let grams = numbers()?.map(|number| {
        let [_, first, second, third] = number.to_be_bytes();
        Trigram::new(first, second, third)
    });
    let ends = numbers()?.collect();
    Some(Segment::new(docs?, grams.collect(), ends, bytes.to_vec()))
}

fn stored(facts: &DocFacts) -> StoredDoc {
    StoredDoc {
        path: PathBytes::new(&facts.path),
        size: facts.size,
        inode: facts.inode,
        has_nul: facts.has_nul,
        language: match facts.language {
            FileLanguage::Known(language) => StoredLanguage::Known(language.name.to_owned()),
            FileLanguage::Unclear => StoredLanguage::Unclear,
            FileLanguage::None => StoredLanguage::None,
        },
    }
}

fn facts(stored: StoredDoc) -> Option<DocFacts> {
    Some(DocFacts {
        path: Arc::from(stored.path.path()),
        size: stored.size,
        inode: stored.inode,
        has_nul: stored.has_nul,
        language: match stored.language {
            StoredLanguage::Known(name) => FileLanguage::Known(by_name(&name).ok()?),
            StoredLanguage::Unclear => FileLanguage::Unclear,
            StoredLanguage::None => FileLanguage::None,
        },
    })
}

fn write_length(length: usize, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(length as u64).to_le_bytes());
}

fn read_length(bytes: &mut &[u8]) -> Option<usize> {
    let (length, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    usize::try_from(u64::from_le_bytes(*length)).ok()
}
