//! The answers of parser processes, kept by the texts that they are about.
//!
//! Invariant: an answer depends on nothing but the job and the text, so a kept one is what a parser would answer now, and
//! no change of a file makes it stale. Errors are not kept: a limit that was reached may depend on the machine.

use std::{
    io::{Read as _, Write as _},
    path::Path,
    sync::Arc,
};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use moka::sync::Cache;
use sha2::{Digest as _, Sha256};

use crate::{
    answers_file::AnswersFile,
    parser_job::ParserAnswer,
    parser_process::{decode, encode},
};

/// The maximum memory of the kept answers, in bytes: the elements of some 200 MB of source text.
const MOST_BYTES: u64 = 32 << 20;

/// The maximum size of one answer, in bytes: that of a file of some 400,000 lines.
const MOST_ANSWER_BYTES: usize = 4 << 20;

/// The memory of an answer besides its bytes, in bytes: its key, and what the cache knows of it.
const ENTRY_BYTES: usize = 200;

/// Identifies a job about a text.
pub(crate) type AnswerKey = [u8; 32];

/// The kept answers. A clone shares them.
#[derive(Clone, Debug)]
pub(crate) struct ParserAnswers {
    /// Compressed: that makes them four times smaller, and takes a hundredth of the time of a parse. Those that were used
    /// least recently are dropped.
    kept: Cache<AnswerKey, Arc<[u8]>>,
    /// The elements of texts, in the same form; `None` if these are in memory too.
    file: Option<Arc<AnswersFile>>,
}

impl ParserAnswers {
    /// Keeps answers in memory, and the elements of texts in a folder, if there is one.
    pub(crate) fn new(folder: Option<&Path>) -> Self {
        let weight = |_: &AnswerKey, bytes: &Arc<[u8]>| u32::try_from(bytes.len() + ENTRY_BYTES).unwrap_or(u32::MAX);
        Self {
            kept: Cache::builder().max_capacity(MOST_BYTES).weigher(weight).build(),
            file: folder.and_then(AnswersFile::open).map(Arc::new),
        }
    }

    /// Returns the key of an encoded job about a text.
    pub(crate) fn key(job: &[u8], text: &str) -> AnswerKey {
        let mut hasher = Sha256::new();
        // The length keeps job and text apart.
        hasher.update(job.len().to_le_bytes());
        hasher.update(job);
        hasher.update(text);
        hasher.finalize().into()
    }

    pub(crate) fn get(&self, key: &AnswerKey) -> Option<ParserAnswer> {
        let from_file = || self.file.as_ref()?.get(key);
        let packed = self.kept.get(key).map_or_else(from_file, |packed| Some(packed.to_vec()))?;
        let mut bytes = Vec::new();
        DeflateDecoder::new(packed.as_slice()).read_to_end(&mut bytes).ok()?;
        decode(&bytes).ok()
    }

    pub(crate) fn has(&self, key: &AnswerKey) -> bool {
        self.kept.contains_key(key) || self.file.as_ref().is_some_and(|file| file.has(key))
    }

    /// True if there is room for elements that no call has asked for. Only the file keeps these; memory is reserved for the
    /// answers to calls.
    pub(crate) fn has_room_ahead(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.has_room())
    }

    /// Keeps an answer, unless it is too large.
    pub(crate) fn keep(&self, key: AnswerKey, answer: &ParserAnswer) {
        let Some(packed) = packed(answer).filter(|packed| packed.len() <= MOST_ANSWER_BYTES) else { return };
        let file = self.file.as_ref().filter(|_| matches!(answer, ParserAnswer::Outline { .. }));
        if !file.is_some_and(|file| file.add(key, &packed)) {
            self.kept.insert(key, packed.into());
        }
    }
}

fn packed(answer: &ParserAnswer) -> Option<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&encode(answer).ok()?).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::ParserAnswers;
    use crate::parser_job::ParserAnswer;

    fn prepared(literal: &str) -> ParserAnswer {
        ParserAnswer::Prepared { literal: Some(literal.to_owned()) }
    }

    #[test]
    fn answers_belong_to_their_job_and_text() {
        let answers = ParserAnswers::new(None);
        answers.keep(ParserAnswers::key(b"job", "text"), &prepared("kept"));
        let kept = answers.get(&ParserAnswers::key(b"job", "text"));
        assert!(matches!(kept, Some(ParserAnswer::Prepared { literal: Some(literal) }) if literal == "kept"));
        for (job, text) in [(&b"job"[..], "text "), (b"jobt", "ext"), (b"", "jobtext"), (b"text", "job")] {
            assert!(answers.get(&ParserAnswers::key(job, text)).is_none(), "{text}");
        }
    }

    #[test]
    fn kept_answers_take_bounded_memory() {
        let answers = ParserAnswers::new(None);
        // Bytes that cannot be compressed.
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'!' + u8::try_from((state >> 33) % 90).expect("small"))
        };
        for n in 0..40_u32 {
            let literal: String = (0..2_000_000).map(|_| random()).collect();
            answers.keep(ParserAnswers::key(&n.to_le_bytes(), ""), &prepared(&literal));
        }
        answers.kept.run_pending_tasks();
        let bytes = answers.kept.weighted_size();
        assert!((1 << 20..=super::MOST_BYTES).contains(&bytes), "{bytes}");
        let large: String = (0..6_000_000).map(|_| random()).collect();
        let key = ParserAnswers::key(b"large", "");
        answers.keep(key, &prepared(&large));
        assert!(answers.get(&key).is_none());
    }
}
