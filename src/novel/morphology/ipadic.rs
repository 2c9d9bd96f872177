//! IPADIC without its proper nouns, embedded in the program and searched with vibrato's Viterbi search.
//!
//! The dictionary is unpacked on first use, which takes a moment and some 13 MB; a process that does not analyse a
//! novel spends neither. The file and its licence are in `assets/`; `tests/morphology/make_dictionary.rs` builds it.

use std::sync::LazyLock;

use ruzstd::decoding::StreamingDecoder;
use vibrato::{Dictionary, Tokenizer, dictionary::LexType, tokenizer::worker::Worker};

use super::{DictionaryWord, Morphology, WordReader, entries::DictionaryEntries};

static PACKED: &[u8] = include_bytes!("../assets/ipadic.zst");

/// The longest run of one script that can be an unknown word, as in `MeCab`.
const LONGEST_UNKNOWN: usize = 24;

static LOADED: LazyLock<Ipadic> = LazyLock::new(|| {
    let mut unpacked = StreamingDecoder::new(PACKED).expect("the embedded dictionary is a zstd frame");
    let entries = DictionaryEntries::read(&mut unpacked).expect("the embedded dictionary begins with its entries");
    let dictionary = Dictionary::read(unpacked).expect("the embedded dictionary was written by this vibrato");
    let tokenizer = Tokenizer::new(dictionary).max_grouping_len(LONGEST_UNKNOWN);
    Ipadic { tokenizer: tokenizer.ignore_space(true).expect("IPADIC defines a category for spaces"), entries }
});

/// The embedded dictionary with its tokenizer.
pub struct Ipadic {
    tokenizer: Tokenizer,
    entries: DictionaryEntries,
}

impl Ipadic {
    /// Returns the process-wide instance. The first call loads it, which takes a good part of a second.
    pub fn shared() -> &'static Self {
        &LOADED
    }
}

impl Morphology for Ipadic {
    fn reader(&self) -> Box<dyn WordReader<'_> + '_> {
        Box::new(IpadicReader { worker: self.tokenizer.new_worker(), entries: &self.entries })
    }
}

struct IpadicReader<'d> {
    worker: Worker<'d>,
    entries: &'d DictionaryEntries,
}

impl<'d> WordReader<'d> for IpadicReader<'d> {
    fn read(&mut self, text: &str, words: &mut Vec<DictionaryWord<'d>>) {
        self.worker.reset_sentence(text);
        self.worker.tokenize();
        words.extend(self.worker.token_iter().map(|token| DictionaryWord {
            range: token.range_byte(),
            entry: match token.lex_type() {
                LexType::Unknown => self.entries.of_unknown(token.feature()),
                LexType::System | LexType::User => self.entries.of_word(token.word_idx().word_id as usize),
            },
        }));
    }
}
