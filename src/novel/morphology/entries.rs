//! What the dictionary says of its words, each different text kept once.
//!
//! vibrato would keep an allocation for every word, 18 MB in all, and most texts many times over. Here a word is a row of three
//! places in lists of texts, and vibrato gives its number. Of a word that it does not know it gives the grammar itself.

use std::io::{self, Read};

use super::{Entry, Inflection, Origin};

/// What the dictionary says of all words.
pub(super) struct Entries {
    /// In the order of their texts.
    grammars: Vec<Grammar>,
    bases: Texts,
    readings: Texts,
    rows: Vec<Row>,
}

/// Places of a word's grammar, base form and reading.
struct Row {
    grammar: u16,
    base: u16,
    reading: u32,
}

/// Part of speech and inflection, which many words share.
struct Grammar {
    /// The five columns as they were written.
    text: &'static str,
    parts: [&'static str; 3],
    inflection: Option<Inflection<'static>>,
}

/// Texts, one after another in one allocation.
struct Texts {
    lines: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Entries {
    /// Reads what the program `make_dictionary` wrote: the grammars, the base forms and the readings, each in a line of its own,
    /// and the rows; each list behind its length in bytes. Numbers are little-endian. Fails where something ends early or is
    /// no UTF-8.
    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        // The words of every text refer to them, and the dictionary of a process stays.
        let grammars = text(from)?.leak().lines().map(Grammar::of).collect();
        let (bases, readings) = (Texts::of(text(from)?), Texts::of(text(from)?));
        let rows = block(from)?.as_chunks().0.iter().copied().map(Row::of).collect();
        Ok(Self {
            grammars,
            bases,
            readings,
            rows,
        })
    }

    /// What is said of a word, by its number in the dictionary.
    pub(super) fn of_word(&self, word: usize) -> Entry<'_> {
        let row = &self.rows[word];
        let grammar = &self.grammars[usize::from(row.grammar)];
        Entry {
            origin: Origin::Dictionary,
            parts: &grammar.parts,
            inflection: grammar.inflection.as_ref(),
            base: self.bases.get(row.base.into()),
            reading: self.readings.get(row.reading as usize),
        }
    }

    /// What is guessed of an unknown word, by the text of its grammar.
    pub(super) fn of_unknown(&self, grammar: &str) -> Entry<'_> {
        let at = self.grammars.binary_search_by(|own| own.text.cmp(grammar));
        at.map_or(Entry::UNKNOWN_SIGN, |at| Entry {
            origin: Origin::Unknown,
            parts: &self.grammars[at].parts,
            ..Entry::UNKNOWN_SIGN
        })
    }
}

impl Row {
    fn of(bytes: [u8; 8]) -> Self {
        let [grammar, more_grammar, base, more_base, reading @ ..] = bytes;
        Self {
            grammar: u16::from_le_bytes([grammar, more_grammar]),
            base: u16::from_le_bytes([base, more_base]),
            reading: u32::from_le_bytes(reading),
        }
    }
}

impl Grammar {
    /// Three parts of speech, type and form of inflection, with commas between.
    fn of(text: &'static str) -> Self {
        let mut columns = text.split(',');
        let mut next = || columns.next().unwrap_or("*");
        let parts = [next(), next(), next()];
        let (kind, form) = (next(), next());
        Self {
            text,
            parts,
            inflection: (kind != "*").then_some(Inflection { kind, form }),
        }
    }
}

impl Texts {
    fn of(lines: String) -> Self {
        let ends = lines.match_indices('\n').map(|(at, _)| at).collect();
        Self { lines, ends }
    }

    /// The text at a place; none where it is empty.
    fn get(&self, at: usize) -> Option<&str> {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        Some(&self.lines[start..self.ends[at]]).filter(|text| !text.is_empty())
    }
}

/// So many bytes as the number before them says.
fn block(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut block = vec![0; u32::from_le_bytes(length) as usize];
    from.read_exact(&mut block)?;
    Ok(block)
}

fn text(from: &mut impl Read) -> io::Result<String> {
    String::from_utf8(block(from)?).map_err(io::Error::other)
}
