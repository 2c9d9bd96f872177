//! Rule `dash`: finds dashes of other characters than ――, or of an odd number of ―.

use std::ops::Range;

use super::{
    RuleReporter,
    passages::{TextPassage, finding_with_replacement, is_protected, passages},
    signs::{
        after, before, count, even, is_closing, is_dash_of_long_vowels, is_hiragana, is_katakana, is_numeral,
        is_opening, runs,
    },
};
use crate::{checks::material::CheckMaterial, manuscript::is_kanji};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    // Headings may be decorated with strokes.
    for passage in passages(material).filter(|passage| !passage.is_heading) {
        for stroke in [is_stroke, |c| c == '-', |c| c == 'ー'] {
            for run in runs(passage.text, stroke) {
                look(material, found, &passage, &run);
            }
        }
    }
}

fn look(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>, passage: &TextPassage<'_>, run: &Range<usize>) {
    let text = passage.text;
    let expected = "―".repeat(even(count(text, run)));
    if text[run.clone()] == expected || text.trim().len() == run.len() && count(text, run) > 2 || !is_dash(text, run) {
        return;
    }
    if is_protected(material, passage, run) {
        return;
    }
    let mut finding = finding_with_replacement(material, passage, run, &expected);
    if is_unclear(text, run) {
        finding.edits.clear();
    }
    found.push(finding);
}

fn is_stroke(c: char) -> bool {
    matches!(c, '―' | '—' | '─')
}

fn is_dash(text: &str, run: &Range<usize>) -> bool {
    let (left, right) = (before(text, run.start), after(text, run.end));
    let is_ascii = |c: Option<char>| c.is_some_and(|c| c.is_ascii_graphic());
    match after(text, run.start) {
        // Before ASCII or after ASCII punctuation it is a comment, a table or a command option; OK--そう is a dash.
        Some('-') => count(text, run) >= 2 && !is_ascii(right) && !left.is_some_and(|c| c.is_ascii_punctuation()),
        Some('ー') => count(text, run) >= 2 && is_dash_of_long_vowels(text, run),
        _ => {
            let is_range = count(text, run) == 1 && left.is_some_and(is_numeral) && right.is_some_and(is_numeral);
            let is_english = is_ascii(left) && is_ascii(right);
            !is_range && !is_english
        }
    }
}

/// True if another character may have been meant: コ―ヒ―, ねーー先生, 了解ーー」.
fn is_unclear(text: &str, run: &Range<usize>) -> bool {
    let (left, right) = (before(text, run.start), after(text, run.end));
    if after(text, run.start) == Some('ー') {
        let is_drawn_out = left.is_some_and(|c| is_hiragana(c) && !"をはがにでともたるの".contains(c));
        return is_drawn_out || right.is_none_or(is_closing) && left.is_some();
    }
    if count(text, run) > 1 {
        return false;
    }
    match left {
        // コーヒ―と: a long vowel sign is as likely.
        Some(c) if is_katakana(c) => !right.is_some_and(|c| is_kanji(c) || is_opening(c) || is_closing(c)),
        // 東京―大阪間 is a range.
        Some(c) if is_kanji(c) => {
            let rest = &text[run.end..];
            let name = &rest[..rest.find(|c| !is_kanji(c)).unwrap_or(rest.len())];
            name.ends_with(['間', '線', '戦', '便'])
        }
        _ => false,
    }
}
