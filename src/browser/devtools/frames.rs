//! Splits the bytes of a pipe into frames: JSON objects, each terminated by a NUL byte. Lone surrogates are replaced,
//! so that every frame can be parsed.
//!
//! Pages control the length of frames (`console.log('x'.repeat(3e8))`), so a frame that is too long is skipped, not
//! buffered.

use super::surrogates::replace_lone_surrogates;

/// Bytes reserved for one read; screenshots have a few hundred kilobytes.
const CHUNK: usize = 64 << 10;

/// Bytes of the longest frame that is kept; the screenshot of a long page has a few megabytes.
const LARGEST: usize = 64 << 20;

/// A frame, or the notice that one was skipped.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SplitFrame<'a> {
    /// A complete frame without its NUL byte.
    Whole(&'a [u8]),
    /// A frame that is too long, with the id of the command that it answers if it is a reply. Reported once, at its
    /// beginning.
    TooLong(Option<u64>),
}

/// Reads frames; buffers the bytes that do not form a complete frame yet.
#[derive(Debug)]
pub(super) struct FrameSplitter {
    buffer: Vec<u8>,
    /// Bytes at the start of `buffer` that are known to contain no NUL.
    searched: usize,
    /// True while the rest of an overlong frame is discarded as it arrives.
    is_skipping: bool,
    largest: usize,
}

impl Default for FrameSplitter {
    fn default() -> Self {
        Self::with(LARGEST)
    }
}

impl FrameSplitter {
    fn with(largest: usize) -> Self {
        Self { buffer: Vec::new(), searched: 0, is_skipping: false, largest }
    }

    /// Returns the buffer to which the next bytes are appended, with room for one read.
    pub(super) fn room(&mut self) -> &mut Vec<u8> {
        self.buffer.reserve(CHUNK);
        &mut self.buffer
    }

    /// Calls `take` with every frame that has been completed since the last call.
    pub(super) fn each(&mut self, mut take: impl FnMut(SplitFrame<'_>)) {
        let mut begin = 0;
        while let Some(end) = memchr::memchr(0, &self.buffer[self.searched..]).map(|at| self.searched + at) {
            let frame = &mut self.buffer[begin..end];
            if std::mem::take(&mut self.is_skipping) {
                // This frame was reported as too long already.
            } else if frame.len() > self.largest {
                take(SplitFrame::TooLong(answered(frame)));
            } else {
                replace_lone_surrogates(frame);
                take(SplitFrame::Whole(frame));
            }
            begin = end + 1;
            self.searched = begin;
        }
        self.buffer.drain(..begin);
        if !self.is_skipping && self.buffer.len() > self.largest {
            self.is_skipping = true;
            take(SplitFrame::TooLong(answered(&self.buffer)));
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

/// Returns the id of the command that a frame answers. Chromium writes the id first.
fn answered(frame: &[u8]) -> Option<u64> {
    let digits = frame.strip_prefix(br#"{"id":"#)?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Feeds `bytes` in chunks of `step` bytes and returns the frames as text, or the ids of frames that are too long.
    fn cut(frames: &mut FrameSplitter, bytes: &[u8], step: usize) -> Vec<Result<String, Option<u64>>> {
        let mut found = Vec::new();
        for bytes in bytes.chunks(step) {
            frames.room().extend_from_slice(bytes);
            frames.each(|piece| {
                found.push(match piece {
                    SplitFrame::Whole(frame) => Ok(String::from_utf8_lossy(frame).into_owned()),
                    SplitFrame::TooLong(id) => Err(id),
                });
            });
        }
        found
    }

    #[test]
    fn overlong_frame_is_reported_once_and_next_frame_is_read() {
        let long = format!("{{\"id\":17,\"result\":\"{}\"}}", "x".repeat(100));
        let event = format!("{{\"method\":\"{}\"}}", "x".repeat(100));
        let bytes = format!("{{}}\0{long}\0{{\"id\":18}}\0{event}\0[1]\0");
        for step in [1, 7, 50, 1_000] {
            assert_eq!(
                cut(&mut FrameSplitter::with(40), bytes.as_bytes(), step),
                [Ok("{}".to_owned()), Err(Some(17)), Ok("{\"id\":18}".to_owned()), Err(None), Ok("[1]".to_owned())],
                "{step}"
            );
        }
    }

    #[test]
    fn discarded_bytes_are_not_buffered() {
        let mut frames = FrameSplitter::with(1_000);
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
            prop_assert_eq!(cut(&mut FrameSplitter::with(40), bytes.as_bytes(), step), expected);
        }
    }
}
