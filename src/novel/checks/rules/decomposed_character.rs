//! Rule `decomposed_character`: finds kana or Latin letters stored with their mark as two characters although a single
//! one exists.

use unicode_normalization::char::compose;

use super::{
    RuleReporter,
    signs::{is_kana, is_latin},
};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::LineKind,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let manuscript = material.manuscript();
    for line in manuscript.lines().iter().filter(|line| line.kind != LineKind::Verbatim) {
        let text = &manuscript.source()[line.content.clone()];
        let mut last = None;
        for (at, c) in text.char_indices() {
            if let Some((start, base)) = last
                && let Some(whole) = composed(base, c)
            {
                let pair = line.content.start + start..line.content.start + at + c.len_utf8();
                found.push(Finding::at(pair).with_replacement(whole));
            }
            last = Some((at, c));
        }
    }
}

/// Returns the single character that a letter and a mark compose.
fn composed(base: char, mark: char) -> Option<char> {
    let is_pair = match mark {
        '\u{3099}' | '\u{309a}' => is_kana(base),
        '\u{300}'..='\u{36f}' => is_latin(base) && base < 'Ａ',
        _ => false,
    };
    if is_pair { compose(base, mark) } else { None }
}
