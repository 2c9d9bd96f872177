//! Typographic classes of characters, and runs of a class in a text.
//!
//! The rules decide whether a character is misplaced.

use std::ops::Range;

use crate::manuscript::is_kanji;

/// Iterates over the longest runs of characters of a class, in order.
pub(super) fn runs<'t>(text: &'t str, is: impl Fn(char) -> bool + 't) -> impl Iterator<Item = Range<usize>> + 't {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(&is)?;
        let end = text[start..].find(|c| !is(c)).map_or(text.len(), |len| start + len);
        at = end;
        Some(start..end)
    })
}

/// Returns the number of characters of a range.
pub(super) fn count(text: &str, range: &Range<usize>) -> usize {
    text[range.clone()].chars().count()
}

/// Returns the character before a byte offset.
pub(super) fn before(text: &str, at: usize) -> Option<char> {
    text[..at].chars().next_back()
}

/// Returns the character at a byte offset.
pub(super) fn after(text: &str, at: usize) -> Option<char> {
    text[at..].chars().next()
}

pub(super) fn is_hiragana(c: char) -> bool {
    matches!(c, 'ぁ'..='ゖ' | 'ゝ' | 'ゞ')
}

pub(super) fn is_katakana(c: char) -> bool {
    matches!(c, 'ァ'..='ヺ' | 'ー'..='ヾ')
}

pub(super) fn is_kana(c: char) -> bool {
    is_hiragana(c) || is_katakana(c)
}

/// True for kana and kanji.
pub(super) fn is_letter(c: char) -> bool {
    is_kana(c) || is_kanji(c)
}

/// True for Latin letters of either width.
pub(super) fn is_latin(c: char) -> bool {
    matches!(c, 'A'..='Z' | 'a'..='z' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ɏ')
}

/// True for Arabic digits of either width.
pub(super) fn is_digit(c: char) -> bool {
    matches!(c, '0'..='9' | '０'..='９')
}

/// True for digits of either width and the kanji used in numbers.
pub(super) fn is_numeral(c: char) -> bool {
    is_digit(c) || "〇一二三四五六七八九十百千".contains(c)
}

/// True if a character makes the text around it Japanese: kana, kanji, a full-width sign or bracket.
pub(super) fn is_japanese(c: char) -> bool {
    !c.is_ascii() && !c.is_whitespace() && !is_latin(c) && !is_digit(c)
}

pub(super) fn is_opening(c: char) -> bool {
    matches!(c, '「' | '『' | '（' | '【' | '〈' | '《' | '〔' | '［' | '｛' | '“' | '‘' | '〝' | '(' | '[' | '{' | '｢')
}

pub(super) fn is_closing(c: char) -> bool {
    matches!(c, '」' | '』' | '）' | '】' | '〉' | '》' | '〕' | '］' | '｝' | '”' | '’' | '〟' | ')' | ']' | '}' | '｣')
}

/// True for ！ and ？ of either width and their combinations.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '！' | '？' | '!' | '?' | '‼' | '⁇' | '⁈' | '⁉')
}

/// Rounds a count up to an even number, at least 2, since such signs are written in pairs.
pub(super) fn even(count: usize) -> usize {
    count.max(1).next_multiple_of(2)
}

/// True for exactly two middle dots that separate words, with letters of a foreign name or of a list on both sides.
pub(super) fn divides_words(text: &str, run: &Range<usize>) -> bool {
    let (Some(left), Some(right)) = (before(text, run.start), after(text, run.end)) else {
        return false;
    };
    let is_foreign = |c| is_katakana(c) || is_latin(c);
    let is_word = |c| is_foreign(c) || is_kanji(c);
    &text[run.clone()] == "・・" && is_word(left) && is_word(right) && (is_foreign(left) || is_foreign(right))
}

/// True if a run of two or more ー stands for a dash: it follows nothing that it could lengthen, or a word begins after
/// it.
pub(super) fn is_dash_of_long_vowels(text: &str, run: &Range<usize>) -> bool {
    let left = before(text, run.start).filter(|c| !c.is_whitespace());
    let right = after(text, run.end);
    // The ーー of 了解ーーっ！ lengthens the voice.
    if right.is_some_and(|c| is_mark(c) || matches!(c, 'っ' | 'ッ' | 'ぁ' | 'ぃ' | 'ぅ' | 'ぇ' | 'ぉ')) {
        return false;
    }
    match left {
        None => true,
        Some(c) if is_hiragana(c) => right.is_some_and(|c| is_kanji(c) || is_katakana(c) || is_opening(c)),
        Some(c) => !is_katakana(c) && !is_latin(c) && !is_digit(c),
    }
}
