//! IPADIC without its proper nouns, embedded, read by the Viterbi search of vibrato.
//!
//! It is unpacked at first use, which takes a moment and some 40 MB; a process that reads no novel pays neither. The file and
//! its licence are in `assets/`; `tests/morphology/make_dictionary.rs` makes it.

use std::sync::LazyLock;

use vibrato::{Dictionary, Tokenizer, dictionary::LexType, tokenizer::worker::Worker};

use super::{Entry, Inflection, Morphology, Origin, Reader, Word};

static PACKED: &[u8] = include_bytes!("../assets/ipadic.zst");

/// Longer runs of one script than this are no word; as `MeCab` has it.
const LONGEST_UNKNOWN: usize = 24;

static LOADED: LazyLock<Ipadic> = LazyLock::new(|| {
    let unpacked = ruzstd::decoding::StreamingDecoder::new(PACKED).expect("the embedded dictionary is a zstd frame");
    let dictionary = Dictionary::read(unpacked).expect("the embedded dictionary was written by this vibrato");
    let tokenizer = Tokenizer::new(dictionary).max_grouping_len(LONGEST_UNKNOWN);
    Ipadic(tokenizer.ignore_space(true).expect("IPADIC says what a space is"))
});

/// The embedded dictionary.
pub struct Ipadic(Tokenizer);

impl Ipadic {
    /// The one of this process. The first call loads it and takes a good part of a second.
    #[must_use]
    pub fn shared() -> &'static Self {
        &LOADED
    }
}

impl Morphology for Ipadic {
    fn reader(&self) -> Box<dyn Reader<'_> + '_> {
        Box::new(Reading(self.0.new_worker()))
    }
}

struct Reading<'d>(Worker<'d>);

impl<'d> Reader<'d> for Reading<'d> {
    fn read(&mut self, text: &str, words: &mut Vec<Word<'d>>) {
        self.0.reset_sentence(text);
        self.0.tokenize();
        words.extend(self.0.token_iter().map(|token| Word {
            range: token.range_byte(),
            entry: entry(token.feature(), token.lex_type() == LexType::Unknown),
        }));
    }
}

/// The columns that `make_dictionary` writes: three parts of speech, type and form of inflection, base form, reading.
fn entry(feature: &str, is_unknown: bool) -> Entry<'_> {
    let mut columns = feature.split(',');
    let mut next = || columns.next().unwrap_or("*");
    let parts = [next(), next(), next()];
    let (kind, form) = (next(), next());
    let filled = |column: &'_ str| !matches!(column, "" | "*");
    let (base, reading) = (next(), next());
    Entry {
        origin: if is_unknown {
            Origin::Unknown
        } else {
            Origin::Dictionary
        },
        parts,
        inflection: filled(kind).then_some(Inflection { kind, form }),
        base: filled(base).then_some(base),
        reading: filled(reading).then_some(reading),
    }
}
