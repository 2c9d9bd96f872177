//! Bytes of a pipe, cut into frames: JSON objects, each ended by a NUL byte, and mended so that they can be read.
//!
//! A page decides how long a frame is (`console.log('x'.repeat(3e8))`): one that is too long is passed over, not kept.

use super::mend::mend;

/// How much is read at once; screenshots are a few hundred kilobytes.
const CHUNK: usize = 64 << 10;

/// Longest frame that is kept; the picture of a long page has a few megabytes.
const LARGEST: usize = 64 << 20;

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// A frame.
    Whole(&'a [u8]),
    /// The beginning of one that is passed over: the number of the question that it answers, if it is an answer.
    TooLong(Option<u64>),
}

/// What was read and is no whole frame yet.
#[derive(Debug)]
pub(super) struct Frames {
    buffer: Vec<u8>,
    /// So many bytes of it have no NUL.
    searched: usize,
    /// The rest of a frame that is too long is thrown away as it comes.
    is_skipping: bool,
    largest: usize,
}

impl Default for Frames {
    fn default() -> Self {
        Self::with(LARGEST)
    }
}

impl Frames {
    fn with(largest: usize) -> Self {
        Self {
            buffer: Vec::new(),
            searched: 0,
            is_skipping: false,
            largest,
        }
    }

    /// Where the next bytes go.
    pub(super) fn room(&mut self) -> &mut Vec<u8> {
        self.buffer.reserve(CHUNK);
        &mut self.buffer
    }

    /// Takes what has come since the last time.
    pub(super) fn each(&mut self, mut take: impl FnMut(Piece<'_>)) {
        let mut begin = 0;
        while let Some(end) = memchr::memchr(0, &self.buffer[self.searched..]).map(|at| self.searched + at) {
            let frame = &mut self.buffer[begin..end];
            if std::mem::take(&mut self.is_skipping) {
                // Its beginning was told.
            } else if frame.len() > self.largest {
                take(Piece::TooLong(answered(frame)));
            } else {
                mend(frame);
                take(Piece::Whole(frame));
            }
            begin = end + 1;
            self.searched = begin;
        }
        self.buffer.drain(..begin);
        if !self.is_skipping && self.buffer.len() > self.largest {
            self.is_skipping = true;
            take(Piece::TooLong(answered(&self.buffer)));
        }
        if self.is_skipping {
            self.buffer.clear();
        }
        self.searched = self.buffer.len();
        if self.buffer.is_empty() && self.buffer.capacity() > 4 * CHUNK {
            self.buffer = Vec::with_capacity(CHUNK);
        }
    }
}

/// The number of the question: Chromium writes it first.
fn answered(frame: &[u8]) -> Option<u64> {
    let digits = frame.strip_prefix(br#"{"id":"#)?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What comes of bytes that are read in pieces of such lengths: frames as text, and numbers of those that are too long.
    fn cut(frames: &mut Frames, bytes: &[u8], step: usize) -> Vec<Result<String, Option<u64>>> {
        let mut found = Vec::new();
        for bytes in bytes.chunks(step) {
            frames.room().extend_from_slice(bytes);
            frames.each(|piece| {
                found.push(match piece {
                    Piece::Whole(frame) => Ok(String::from_utf8_lossy(frame).into_owned()),
                    Piece::TooLong(id) => Err(id),
                });
            });
        }
        found
    }

    #[test]
    fn what_is_too_long_is_told_once_and_the_next_frame_is_whole() {
        let long = format!("{{\"id\":17,\"result\":\"{}\"}}", "x".repeat(100));
        let event = format!("{{\"method\":\"{}\"}}", "x".repeat(100));
        let bytes = format!("{{}}\0{long}\0{{\"id\":18}}\0{event}\0[1]\0");
        for step in [1, 7, 50, 1_000] {
            assert_eq!(
                cut(&mut Frames::with(40), bytes.as_bytes(), step),
                [
                    Ok("{}".to_owned()),
                    Err(Some(17)),
                    Ok("{\"id\":18}".to_owned()),
                    Err(None),
                    Ok("[1]".to_owned())
                ],
                "{step}"
            );
        }
    }

    #[test]
    fn what_is_thrown_away_is_not_held() {
        let mut frames = Frames::with(1_000);
        for _ in 0..100 {
            frames.room().extend_from_slice(&vec![b'x'; CHUNK]);
            frames.each(|_| {});
            assert!(frames.buffer.capacity() <= 4 * CHUNK);
        }
    }

    proptest! {
        #[test]
        fn however_they_are_read(frames in prop::collection::vec("[a-z]{0,60}", 0..20), step in 1_usize..200) {
            let bytes: String = frames.iter().flat_map(|frame| [frame.as_str(), "\0"]).collect();
            let expected: Vec<_> = frames
                .into_iter()
                .map(|frame| if frame.len() > 40 { Err(None) } else { Ok(frame) })
                .collect();
            prop_assert_eq!(cut(&mut Frames::with(40), bytes.as_bytes(), step), expected);
        }
    }
}
