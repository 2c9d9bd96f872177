//! Answers of parsers in a file that grows, for this process and the next one.
//!
//! Each answer is preceded by its key, its length, and a checksum of key, length and answer. The lengths are read once, when
//! the file is opened: an answer that would end past the end of the file was cut by a crash, and is removed. The checksum
//! is verified when an answer is read, so that a damaged answer counts as missing.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufReader, Read as _, Write as _},
    os::unix::fs::FileExt as _,
    path::Path,
};

use fumi_base::private_folder::PrivateFolder;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

use crate::{parser_answers::AnswerKey, program_stamp::program_stamp};

/// The maximum size of the file, in bytes: the elements of some 1.5 GB of source text.
const MOST_BYTES: u64 = 256 << 20;

/// The size above which a new process begins with an empty file, in bytes: answers are never removed from the file, and many
/// are about texts that exist no longer.
const BEGUN_ANEW: u64 = MOST_BYTES / 4 * 3;

/// The bytes of a sum.
const SUM: usize = 8;

/// The bytes of a key, a length and a sum.
const HEADER: usize = size_of::<AnswerKey>() + size_of::<u32>() + SUM;

#[derive(Debug)]
pub(crate) struct AnswersFile {
    /// Open for appending, and locked: no other process changes it.
    file: File,
    known: Mutex<KnownAnswers>,
}

#[derive(Debug, Default)]
struct KnownAnswers {
    /// The first byte of an answer's header, and the length of the answer.
    places: HashMap<AnswerKey, (u64, u32)>,
    /// The size of the file, in bytes.
    end: u64,
    /// True if an answer could not be written: the disk may be full.
    has_failed: bool,
}

impl AnswersFile {
    /// Opens the file in a folder, which is created if it is missing. Files of other builds of fumi are removed, because their
    /// parsers may give other answers. `None` if another process has locked the file, or the system fails.
    pub(crate) fn open(folder: &Path) -> Option<Self> {
        let name = format!("answers-{:016x}", program_stamp()?);
        let folder = PrivateFolder::create(folder).ok()?;
        let file = folder.lock(&name).ok()??;
        folder.keep_only(|other| other == name).ok()?;
        let size = file.metadata().ok()?.len();
        let known = if size > BEGUN_ANEW { KnownAnswers::default() } else { read_places(&file, size).ok()? };
        file.set_len(known.end).ok()?;
        Some(Self { file, known: Mutex::new(known) })
    }

    pub(crate) fn has(&self, key: &AnswerKey) -> bool {
        self.known.lock().places.contains_key(key)
    }

    /// True if answers may be added.
    pub(crate) fn has_room(&self) -> bool {
        let known = self.known.lock();
        !known.has_failed && known.end < MOST_BYTES
    }

    /// Returns an answer. `None` if there is none, or it is damaged.
    pub(crate) fn get(&self, key: &AnswerKey) -> Option<Vec<u8>> {
        let (start, length) = *self.known.lock().places.get(key)?;
        let mut bytes = vec![0; HEADER + length as usize];
        let is_read = self.file.read_exact_at(&mut bytes, start).is_ok();
        let answer = bytes.split_off(HEADER);
        if is_read && bytes == header(key, &answer) {
            return Some(answer);
        }
        self.known.lock().places.remove(key);
        None
    }

    /// Adds an answer. Returns false if there is no room for it.
    pub(crate) fn add(&self, key: AnswerKey, answer: &[u8]) -> bool {
        let Ok(length) = u32::try_from(answer.len()) else { return false };
        let bytes = [&header(&key, answer), answer].concat();
        let mut known = self.known.lock();
        if known.places.contains_key(&key) {
            return true;
        }
        let end = known.end + bytes.len() as u64;
        if known.has_failed || end > MOST_BYTES {
            return false;
        }
        if (&self.file).write_all(&bytes).is_err() {
            known.has_failed = true;
            // If this fails too, the next process finds an answer whose sum is wrong.
            let _ = self.file.set_len(known.end);
            return false;
        }
        let start = std::mem::replace(&mut known.end, end);
        known.places.insert(key, (start, length));
        true
    }
}

