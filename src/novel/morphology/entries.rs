//! The dictionary's entries, with each distinct text stored once.
//!
//! vibrato would keep an allocation for every word, 18 MB in all, with most texts stored many times. Here a word is a
//! row of three indices into lists of texts; vibrato supplies the row number. For an unknown word, vibrato supplies the
//! grammar text itself.

use std::io::{self, Read};

use super::{Inflection, WordEntry, WordOrigin};

/// The entries of all words of the dictionary.
pub(super) struct DictionaryEntries {
    /// The grammars, sorted by their texts.
    grammars: Vec<GrammarEntry>,
    bases: PackedTexts,
    readings: PackedTexts,
    rows: Vec<DictionaryRow>,
}

/// The indices of a word's grammar, base form and reading.
struct DictionaryRow {
    grammar: u16,
    base: u16,
    reading: u32,
}

/// A part of speech and inflection shared by many words.
struct GrammarEntry {
    /// The five columns as written in the dictionary.
    text: &'static str,
    parts: [&'static str; 3],
    inflection: Option<Inflection<'static>>,
}

/// Texts stored one after another in one allocation.
struct PackedTexts {
    lines: String,
    /// The byte offset of each text's end.
    ends: Vec<usize>,
}

impl DictionaryEntries {
    /// Reads the output of the program `make_dictionary`: the grammars, the base forms and the readings, each in its
    /// own line, and the rows; each list is preceded by its length in bytes. Numbers are little-endian. Returns an
    /// error if a list is cut short or is not valid UTF-8.
    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        // The grammars are leaked: words of every text borrow from them, and the dictionary lives as long as the
        // process.
        let grammars = text(from)?.leak().lines().map(GrammarEntry::parse).collect();
        let (bases, readings) = (PackedTexts::from_lines(text(from)?), PackedTexts::from_lines(text(from)?));
        let rows = block(from)?.as_chunks().0.iter().copied().map(DictionaryRow::from_bytes).collect();
        Ok(Self { grammars, bases, readings, rows })
    }

    /// Returns the entry of a word by its number in the dictionary.
    pub(super) fn of_word(&self, word: usize) -> WordEntry<'_> {
        let row = &self.rows[word];
        let grammar = &self.grammars[usize::from(row.grammar)];
        WordEntry {
            origin: WordOrigin::Dictionary,
            parts: &grammar.parts,
            inflection: grammar.inflection.as_ref(),
            base: self.bases.get(row.base.into()),
            reading: self.readings.get(row.reading as usize),
        }
    }

    /// Returns the guessed entry of an unknown word by the text of its grammar.
    pub(super) fn of_unknown(&self, grammar: &str) -> WordEntry<'_> {
        let at = self.grammars.binary_search_by(|own| own.text.cmp(grammar));
        at.map_or(WordEntry::UNKNOWN_SIGN, |at| WordEntry {
            origin: WordOrigin::Unknown,
            parts: &self.grammars[at].parts,
            ..WordEntry::UNKNOWN_SIGN
        })
    }
}

impl DictionaryRow {
    fn from_bytes(bytes: [u8; 8]) -> Self {
        let [grammar, more_grammar, base, more_base, reading @ ..] = bytes;
        Self {
            grammar: u16::from_le_bytes([grammar, more_grammar]),
            base: u16::from_le_bytes([base, more_base]),
            reading: u32::from_le_bytes(reading),
        }
    }
}

impl GrammarEntry {
    /// Parses three parts of speech, inflection type and form, separated by commas.
    fn parse(text: &'static str) -> Self {
        let mut columns = text.split(',');
        let mut next = || columns.next().unwrap_or("*");
        let parts = [next(), next(), next()];
        let (kind, form) = (next(), next());
        Self { text, parts, inflection: (kind != "*").then_some(Inflection { kind, form }) }
    }
}

impl PackedTexts {
    fn from_lines(lines: String) -> Self {
        let ends = lines.match_indices('\n').map(|(at, _)| at).collect();
        Self { lines, ends }
    }

    /// Returns the text at an index; `None` if it is empty.
    fn get(&self, at: usize) -> Option<&str> {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        Some(&self.lines[start..self.ends[at]]).filter(|text| !text.is_empty())
    }
}

/// Reads a length-prefixed block of bytes.
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
