//! Mistyped or missing signs: ellipses, dashes, spaces, full stops, brackets.
//!
//! Each is put in the place of the right sign, or where an author could have put one; in speech too.

use std::collections::HashSet;

use fumi_novel::{
    checks::CheckMaterial,
    manuscript::{SpanKind as Span, SpeechEnd, TextVoice},
};

use super::{Fault, Sign, characters, is_hiragana, is_kanji, is_katakana, is_letter};

/// A single … or dots of another kind, for …… or at the end of a speech.
pub(super) fn ellipsis(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    const WRONG: [&str; 5] = ["…", "・・・", "...", "………", "・・"];
    let source = clean.manuscript().source();
    let mut places = Vec::new();
    for sign in characters(clean) {
        // Dots after a letter of another script belong to that script.
        let follows_word = sign.before.is_some_and(is_letter);
        if source[sign.at..].starts_with("……") && sign.before != Some('…') {
            let is_pair = !source[sign.at + "……".len()..].starts_with('…');
            if is_pair && sign.before.is_none_or(|c| !c.is_ascii()) {
                places.extend(WRONG.map(|wrong| Fault::replaced(sign.at..sign.at + "……".len(), wrong)));
            }
        } else if sign.own == '」' && follows_word {
            // Two middle dots may have another meaning at a place without an ellipsis.
            places.extend(WRONG[..4].iter().map(|wrong| Fault::replaced(sign.at..sign.at, *wrong)));
        }
    }
    places
}

/// A dash of the wrong length or of another sign, for ―― or for a comma before a turn.
pub(super) fn dash(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    const WRONG: [&str; 5] = ["―", "—", "─", "--", "―――"];
    let source = clean.manuscript().source();
    let mut places = Vec::new();
    for sign in characters(clean) {
        if source[sign.at..].starts_with("――") && sign.before != Some('―') {
            let end = sign.at + "――".len();
            if !source[end..].starts_with('―') {
                places.extend(WRONG.map(|wrong| Fault::replaced(sign.at..end, wrong)));
            }
            continue;
        }
        let (Some(before), Some(after)) = (sign.before, sign.after) else {
            continue;
        };
        // Lines between numbers have another meaning, and so have those between letters.
        if sign.own != '、' || !is_letter(before) || !is_letter(after) || is_number(before) || is_number(after) {
            continue;
        }
        places.extend(WRONG.map(|wrong| Fault::replaced(sign.range(), wrong)));
        if is_kanji(before) || (is_hiragana(before) && (is_kanji(after) || is_katakana(after))) {
            places.push(Fault::replaced(sign.range(), "ーー"));
        }
    }
    places
}

fn is_number(c: char) -> bool {
    "〇一二三四五六七八九十百千万".contains(c)
}

/// No space, or one of the half width, where a sentence begins after ！ or ？.
pub(super) fn space_after_mark(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let (source, beginnings) = (clean.manuscript().source(), beginnings(clean));
    let mut places = Vec::new();
    for sign in characters(clean) {
        let is_mark = matches!(sign.own, '！' | '？');
        if is_mark && sign.after == Some('　') {
            let space = sign.range().end;
            let after = space + '　'.len_utf8();
            let Some(next) = source[after..].chars().next().filter(|c| is_letter(*c)) else {
                continue;
            };
            if beginnings.contains(&after) {
                let around = (sign.own.len_utf8(), next.len_utf8());
                places.push(Fault::replaced(space..after, "").reaching(around.0, around.1));
                places.push(Fault::replaced(space..after, " ").reaching(around.0, around.1));
            }
        } else if sign.own == '。'
            && sign.before.is_some_and(is_letter)
            && clean.voice_at(sign.at) == TextVoice::Dialogue
            && let Some(next) = sign.after.filter(|c| is_letter(*c))
            && beginnings.contains(&sign.range().end)
        {
            // A speaker raises the voice.
            places.push(Fault::replaced(sign.range(), "！").reaching(0, next.len_utf8()));
        }
    }
    places
}

