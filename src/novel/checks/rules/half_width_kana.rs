//! Rule `half_width_kana`: finds runs of half-width kana, with the punctuation of the same width.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::{
    RuleReporter,
    passages::{finding_with_replacement, is_protected, passages},
    signs::{after, before, is_letter, runs},
};
use crate::checks::material::CheckMaterial;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for passage in passages(material) {
        for run in runs(passage.text, |c| is_kana(c) || matches!(c, '｡' | '､' | '･')) {
            for part in parts(passage.text, run) {
                if !is_face(passage.text, &part) && !is_protected(material, &passage, &part) {
                    let wide: String = passage.text[part.clone()].nfkc().collect();
                    found.push(finding_with_replacement(material, &passage, &part, &wide));
                }
            }
        }
    }
}

fn is_kana(c: char) -> bool {
    matches!(c, 'ｦ'..='ﾟ')
}

/// Returns the parts of a run without ellipses and without voicing marks that follow no kana.
fn parts(text: &str, run: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = run.start;
    let dots = runs(&text[run.clone()], |c| c == '･').map(|dots| run.start + dots.start..run.start + dots.end);
    let dots = dots.filter(|dots| dots.len() > '･'.len_utf8());
    for gap in dots.chain(std::iter::once(run.end..run.end)) {
        let part = &text[start..gap.start];
        let head = part.len() - part.trim_start_matches(['ﾞ', 'ﾟ']).len();
        if start + head < gap.start {
            parts.push(start + head..gap.start);
        }
        start = gap.end;
    }
    parts
}

/// True if a sign belongs to an emoticon such as (･ω･) or ヽ(^o^)ﾉ: it is single and not next to a letter.
fn is_face(text: &str, part: &Range<usize>) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| is_letter(c) || is_kana(c));
    let (left, right) = (is_word(before(text, part.start)), is_word(after(text, part.end)));
    let mut signs = text[part.clone()].chars();
    match (signs.next(), signs.next()) {
        (Some('･'), None) => !left || !right,
        (Some('｡' | '､'), None) => !left,
        (Some(_), None) => !left && !right,
        _ => false,
    }
}
