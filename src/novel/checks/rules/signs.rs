//! Classes of signs as typography has them, and runs of a class in a text.
//!
//! Whether a sign is well placed is the rules' affair.

use std::ops::Range;

use crate::manuscript::is_kanji;

/// The longest runs of characters of a class, in order.
pub(super) fn runs<'t>(text: &'t str, is: impl Fn(char) -> bool + 't) -> impl Iterator<Item = Range<usize>> + 't {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(&is)?;
        let end = text[start..].find(|c| !is(c)).map_or(text.len(), |len| start + len);
        at = end;
        Some(start..end)
    })
}

/// How many characters a range has.
pub(super) fn count(text: &str, range: &Range<usize>) -> usize {
    text[range.clone()].chars().count()
}

/// The character before a place.
pub(super) fn before(text: &str, at: usize) -> Option<char> {
    text[..at].chars().next_back()
}

/// The character at a place.
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

/// Kana or kanji.
pub(super) fn is_letter(c: char) -> bool {
    is_kana(c) || is_kanji(c)
}

/// Letters of either width.
pub(super) fn is_latin(c: char) -> bool {
    matches!(c, 'A'..='Z' | 'a'..='z' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ɏ')
}

/// Arabic digits of either width.
pub(super) fn is_digit(c: char) -> bool {
    matches!(c, '0'..='9' | '０'..='９')
}

/// Digits, and the kanji that numbers are written with.
pub(super) fn is_numeral(c: char) -> bool {
    is_digit(c) || "〇一二三四五六七八九十百千".contains(c)
}

/// Whether a character makes the text around it Japanese: kana, kanji, a full-width sign or bracket.
pub(super) fn is_japanese(c: char) -> bool {
    !c.is_ascii() && !c.is_whitespace() && !is_latin(c) && !is_digit(c)
}

pub(super) fn is_opening(c: char) -> bool {
    matches!(
        c,
        '「' | '『' | '（' | '【' | '〈' | '《' | '〔' | '［' | '｛' | '“' | '‘' | '〝' | '(' | '[' | '{' | '｢'
    )
}

pub(super) fn is_closing(c: char) -> bool {
    matches!(
        c,
        '」' | '』' | '）' | '】' | '〉' | '》' | '〕' | '］' | '｝' | '”' | '’' | '〟' | ')' | ']' | '}' | '｣'
    )
}

/// ！ and ？ of either width, and both in one.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '！' | '？' | '!' | '?' | '‼' | '⁇' | '⁈' | '⁉')
}

/// The even number of two-part signs that stands for so many.
pub(super) fn even(count: usize) -> usize {
    count.max(1).next_multiple_of(2)
}

/// Whether exactly two middle dots divide words: letters of a foreign name or of a list stand on both sides.
pub(super) fn divides_words(text: &str, run: &Range<usize>) -> bool {
    let (Some(left), Some(right)) = (before(text, run.start), after(text, run.end)) else {
        return false;
    };
    let is_foreign = |c| is_katakana(c) || is_latin(c);
    let is_word = |c| is_foreign(c) || is_kanji(c);
    &text[run.clone()] == "・・" && is_word(left) && is_word(right) && (is_foreign(left) || is_foreign(right))
}

/// Whether a run of two or more ー stands for a dash: it follows nothing that it could lengthen, or a word begins after it.
pub(super) fn is_dash_of_long_vowels(text: &str, run: &Range<usize>) -> bool {
    let left = before(text, run.start).filter(|c| !c.is_whitespace());
    let right = after(text, run.end);
    // 了解ーーっ！ is a voice.
    if right.is_some_and(|c| is_mark(c) || matches!(c, 'っ' | 'ッ' | 'ぁ' | 'ぃ' | 'ぅ' | 'ぇ' | 'ぉ')) {
        return false;
    }
    match left {
        None => true,
        Some(c) if is_hiragana(c) => right.is_some_and(|c| is_kanji(c) || is_katakana(c) || is_opening(c)),
        Some(c) => !is_katakana(c) && !is_latin(c) && !is_digit(c),
    }
}
