//! A [`Matcher`] that stops when its call is cancelled, also within one file and without matches.
//!
//! A single call of the inner matcher cannot be interrupted: it searches one buffer of lines (64 KiB, 256 KiB of a
//! small file), or in a multi-line search the rest of the file. The text is not cut further, since `^$` also matches at
//! the end of a piece.

use std::cell::{Cell, RefCell};

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use tokio_util::sync::CancellationToken;

use crate::backtracking::Halt;

/// The number of bytes searched between two checks of the token.
const PIECE_BYTES: usize = 16 << 10;

/// The minimum cost of a call, in bytes: the token is checked after at most `PIECE_BYTES / SMALL_BYTES` calls, however
/// short their texts.
const SMALL_BYTES: usize = PIECE_BYTES / 16;

/// A matcher with the token of the call.
pub(crate) struct Polled<'a, M> {
    inner: &'a M,
    cancel: &'a CancellationToken,
    /// The number of bytes left until the next check of the token.
    left: Cell<usize>,
    /// The reason for an early end, which the searcher reduces to a message.
    halt: RefCell<Option<Halt>>,
}

impl<'a, M: Matcher> Polled<'a, M>
where
    M::Error: Into<Halt>,
{
    pub(crate) fn new(inner: &'a M, cancel: &'a CancellationToken) -> Self {
        Self {
            inner,
            cancel,
            left: Cell::new(0),
            halt: RefCell::default(),
        }
    }

    /// Returns the reason for an early end, if any.
    pub(crate) fn halt(&self) -> Option<Halt> {
        self.halt.borrow().clone()
    }

    /// Checks the token once for each piece of searched bytes.
    fn poll(&self, bytes: usize) -> Result<(), Halt> {
        let bytes = bytes.max(SMALL_BYTES);
        if let Some(left) = self.left.get().checked_sub(bytes) {
            self.left.set(left);
            return Ok(());
        }
        self.left.set(PIECE_BYTES);
        if self.cancel.is_cancelled() {
            return Err(self.note(Halt::Cancelled));
        }
        Ok(())
    }

    fn note(&self, halt: impl Into<Halt>) -> Halt {
        let halt = halt.into();
        self.halt.replace(Some(halt.clone()));
        halt
    }
}

impl<M: Matcher> Matcher for Polled<'_, M>
where
    M::Error: Into<Halt>,
{
    type Captures = NoCaptures;
    type Error = Halt;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, Halt> {
        self.poll(haystack.len() - at)?;
        self.inner.find_at(haystack, at).map_err(|error| self.note(error))
    }

    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> Result<Option<usize>, Halt> {
        self.poll(haystack.len() - at)?;
        self.inner
            .shortest_match_at(haystack, at)
            .map_err(|error| self.note(error))
    }

    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, Halt> {
        self.poll(haystack.len())?;
        self.inner
            .find_candidate_line(haystack)
            .map_err(|error| self.note(error))
    }

    fn new_captures(&self) -> Result<NoCaptures, Halt> {
        Ok(NoCaptures::new())
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.inner.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.inner.line_terminator()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use grep_matcher::{Match, Matcher, NoCaptures};
    use grep_searcher::{SearcherBuilder, sinks::Bytes};
    use tokio_util::sync::CancellationToken;

    use super::{Halt, PIECE_BYTES, Polled};

    /// A matcher that finds nothing, or a line break at once; its first call cancels the token.
    struct Cancelling<'a> {
        cancel: &'a CancellationToken,
        looked_at: Cell<usize>,
        matches: bool,
    }

    impl Matcher for Cancelling<'_> {
        type Captures = NoCaptures;
        type Error = Halt;

        fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, Halt> {
            self.cancel.cancel();
            self.looked_at.set(self.looked_at.get() + haystack.len() - at);
            Ok(self.matches.then(|| Match::new(at, at + 1)))
        }

        fn new_captures(&self) -> Result<NoCaptures, Halt> {
            Ok(NoCaptures::new())
        }
    }

    /// Returns the number of bytes searched of a text in memory.
    fn looked_at(matches: bool) -> usize {
        let cancel = CancellationToken::new();
        let (looked_at, text) = (Cell::new(0), b"some words on a line\n".repeat(20_000));
        let inner = Cancelling {
            cancel: &cancel,
            looked_at,
            matches,
        };
        let polled = Polled::new(&inner, &cancel);
        let mut searcher = SearcherBuilder::new().build();
        let result = searcher.search_slice(&polled, &text, Bytes(|_, _| Ok(true)));
        assert!(result.is_err());
        assert_eq!(polled.halt(), Some(Halt::Cancelled));
        inner.looked_at.get()
    }

    #[test]
    fn a_cancelled_search_looks_at_no_more_of_a_file_than_a_piece() {
        for matches in [false, true] {
            let bytes = looked_at(matches);
            assert!(bytes <= PIECE_BYTES * 3, "matches {matches}: {bytes}");
        }
    }
}
