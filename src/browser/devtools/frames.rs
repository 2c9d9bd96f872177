//! Bytes of a pipe, cut into frames: JSON objects, each ended by a NUL byte, and mended so that they can be read.

use super::mend::mend;

/// How much is read at once; screenshots are a few hundred kilobytes.
const CHUNK: usize = 64 << 10;

/// What was read and is no whole frame yet.
#[derive(Debug, Default)]
pub(super) struct Frames {
    buffer: Vec<u8>,
    /// So many bytes of it have no NUL.
    searched: usize,
}

impl Frames {
    /// Where the next bytes go.
    pub(super) fn room(&mut self) -> &mut Vec<u8> {
        self.buffer.reserve(CHUNK);
        &mut self.buffer
    }

    /// Takes the frames that are whole.
    pub(super) fn each(&mut self, mut take: impl FnMut(&[u8])) {
        let mut begin = 0;
        while let Some(end) = memchr::memchr(0, &self.buffer[self.searched..]).map(|at| self.searched + at) {
            mend(&mut self.buffer[begin..end]);
            take(&self.buffer[begin..end]);
            begin = end + 1;
            self.searched = begin;
        }
        self.buffer.drain(..begin);
        self.searched = self.buffer.len();
        if self.buffer.is_empty() && self.buffer.capacity() > 4 * CHUNK {
            self.buffer = Vec::with_capacity(CHUNK);
        }
    }
}
