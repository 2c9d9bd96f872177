//! Trigrams: the three-byte parts of folded text by which the index knows a file.
//!
//! Invariant: folding works on each character alone, so the folded text of a match is a part of the folded text of its
//! file, in every case mode. A trigram with a line feed is never counted or required.
//!
//! Exactly those characters are folded that simple case folding maps to an ASCII letter: `A` to `Z`, the Kelvin sign and
//! the long s. Other cased letters stay as they are; the planner lists their variants (see [`super::need`]).

/// The number of trigrams that three bytes can form.
const TRIGRAMS: usize = 1 << 24;

/// The size of the buffer that is kept between texts, in bytes.
const KEPT_BYTES: usize = 1 << 20;

/// The Kelvin sign, which simple case folding gives to `k`.
const KELVIN: &[u8] = "\u{212A}".as_bytes();

/// The long s, which simple case folding gives to `s`.
const LONG_S: &[u8] = "\u{17F}".as_bytes();

/// Three bytes of folded text, in the order of their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Trigram(u32);

impl Trigram {
    pub(crate) const fn new(first: u8, second: u8, third: u8) -> Self {
        Self(u32::from_be_bytes([0, first, second, third]))
    }

    /// Returns the three bytes as a number, whose order is theirs.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    pub(crate) const fn bytes(self) -> [u8; 3] {
        let [_, first, second, third] = self.0.to_be_bytes();
        [first, second, third]
    }

    const fn is_in_line(self) -> bool {
        let [first, second, third] = self.bytes();
        first != b'\n' && second != b'\n' && third != b'\n'
    }

    /// Returns the trigrams of folded text, in order and possibly repeated, without those across a line end.
    pub(crate) fn of_folded(folded: &[u8]) -> impl Iterator<Item = Self> {
        folded.windows(3).map(|bytes| Self::new(bytes[0], bytes[1], bytes[2])).filter(|gram| gram.is_in_line())
    }
}