/// Reads which answers a file of this size has.
fn read_places(file: &File, size: u64) -> io::Result<KnownAnswers> {
    let mut known = KnownAnswers::default();
    let mut reader = BufReader::new(file);
    let mut header = [0; HEADER];
    while known.end + HEADER as u64 <= size {
        reader.read_exact(&mut header)?;
        let (key, rest) = header.split_first_chunk().expect("a header begins with a key");
        let (length, _) = rest.split_first_chunk().expect("a key is followed by a length");
        let length = u32::from_le_bytes(*length);
        let end = known.end + HEADER as u64 + u64::from(length);
        if end > size {
            break;
        }
        reader.seek_relative(i64::from(length))?;
        known.places.insert(*key, (known.end, length));
        known.end = end;
    }
    Ok(known)
}

/// Returns the header of an answer.
fn header(key: &AnswerKey, answer: &[u8]) -> Vec<u8> {
    let length = u32::try_from(answer.len()).unwrap_or(u32::MAX).to_le_bytes();
    let sum = Sha256::new().chain_update(key).chain_update(length).chain_update(answer).finalize();
    [key.as_slice(), &length, &sum[..SUM]].concat()
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use super::AnswersFile;
    use crate::parser_answers::AnswerKey;

    fn key(number: u8) -> AnswerKey {
        [number; size_of::<AnswerKey>()]
    }

    /// Returns an answer that no other number has.
    fn answer(number: u8) -> Vec<u8> {
        vec![number; usize::from(number) * 3]
    }

    /// Returns the folder of a file with the answers 1 to 5, and the file's path.
    fn written() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = AnswersFile::open(folder.path()).expect("opened");
        for number in 1..=5 {
            assert!(file.add(key(number), &answer(number)));
        }
        let path = fs::read_dir(folder.path()).expect("a folder").next().expect("a file").expect("an entry").path();
        (folder, path)
    }

    #[test]
    fn answers_are_those_of_their_keys_also_for_the_next_process() {
        let (folder, _) = written();
        let file = AnswersFile::open(folder.path()).expect("opened");
        assert!(AnswersFile::open(folder.path()).is_none(), "it is locked");
        assert!(file.add(key(6), &answer(6)) && file.add(key(6), b"another answer is not added"));
        for number in 1..=6 {
            assert_eq!(file.get(&key(number)), Some(answer(number)));
        }
        assert_eq!((file.get(&key(7)), file.has(&key(7)), file.has(&key(6))), (None, false, true));
    }

    #[test]
    fn cut_file_keeps_the_answers_before_the_cut_and_takes_new_ones() {
        let (folder, path) = written();
        let whole = fs::read(&path).expect("read");
        for size in 0..whole.len() {
            fs::write(&path, &whole[..size]).expect("written");
            let file = AnswersFile::open(folder.path()).expect("opened");
            let ends = (1..=5).scan(0, |end, number| {
                *end += super::HEADER + answer(number).len();
                Some((number, *end))
            });
            for (number, end) in ends {
                assert_eq!(file.get(&key(number)), (end <= size).then(|| answer(number)), "{number} of {size} bytes");
            }
            assert!(file.add(key(9), &answer(9)));
            drop(file);
            assert_eq!(AnswersFile::open(folder.path()).expect("opened").get(&key(9)), Some(answer(9)), "{size}");
        }
    }

    #[test]
    fn damaged_byte_costs_answers_and_makes_none_wrong() {
        let (folder, path) = written();
        let whole = fs::read(&path).expect("read");
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            fs::write(&path, &damaged).expect("written");
            let file = AnswersFile::open(folder.path()).expect("opened");
            let right = |number: &u8| file.get(&key(*number)) == Some(answer(*number));
            let wrong = |number: &u8| file.get(&key(*number)).is_some_and(|found| found != answer(*number));
            assert!((1..=5).filter(right).count() < 5 && !(1..=5).any(|number| wrong(&number)), "{at}");
        }
    }
}
