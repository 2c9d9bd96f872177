//! Characters of the wrong width, or decomposed: marks, kana, brackets, kana with a separate voiced mark.
//!
//! The meaning does not change; only the code points do.

use std::ops::Range;

use fumi_novel::{
    checks::CheckMaterial,
    manuscript::{SpanKind as Span, SpeechEnd},
};
use unicode_normalization::UnicodeNormalization as _;

use super::{Fault, characters, is_bare, is_hiragana, is_kanji, is_katakana, is_letter};

/// ! or ? of the half width.
pub(super) fn half_width_mark(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let source = clean.manuscript().source();
    let mut places = Vec::new();
    for sign in characters(clean) {
        let is_mark = |c: char| matches!(c, '！' | '？');
        if is_mark(sign.own) && sign.before.is_some_and(is_letter) {
            let run: String = source[sign.at..].chars().take_while(|c| is_mark(*c)).collect();
            let half: String = run.chars().map(|c| if c == '！' { '!' } else { '?' }).collect();
            places.push(Fault::replaced(sign.at..sign.at + run.len(), half));
        } else if sign.own == '」' && sign.before.is_some_and(is_hiragana) {
            // A speech with a mark at its end.
            let asks = source[..sign.at].ends_with('か');
            places.push(Fault::replaced(sign.at..sign.at, if asks { "?" } else { "!" }));
        }
    }
    places
}

/// A word of katakana in the half width.
pub(super) fn half_width_kana(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let words = clean.words().iter();
    let katakana = words.filter(|word| {
        let is_word = word.surface.chars().count() >= 2 && word.surface.chars().all(is_katakana);
        is_word && !word.surface.starts_with('ー') && is_bare(clean, word)
    });
    katakana
        .filter_map(|word| {
            let half: Option<String> = word.surface.chars().map(half).collect();
            half.map(|half| Fault::replaced(word.source.clone(), half))
        })
        .collect()
}

/// A katakana in the half width, which may be two characters.
fn half(c: char) -> Option<String> {
    const FULL: &str = "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン";
    let pieces: Vec<char> = c.nfd().collect();
    let place = FULL.chars().position(|full| full == pieces[0])?;
    let base = char::from_u32(0xff66 + u32::try_from(place).ok()?)?;
    let mark = match pieces.get(1) {
        None => "",
        Some('\u{3099}') => "ﾞ",
        Some('\u{309a}') => "ﾟ",
        Some(_) => return None,
    };
    Some(format!("{base}{mark}"))
}

/// Half-width brackets around unchanged words.
pub(super) fn half_width_bracket(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let source = clean.manuscript().source();
    let mut places = Vec::new();
    for span in clean.manuscript().spans() {
        if !matches!(
            span.kind,
            Span::Dialogue(SpeechEnd::Closed) | Span::Thought(SpeechEnd::Closed)
        ) {
            continue;
        }
        places.extend(pair(source, &span.range));
    }
    // A quoted word, or an aside.
    let mut open = None;
    for sign in characters(clean) {
        match sign.own {
            '（' => open = Some(sign.at),
            '）' => {
                if let Some(from) = open.take() {
                    places.extend(pair(source, &(from..sign.range().end)));
                }
            }
            _ => {}
        }
    }
    places.sort_by_key(|place| place.changes[0].range.start);
    places.dedup();
    places
}

fn pair(source: &str, range: &Range<usize>) -> Option<Fault> {
    const PAIRS: [(char, char, char, char); 2] = [('「', '」', '｢', '｣'), ('（', '）', '(', ')')];
    let text = &source[range.clone()];
    let bracket = '「'.len_utf8();
    let (_, _, open, close) = *PAIRS
        .iter()
        .find(|(open, close, ..)| text.starts_with(*open) && text.ends_with(*close))?;
    let inner = text.get(bracket..text.len() - bracket)?;
    let is_plain = !inner.contains(['「', '」', '（', '）', '『', '』', '《', '\n']);
    let has_words = inner.chars().any(|c| is_hiragana(c) || is_katakana(c) || is_kanji(c));
    let whole = format!("{open}{inner}{close}");
    (is_plain && has_words).then(|| Fault::replaced(range.clone(), whole))
}

/// Kana with a separate voiced mark.
pub(super) fn decomposed_character(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let words = clean.words().iter().filter(|word| is_bare(clean, word));
    words
        .filter_map(|word| {
            let is_kana = |c: char| is_hiragana(c) || is_katakana(c);
            let pieces = |c: char| -> String { if is_kana(c) { c.nfd().collect() } else { c.to_string() } };
            let decomposed: String = word.surface.chars().map(pieces).collect();
            (decomposed != word.surface).then(|| Fault::replaced(word.source.clone(), decomposed))
        })
        .collect()
}
