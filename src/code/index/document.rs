//! Reading one file for the index.
//!
//! Invariant: the trigrams are those of the text that a search would see. A file that cannot be read whole does not
//! become a document: searches open it, and report what is wrong with it.

use std::{fs::File, io::Read, os::unix::fs::MetadataExt as _, sync::Arc};

use fumi_base::project::ProjectPath;

use super::{
    segment::DocFacts,
    trigrams::{Trigram, TrigramCounter},
};
use crate::{
    byte_form::searched_text,
    languages::detect::{FileLanguage, by_file_name, guess_of_bytes, language_of_name},
};

/// The size of the largest file in the index, in bytes. Decoded, it stays below the memory that a search may use for
/// one line, whose error a search would report; reading it takes at most ten times as much memory.
const INDEXED_BYTES: u64 = 32 << 20;

/// The maximum number of distinct trigrams of a file. Sources have under 50,000; random bytes would fill the index.
const MOST_TRIGRAMS: usize = 500_000;

/// The size of the buffer that a thread keeps between files, in bytes.
const KEPT_BYTES: usize = 1 << 20;

/// A reader of files for the index. Takes 2 MiB and a buffer, so each thread has one for all its files.
#[derive(Debug, Default)]
pub(crate) struct DocumentReader {
    counter: TrigramCounter,
    bytes: Vec<u8>,
}

/// A file as the index sees it.
#[derive(Debug)]
pub(crate) struct Document<'r> {
    pub(crate) facts: DocFacts,
    /// The distinct trigrams of its text, sorted.
    pub(crate) grams: &'r [Trigram],
}

impl DocumentReader {
    /// Reads a file of at most `most_bytes` bytes. Returns `None` if the file is too large, has too many trigrams or several
    /// names, or cannot be opened or read.
    pub(crate) fn read(&mut self, path: &ProjectPath, most_bytes: u64) -> Option<Document<'_>> {
        let file = path.open().ok()?.into_std();
        let metadata = file.metadata().ok()?;
        // A write under another name of the file causes no event for this name.
        if metadata.nlink() > 1 {
            return None;
        }
        let size = metadata.len();
        self.bytes.clear();
        self.bytes.shrink_to(KEPT_BYTES);
        if !read_whole(file, &mut self.bytes, size, most_bytes.min(INDEXED_BYTES)) {
            return None;
        }
        let searched = searched_text(&self.bytes);
        let grams = self.counter.distinct(&searched.text);
        (grams.len() <= MOST_TRIGRAMS).then(|| Document {
            facts: DocFacts {
                path: Arc::from(path.relative()),
                size,
                inode: metadata.ino(),
                has_nul: searched.has_nul,
                language: language(&path.shown(), &self.bytes),
            },
            grams,
        })
    }
}

/// Returns the language of a file, or [`FileLanguage::Unclear`] if a query could take the file for another language, depending
/// on the language that its caller asks for.
fn language(path: &str, bytes: &[u8]) -> FileLanguage {
    let by_name = language_of_name(path);
    if by_name != FileLanguage::Unclear {
        return by_name;
    }
    let guessed = guess_of_bytes(path, bytes).map(|(_, language)| language);
    match by_file_name(path) {
        // The content suggests another language than the one that owns the extension: the caller's choice decides.
        Some(owner) if guessed != Some(owner) => FileLanguage::Unclear,
        _ => guessed.map_or(FileLanguage::None, FileLanguage::Known),
    }
}

/// Reads a file to its end. Returns false if it has more than `most` bytes now, whatever its size was, or an error.
fn read_whole(file: File, bytes: &mut Vec<u8>, size: u64, most: u64) -> bool {
    if size > most {
        return false;
    }
    bytes.reserve(usize::try_from(size).unwrap_or_default() + 1);
    file.take(most + 1).read_to_end(bytes).is_ok() && bytes.len() as u64 <= most
}

#[cfg(test)]
mod tests {
    use std::fs;

    use fumi_base::project::Project;

    use super::DocumentReader;

    #[test]
    fn document_has_the_text_of_a_search() {
        let root = tempfile::tempdir().expect("a folder");
        let (sjis, _, _) = encoding_rs::SHIFT_JIS.encode("文字コードを調べます。Needle");
        for (name, content) in [
            ("plain.txt", &b"Needle"[..]),
            ("sjis.txt", &sjis),
            ("tail.bin", b"needle\0hidden text"),
            ("large.txt", &[b'a'; 2_000]),
            ("empty", b""),
        ] {
            fs::write(root.path().join(name), content).expect("a file");
        }
        let project = Project::open(root.path()).expect("a project");
        let mut reader = DocumentReader::default();
        for (name, expected) in [
            ("plain.txt", Some((6, false, 4))),
            ("sjis.txt", Some((28, false, 37))),
            ("tail.bin", Some((18, true, 4))),
            ("empty", Some((0, false, 0))),
            ("large.txt", None),
            ("absent", None),
        ] {
            let path = project.walked_path(&project.root().join(name)).expect("inside");
            let document = reader.read(&path, 1_000);
            let seen = document.map(|read| (read.facts.size, read.facts.has_nul, read.grams.len()));
            assert_eq!(seen, expected, "{name}");
        }
    }
}
