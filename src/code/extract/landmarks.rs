//! Landmarks: the words and signs of a language that are near every element and every decision.
//!
//! Invariant: a node that matches a pattern or counts for complexity contains a landmark, or its parent is of one of the
//! kinds whose children are all visited, or contains a syntax error. So the walk skips all other nodes, which are most
//! of a file. Finding landmarks costs a fraction of that: the text is read once, a byte at a time, without the tree.

use crate::languages::facts::LandmarkFacts;

/// The kind of landmark that a byte of the text can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beginning {
    Nothing,
    Sign,
    Word,
    Number,
}

impl Beginning {
    const fn is_in_word(self) -> bool {
        matches!(self, Self::Word | Self::Number)
    }
}

/// The landmarks of a language, indexed by their first byte.
#[derive(Debug)]
pub(super) struct Landmarks {
    beginnings: [Beginning; 256],
    words: Vec<Vec<Vec<u8>>>,
    signs: Vec<Vec<Vec<u8>>>,
}

impl Landmarks {
    /// Returns `None` for a language without landmarks, whose trees are walked completely.
    pub(super) fn new(facts: &LandmarkFacts) -> Option<Self> {
        if facts.words.is_empty() && facts.signs.is_empty() {
            return None;
        }
        let mut found = Self {
            beginnings: std::array::from_fn(|byte| match u8::try_from(byte) {
                Ok(b'a'..=b'z' | b'A'..=b'Z' | b'_') => Beginning::Word,
                Ok(b'0'..=b'9') => Beginning::Number,
                _ => Beginning::Nothing,
            }),
            words: vec![Vec::new(); 256],
            signs: vec![Vec::new(); 256],
        };
        for word in facts.words.iter().map(String::as_bytes).filter(|word| !word.is_empty()) {
            found.words[usize::from(word[0])].push(word.to_vec());
        }
        for sign in facts.signs.iter().map(String::as_bytes).filter(|sign| !sign.is_empty()) {
            found.beginnings[usize::from(sign[0])] = Beginning::Sign;
            found.signs[usize::from(sign[0])].push(sign.to_vec());
        }
        Some(found)
    }

    /// Returns a finder that reads a text from its start.
    pub(super) fn finder<'t>(&'t self, text: &'t str) -> LandmarkFinder<'t> {
        let mut finder = LandmarkFinder { landmarks: self, text: text.as_bytes(), rest: 0, next: 0 };
        finder.advance();
        finder
    }
}

/// Finds the landmarks of a text one after another.
#[derive(Debug)]
pub(super) struct LandmarkFinder<'t> {
    landmarks: &'t Landmarks,
    text: &'t [u8],
    /// The end of the text that was read.
    rest: usize,
    /// The position of the landmark found last.
    next: usize,
}

impl LandmarkFinder<'_> {
    /// Returns the position of the first landmark that begins at this byte or after it. Positions must not decrease from
    /// call to call: what lies before them is not read.
    pub(super) fn next_from(&mut self, byte: usize) -> usize {
        if self.next < byte {
            self.rest = self.rest.max(byte);
            self.advance();
        }
        self.next
    }

    /// Moves to the next landmark, or behind the text.
    fn advance(&mut self) {
        let known = self.landmarks;
        let beginning = |byte: &u8| known.beginnings[usize::from(*byte)];
        while let Some(start) = self.position(|byte| beginning(byte) != Beginning::Nothing) {
            self.rest = start;
            let first = self.text[start];
            let landmark = if beginning(&first) == Beginning::Sign {
                self.rest += 1;
                let mut signs = known.signs[usize::from(first)].iter();
                signs.any(|sign| self.text[start..].starts_with(sign)).then_some(start)
            } else {
                self.rest = self.position(|byte| !beginning(byte).is_in_word()).unwrap_or(self.text.len());
                let word = &self.text[start..self.rest];
                if beginning(&first) == Beginning::Word {
                    known.words[usize::from(first)].iter().any(|known| known == word).then_some(start)
                } else if word.last().is_some_and(u8::is_ascii_alphabetic) {
                    // A keyword may follow a number without a space: `0if x else 1`.
                    let keyword = known.words.iter().flatten().find(|known| word.ends_with(known));
                    keyword.map(|keyword| self.rest - keyword.len())
                } else {
                    None
                }
            };
            if let Some(landmark) = landmark {
                self.next = landmark;
                return;
            }
        }
        self.rest = self.text.len();
        self.next = usize::MAX;
    }

    /// Returns the position of the next byte of a kind in the rest of the text.
    fn position(&self, is_wanted: impl Fn(&u8) -> bool) -> Option<usize> {
        let rest = self.text.get(self.rest..)?;
        rest.iter().position(is_wanted).map(|at| self.rest + at)
    }
}

#[cfg(test)]
mod tests {
    use super::Landmarks;
    use crate::languages::facts::LandmarkFacts;

    #[test]
    fn landmarks_are_whole_words_and_signs() {
        let facts = LandmarkFacts {
            words: ["if", "for"].map(str::to_owned).to_vec(),
            signs: ["//", "{"].map(str::to_owned).to_vec(),
            nodes: Vec::new(),
        };
        let landmarks = Landmarks::new(&facts).expect("there are some");
        for (text, expected) in [
            ("if x", vec![0]),
            ("xif if_ ifx for", vec![12]),
            ("1if 0x2for 12", vec![1, 7]),
            ("文if", vec![3]),
            ("a///{", vec![1, 2, 4]),
            ("/", vec![]),
            ("", vec![]),
        ] {
            let mut finder = landmarks.finder(text);
            let mut found = Vec::new();
            let mut next = finder.next_from(0);
            while next < text.len() {
                found.push(next);
                next = finder.next_from(next + 1);
            }
            assert_eq!(found, expected, "{text:?}");
        }
        assert!(Landmarks::new(&LandmarkFacts::default()).is_none());
    }
}
