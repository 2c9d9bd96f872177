//! Rule `minus_sign`: finds − or － without a following number, used for ー or a dash.

use std::ops::Range;

use super::{
    RuleReporter,
    passages::{finding_with_replacement, is_protected, passages},
    signs::{
        after, before, count, even, is_digit, is_hiragana, is_kana, is_katakana, is_latin, is_numeral, is_opening, runs,
    },
};
use crate::{checks::material::CheckMaterial, manuscript::is_kanji};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for passage in passages(material).filter(|passage| !passage.is_heading) {
        let text = passage.text;
        for run in runs(text, |c| matches!(c, '−' | '－')) {
            let (left, right) = (before(text, run.start), after(text, run.end));
            let is_foreign = |c: Option<char>| c.is_some_and(|c| is_latin(c) || is_digit(c));
            if right.is_some_and(is_numeral)
                || left.is_some_and(is_latin)
                || is_foreign(left) && is_foreign(right)
                || is_protected(material, &passage, &run)
            {
                continue;
            }
            let is_vowel = count(text, &run) == 1 && left.is_some_and(is_kana);
            let expected = if is_vowel { "ー".to_owned() } else { "―".repeat(even(count(text, &run))) };
            let mut finding = finding_with_replacement(material, &passage, &run, &expected);
            if is_unclear(text, &run) {
                finding.edits.clear();
            }
            found.push(finding);
        }
    }
}

/// True if only the author knows which character was meant.
fn is_unclear(text: &str, run: &Range<usize>) -> bool {
    let (left, right) = (before(text, run.start), after(text, run.end));
    match left {
        Some(c) if is_katakana(c) => count(text, run) > 1,
        // の－猫 is a dash, すご－い a long vowel.
        Some(c) if is_hiragana(c) => {
            count(text, run) > 1 || right.is_some_and(|c| is_kanji(c) || is_katakana(c) || is_opening(c))
        }
        _ => count(text, run) == 1,
    }
}