/// Appends the folded form of text, which need not be UTF-8.
pub(crate) fn fold(text: &[u8], out: &mut Vec<u8>) {
    let from = out.len();
    if text.is_ascii() {
        out.extend_from_slice(text);
    } else {
        let mut rest = text;
        while let Some(at) = memchr::memchr2(KELVIN[0], LONG_S[0], rest) {
            out.extend_from_slice(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix(KELVIN) {
                out.push(b'k');
                rest = after;
            } else if let Some(after) = rest.strip_prefix(LONG_S) {
                out.push(b's');
                rest = after;
            } else {
                out.push(rest[0]);
                rest = &rest[1..];
            }
        }
        out.extend_from_slice(rest);
    }
    out[from..].make_ascii_lowercase();
}

/// Finds the distinct trigrams of texts, one text after the other. Takes 2 MiB, so each thread has one for all its
/// files.
#[derive(Debug)]
pub(crate) struct TrigramCounter {
    /// One bit for each trigram; all are 0 between two texts.
    seen: Box<[u64]>,
    /// The words of `seen` that are not 0. Clearing these is cheaper than clearing all.
    touched: Vec<u32>,
    folded: Vec<u8>,
    distinct: Vec<Trigram>,
}

impl Default for TrigramCounter {
    fn default() -> Self {
        Self {
            seen: vec![0; TRIGRAMS / 64].into_boxed_slice(),
            touched: Vec::new(),
            folded: Vec::new(),
            distinct: Vec::new(),
        }
    }
}

impl TrigramCounter {
    /// Returns the distinct trigrams of a text, sorted.
    pub(crate) fn distinct(&mut self, text: &[u8]) -> &[Trigram] {
        self.distinct.clear();
        self.folded.clear();
        self.folded.shrink_to(KEPT_BYTES);
        fold(text, &mut self.folded);
        let [first, second, rest @ ..] = self.folded.as_slice() else {
            return &self.distinct;
        };
        let mut gram = Trigram::new(0, *first, *second).0;
        for byte in rest {
            gram = (gram << 8 | u32::from(*byte)) & 0x00FF_FFFF;
            let word = gram >> 6;
            let bits = &mut self.seen[word as usize];
            if *bits == 0 {
                self.touched.push(word);
            }
            *bits |= 1 << (gram & 63);
        }
        self.touched.sort_unstable();
        for word in self.touched.drain(..) {
            let mut bits = std::mem::take(&mut self.seen[word as usize]);
            while bits != 0 {
                let gram = Trigram(word << 6 | bits.trailing_zeros());
                // Sorted out here and not while counting: there are far fewer distinct trigrams than bytes.
                if gram.is_in_line() {
                    self.distinct.push(gram);
                }
                bits &= bits - 1;
            }
        }
        &self.distinct
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::{
        collection::vec,
        prelude::*,
        sample::select,
        test_runner::{Config, RngSeed},
    };
    use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

    use super::{Trigram, TrigramCounter, fold};

    fn folded(text: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        fold(text, &mut out);
        out
    }

    fn folded_char(c: char) -> Vec<u8> {
        folded(c.encode_utf8(&mut [0; 4]).as_bytes())
    }

    /// Every character that a search without case takes for an ASCII letter has the fold of that letter, and no other
    /// character has it.
    #[test]
    fn characters_fold_as_the_matcher_compares_them() {
        let mut folding_to_ascii = Vec::new();
        for c in '\0'..=char::MAX {
            let mut same = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
            same.case_fold_simple();
            let members: Vec<char> = same.ranges().iter().flat_map(|range| range.start()..=range.end()).collect();
            let own = folded_char(c);
            if members.iter().any(char::is_ascii) {
                for member in members {
                    assert_eq!(folded_char(member), own, "{c:?} and {member:?}");
                }
                if !c.is_ascii() {
                    folding_to_ascii.push(c);
                }
            } else {
                assert_eq!(own, c.to_string().into_bytes(), "{c:?}");
            }
        }
        assert_eq!(folding_to_ascii, ['\u{17F}', '\u{212A}']);
    }

    #[test]
    fn distinct_trigrams_are_those_of_each_line() {
        let mut counter = TrigramCounter::default();
        for (text, expected) in [
            ("", ""),
            ("ab", ""),
            ("ABC", "abc"),
            ("abcab", "abc bca cab"),
            ("ab\ncde\nfg", "cde"),
            ("a\r\nxyz", "xyz"),
            ("\u{212A}el", "kel"),
            ("lo\u{17F}t", "los ost"),
        ] {
            let grams = counter.distinct(text.as_bytes());
            let shown: Vec<String> =
                grams.iter().map(|gram| String::from_utf8_lossy(&gram.bytes()).into_owned()).collect();
            assert_eq!(shown.join(" "), expected, "{text:?}");
        }
    }

    fn texts() -> impl Strategy<Value = Vec<u8>> {
        vec(select(b"aAbK\n\r\xE2\x84\xAA\xC5\xBF\xFF".to_vec()), 0..60)
    }

    proptest! {
        #![proptest_config(Config { failure_persistence: None, rng_seed: RngSeed::Fixed(22), ..Config::default() })]

        #[test]
        fn counter_agrees_with_windows(texts in vec(texts(), 1..4)) {
            let mut counter = TrigramCounter::default();
            for text in texts {
                let expected: BTreeSet<Trigram> = Trigram::of_folded(&folded(&text)).collect();
                prop_assert_eq!(counter.distinct(&text), expected.into_iter().collect::<Vec<_>>());
            }
        }

        #[test]
        fn fold_of_a_part_is_a_part_of_the_fold(texts in vec("[a-cKkSs\u{212A}\u{17F}\u{212B}é日\n]{0,6}", 3)) {
            let whole = folded(texts.concat().as_bytes());
            let parts: Vec<u8> = texts.iter().flat_map(|text| folded(text.as_bytes())).collect();
            prop_assert_eq!(whole, parts);
        }
    }
}
