//! Words of Japanese text: where each is, what it is, its base form and reading.
//!
//! A [`Morphology`] reads one stretch of text after another; the one here is [`Ipadic`], embedded and loaded once. An
//! [`Analysis`] is a whole manuscript, read sentence by sentence, with the names of its own novel as words. What a word means
//! for a text is the rules' affair.

mod analysis;
mod entries;
mod ipadic;
mod names;

use std::ops::Range;

pub use analysis::{Analysis, LONGEST_STRETCH};
pub use ipadic::Ipadic;
pub use names::{Lexicon, Name, NameKind};

/// Characters of the private use area that the dictionary knows as proper nouns, with the kind of each. A novel's names
/// are replaced by them before a sentence is read: so they are one word each, they connect as a proper noun does, and one
/// dictionary in memory serves every novel.
pub const STAND_INS: [(char, &str); 3] = [('\u{e000}', "人名"), ('\u{e001}', "地域"), ('\u{e002}', "一般")];

/// What reads a stretch of text.
pub trait Morphology: Send + Sync {
    /// A reader with its own working memory, for one call.
    fn reader(&self) -> Box<dyn Reader<'_> + '_>;
}

/// Reads stretches one after another, and keeps its memory between them.
pub trait Reader<'d> {
    /// Adds the words of a text, in order. Half-width spaces are in no word.
    fn read(&mut self, text: &str, words: &mut Vec<Word<'d>>);
}

/// A word as a dictionary gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'d> {
    /// Bytes of the text that was read.
    pub range: Range<usize>,
    /// What it is.
    pub entry: Entry<'d>,
}

/// What a dictionary says of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'d> {
    /// Where this is from.
    pub origin: Origin,
    /// Part of speech in three levels, as 名詞, 固有名詞, 人名; `*` where there is no further level.
    pub parts: &'d [&'d str; 3],
    /// Of words that inflect.
    pub inflection: Option<&'d Inflection<'d>>,
    /// The base form, where it is not the word as it stands.
    pub base: Option<&'d str>,
    /// The reading in katakana, where it is not the word as it stands. Unknown words have none.
    pub reading: Option<&'d str>,
}

impl Entry<'_> {
    /// What is said of a character that no dictionary has.
    const UNKNOWN_SIGN: Self = Self {
        origin: Origin::Unknown,
        parts: &["記号", "一般", "*"],
        inflection: None,
        base: None,
        reading: None,
    };
}

/// How a word inflects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inflection<'d> {
    /// The type, as 五段・カ行イ音便.
    pub kind: &'d str,
    /// The form, as 連用形.
    pub form: &'d str,
}

/// Who knows a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The dictionary.
    Dictionary,
    /// The novel's own settings.
    Name,
    /// Nobody: what it is was guessed from its script.
    Unknown,
}

/// A word of a manuscript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Morpheme<'a> {
    /// The sentence it is in, as a place in [`crate::text::Sentences::all`].
    pub sentence: usize,
    /// Bytes of the visible text.
    pub visible: Range<usize>,
    /// Bytes of the source; markup within counts to it.
    pub source: Range<usize>,
    /// As it stands.
    pub surface: &'a str,
    /// Its base form; the surface where it does not inflect.
    pub base: &'a str,
    /// Its reading in katakana; none of unknown words.
    pub reading: Option<&'a str>,
    /// Part of speech in three levels; `*` where there is no further level.
    pub parts: &'a [&'a str; 3],
    /// Of words that inflect.
    pub inflection: Option<&'a Inflection<'a>>,
    /// Who knows it.
    pub origin: Origin,
}

impl Morpheme<'_> {
    /// Whether its part of speech is the one named, to as many levels as are given: `&["助詞", "格助詞"]`.
    #[must_use]
    pub fn is(&self, parts: &[&str]) -> bool {
        self.parts.iter().zip(parts).all(|(own, asked)| own == asked) && parts.len() <= self.parts.len()
    }

    /// Whether it carries meaning by itself: a noun, verb, adjective or adverb that is no auxiliary and no formal noun.
    #[must_use]
    pub fn is_content(&self) -> bool {
        matches!(self.parts[0], "名詞" | "動詞" | "形容詞" | "副詞")
            && !matches!(
                self.parts[1],
                "非自立" | "接尾" | "代名詞" | "数" | "特殊" | "接続詞的" | "動詞非自立的"
            )
    }
}
