//! Words of Japanese text: position, part of speech, base form and reading.
//!
//! A [`Morphology`] analyses stretches of text; [`Ipadic`] is the implementation here, embedded and loaded once. An
//! [`WordAnalysis`] covers a whole manuscript, sentence by sentence, with the names of its novel as words. What the words
//! mean for a text is left to the rules.

mod analysis;
mod entries;
mod ipadic;
mod kana;
mod names;

use std::ops::Range;

pub use analysis::{LONGEST_STRETCH, WordAnalysis};
pub use ipadic::Ipadic;
pub(crate) use kana::{as_katakana, katakana};
pub use names::{NameKind, NameLexicon, NovelName};

/// Characters of the private use area that the dictionary knows as proper nouns, with their kinds. A novel's names are
/// replaced by them before a sentence is analysed: each name becomes one word, connects as a proper noun does, and one
/// dictionary in memory serves every novel.
pub const STAND_INS: [(char, &str); 3] = [('\u{e000}', "人名"), ('\u{e001}', "地域"), ('\u{e002}', "一般")];

/// An analyser of Japanese text that can be shared between threads.
pub trait Morphology: Send + Sync {
    /// Returns a reader with its own working memory, for one call.
    fn reader(&self) -> Box<dyn WordReader<'_> + '_>;
}

/// A reader that analyses stretches one after another and reuses its memory.
pub trait WordReader<'d> {
    /// Appends the words of a text, in order. Half-width spaces are not part of any word.
    fn read(&mut self, text: &str, words: &mut Vec<DictionaryWord<'d>>);
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DictionaryWord<'d> {
    /// The byte range in the analysed text.
    pub range: Range<usize>,
    pub entry: WordEntry<'d>,
}

/// The properties of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordEntry<'d> {
    pub origin: WordOrigin,
    /// The part of speech in three levels, such as 名詞, 固有名詞, 人名; `*` for a missing level.
    pub parts: &'d [&'d str; 3],
    /// The inflection, for words that inflect.
    pub inflection: Option<&'d Inflection<'d>>,
    /// The base form, if it differs from the surface.
    pub base: Option<&'d str>,
    /// The reading in katakana, if it differs from the surface; `None` for unknown words.
    pub reading: Option<&'d str>,
}

impl WordEntry<'_> {
    /// The entry for characters missing in the dictionary.
    const UNKNOWN_SIGN: Self = Self {
        origin: WordOrigin::Unknown,
        parts: &["記号", "一般", "*"],
        inflection: None,
        base: None,
        reading: None,
    };
}

/// The inflection of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inflection<'d> {
    /// The type, such as 五段・カ行イ音便.
    pub kind: &'d str,
    /// The form, such as 連用形.
    pub form: &'d str,
}

/// The source of the knowledge about a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordOrigin {
    /// A word of the dictionary.
    Dictionary,
    /// A name from the novel's own settings.
    Name,
    /// An unknown word, classified by its script.
    Unknown,
}

/// A word of a manuscript, with position and properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Morpheme<'a> {
    /// The index of its sentence in [`crate::text::Sentences::all`].
    pub sentence: usize,
    /// The byte range in the visible text.
    pub visible: Range<usize>,
    /// The byte range in the source, including markup within the word.
    pub source: Range<usize>,
    /// The text as written.
    pub surface: &'a str,
    /// The base form; equal to the surface if the word does not inflect.
    pub base: &'a str,
    /// The reading in katakana; `None` for unknown words.
    pub reading: Option<&'a str>,
    /// The part of speech in three levels; `*` for a missing level.
    pub parts: &'a [&'a str; 3],
    /// The inflection, for words that inflect.
    pub inflection: Option<&'a Inflection<'a>>,
    pub origin: WordOrigin,
}

impl Morpheme<'_> {
    /// True if the part of speech equals `parts` in as many levels as are given, such as `&["助詞", "格助詞"]`.
    pub fn has_parts(&self, parts: &[&str]) -> bool {
        self.parts.iter().zip(parts).all(|(own, asked)| own == asked) && parts.len() <= self.parts.len()
    }

    /// True if the word before this one is incomplete without it: た after 走っ, て after 見つめ, れ and た after 申さ.
    pub fn continues(&self, before: &Self) -> bool {
        let form = before.inflection.map_or("", |inflection| inflection.form);
        let is_open = ["連用", "未然", "仮定"].iter().any(|open| form.starts_with(open));
        let is_ending =
            self.has_parts(&["助動詞"]) || self.has_parts(&["動詞", "接尾"]) || self.has_parts(&["助詞", "接続助詞"]);
        // Whatever follows 走っ belongs to it: ちゃう, とく, たり.
        (is_open && is_ending) || (form == "連用タ接続" && !self.has_parts(&["記号"]))
    }

    /// True if the word carries meaning by itself: a noun, verb, adjective or adverb, except auxiliaries and formal
    /// nouns.
    pub fn is_content(&self) -> bool {
        matches!(self.parts[0], "名詞" | "動詞" | "形容詞" | "副詞")
            && !matches!(self.parts[1], "非自立" | "接尾" | "代名詞" | "数" | "特殊" | "接続詞的" | "動詞非自立的")
    }
}