/// Returns the starts of words that can begin a sentence.
fn beginnings(clean: &CheckMaterial<'_>) -> HashSet<usize> {
    let words = clean.words().iter();
    let able = words.filter(|word| !matches!(word.parts[0], "助詞" | "助動詞" | "記号") && word.parts[1] != "接尾");
    able.map(|word| word.source.start).collect()
}

/// A 。 before 」 in a text that leaves it out.
pub(super) fn period_before_bracket(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let closings = || characters(clean).filter(|sign| sign.own == '」');
    let with = closings().filter(|sign| sign.before == Some('。')).count();
    let without: Vec<Sign> = closings().filter(|sign| sign.before.is_some_and(is_letter)).collect();
    if with > 0 || without.len() < 3 {
        return Vec::new();
    }
    // A speech, not a quoted word.
    let speeches = without.into_iter().filter(|sign| {
        let line = clean.manuscript().lines().partition_point(|line| line.next <= sign.at);
        let line = clean.manuscript().lines().get(line);
        line.is_some_and(|line| line.content.end == sign.range().end && starts_speech(clean, line.content.start))
    });
    speeches
        .map(|sign| Fault::replaced(sign.at..sign.at, "。").reaching(0, sign.own.len_utf8()))
        .collect()
}

fn starts_speech(clean: &CheckMaterial<'_>, byte: usize) -> bool {
    clean.manuscript().source()[byte..]
        .trim_start_matches('　')
        .starts_with('「')
}

/// A comma or a full stop after another one.
pub(super) fn repeated_punctuation(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let single = characters(clean).filter(|sign| {
        let around = [sign.before, sign.after];
        matches!(sign.own, '。' | '、') && around.iter().flatten().all(|c| !matches!(c, '。' | '、'))
    });
    // A comma is typed twice; a full stop is typed before a comma that was not deleted.
    single
        .flat_map(|sign| {
            let wrong: &[&str] = if sign.own == '。' {
                &["。。", "、。", "。、"]
            } else {
                &["、、"]
            };
            let faults = wrong.iter().map(|wrong| Fault::replaced(sign.range(), *wrong));
            faults.collect::<Vec<_>>()
        })
        .collect()
}

/// A bracket that is missing, doubled, or closed by another one.
pub(super) fn unbalanced_bracket(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let (source, bracket) = (clean.manuscript().source(), '」'.len_utf8());
    let lines = clean.manuscript().lines();
    let mut places = Vec::new();
    for span in clean.manuscript().spans() {
        if span.kind != Span::Dialogue(SpeechEnd::Closed) {
            continue;
        }
        let speech = &source[span.range.clone()];
        let inner = speech.strip_prefix('「').and_then(|rest| rest.strip_suffix('」'));
        let Some(inner) = inner.filter(|inner| !inner.contains(['「', '」', '『', '』', '\n'])) else {
            continue;
        };
        let line = lines.partition_point(|line| line.next <= span.range.start);
        let Some(own) = lines.get(line).filter(|line| line.content == span.range) else {
            continue;
        };
        let (open, close) = (
            own.content.start..own.content.start + bracket,
            own.content.end - bracket..own.content.end,
        );
        // A bracket that is not closed is a fault only if narration follows, and then another speaker.
        let after = &source[own.next.min(source.len())..];
        let is_followed = after.starts_with('　')
            && after
                .find('「')
                .is_some_and(|at| after.find('」').is_some_and(|end| at < end));
        if is_followed && !after.starts_with("　「") {
            places.push(Fault::removed(close.clone(), open.clone()));
        }
        let before = open.start + inner.len();
        places.push(Fault::removed(open.clone(), before..before + bracket));
        let wrong = Fault::replaced(close, "』");
        places.push(wrong.reaching(bracket + inner.len(), 0));
    }
    let stray = characters(clean).filter(|sign| {
        let is_end = sign.own == '。' && sign.before.is_some_and(is_letter);
        is_end && clean.voice_at(sign.at) == TextVoice::Narration
    });
    places.extend(stray.map(|sign| Fault::replaced(sign.at..sign.at, "」")));
    places
}
