//! A [`Matcher`] that stops when its call is cancelled, also within one file and without matches.
//!
//! A single call of the inner matcher cannot be interrupted: it searches one buffer of lines (64 KiB, 256 KiB of a
//! small file), one longer line, or in a multi-line search the rest of the file. The text is not cut further, since `^$`
//! also matches at the end of a piece. A call that would take many seconds is not begun.

use std::cell::{Cell, RefCell};

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use tokio_util::sync::CancellationToken;

use crate::pcre2_matcher::MatchInterruption;

/// The number of bytes searched between two checks of the token.
const PIECE_BYTES: usize = 16 << 10;

/// The minimum cost of a call, in bytes: the token is checked after at most `PIECE_BYTES / SMALL_BYTES` calls, however
/// short their texts.
const SMALL_BYTES: usize = PIECE_BYTES / 16;

/// The most work of one call: bytes of the text times counted repetitions of the query ([`TextQuery::repetitions`]). A unit
/// takes up to half a nanosecond (`A.{0,500}B.{0,500}` over Base64), so that a call ends within about four seconds.
///
/// [`TextQuery::repetitions`]: crate::text_query::TextQuery
const MOST_WORK: usize = 8_000_000_000;

/// A matcher with the token of the call.
pub(crate) struct CancellableMatcher<'a, M> {
    inner: &'a M,
    cancel: &'a CancellationToken,
    /// The counted repetitions of the query.
    repetitions: usize,
    /// The number of bytes left until the next check of the token.
    left: Cell<usize>,
    /// The reason for an early end, which the searcher reduces to a message.
    halt: RefCell<Option<MatchInterruption>>,
}

impl<'a, M: Matcher> CancellableMatcher<'a, M>
where
    M::Error: Into<MatchInterruption>,
{
    pub(crate) fn new(inner: &'a M, repetitions: usize, cancel: &'a CancellationToken) -> Self {
        Self { inner, cancel, repetitions, left: Cell::new(0), halt: RefCell::default() }
    }

    /// Returns the reason for an early end, if any.
    pub(crate) fn halt(&self) -> Option<MatchInterruption> {
        self.halt.borrow().clone()
    }

    /// Refuses too much work, and checks the token once for each piece of searched bytes.
    fn poll(&self, bytes: usize) -> Result<(), MatchInterruption> {
        if bytes.saturating_mul(self.repetitions) > MOST_WORK {
            return Err(self.record_halt(MatchInterruption::LongText));
        }
        let bytes = bytes.max(SMALL_BYTES);
        if let Some(left) = self.left.get().checked_sub(bytes) {
            self.left.set(left);
            return Ok(());
        }
        self.left.set(PIECE_BYTES);
        if self.cancel.is_cancelled() {
            return Err(self.record_halt(MatchInterruption::Cancelled));
        }
        Ok(())
    }

    fn record_halt(&self, halt: impl Into<MatchInterruption>) -> MatchInterruption {
        let halt = halt.into();
        self.halt.replace(Some(halt.clone()));
        halt
    }
}

impl<M: Matcher> Matcher for CancellableMatcher<'_, M>
where
    M::Error: Into<MatchInterruption>,
{
    type Captures = NoCaptures;
    type Error = MatchInterruption;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, MatchInterruption> {
        self.poll(haystack.len() - at)?;
        self.inner.find_at(haystack, at).map_err(|error| self.record_halt(error))
    }

    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> Result<Option<usize>, MatchInterruption> {
        self.poll(haystack.len() - at)?;
        self.inner.shortest_match_at(haystack, at).map_err(|error| self.record_halt(error))
    }

    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, MatchInterruption> {
        self.poll(haystack.len())?;
        self.inner.find_candidate_line(haystack).map_err(|error| self.record_halt(error))
    }

    fn new_captures(&self) -> Result<NoCaptures, MatchInterruption> {
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

    use super::{CancellableMatcher, MatchInterruption, PIECE_BYTES};

    /// A matcher that finds nothing, or a line break at once; its first call cancels the token.
    struct Cancelling<'a> {
        cancel: &'a CancellationToken,
        looked_at: Cell<usize>,
        matches: bool,
    }

    impl Matcher for Cancelling<'_> {
        type Captures = NoCaptures;
        type Error = MatchInterruption;

        fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, MatchInterruption> {
            self.cancel.cancel();
            self.looked_at.set(self.looked_at.get() + haystack.len() - at);
            Ok(self.matches.then(|| Match::new(at, at + 1)))
        }

        fn new_captures(&self) -> Result<NoCaptures, MatchInterruption> {
            Ok(NoCaptures::new())
        }
    }

    /// Returns the number of bytes searched of a text in memory.
    fn looked_at(matches: bool) -> usize {
        let cancel = CancellationToken::new();
        let (looked_at, text) = (Cell::new(0), b"some words on a line\n".repeat(20_000));
        let inner = Cancelling { cancel: &cancel, looked_at, matches };
        let polled = CancellableMatcher::new(&inner, 0, &cancel);
        let mut searcher = SearcherBuilder::new().build();
        let result = searcher.search_slice(&polled, &text, Bytes(|_, _| Ok(true)));
        assert!(result.is_err());
        assert_eq!(polled.halt(), Some(MatchInterruption::Cancelled));
        inner.looked_at.get()
    }

    #[test]
    fn cancelled_search_stops_within_one_piece() {
        for matches in [false, true] {
            let bytes = looked_at(matches);
            assert!(bytes <= PIECE_BYTES * 3, "matches {matches}: {bytes}");
        }
    }
}
