//! Rule `half_width_mark`: finds half-width ! and ? in Japanese text.

use super::{
    RuleReporter,
    passages::{finding_with_replacement, is_protected, passages},
    signs::{after, before, is_japanese, runs},
};
use crate::checks::material::CheckMaterial;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for passage in passages(material) {
        for run in runs(passage.text, |c| matches!(c, '!' | '?' | '！' | '？')) {
            let marks = &passage.text[run.clone()];
            // A mark before a Latin letter may be part of a word or of an address (あ?day=3).
            let is_word = after(passage.text, run.end).is_some_and(|c| c.is_ascii_alphanumeric()) && marks.len() == 1;
            if !marks.contains(['!', '?'])
                || !before(passage.text, run.start).is_some_and(is_japanese)
                || is_word
                || is_protected(material, &passage, &run)
            {
                continue;
            }
            let wide: String = marks
                .chars()
                .map(|c| {
                    if c == '!' {
                        '！'
                    } else if c == '?' {
                        '？'
                    } else {
                        c
                    }
                })
                .collect();
            found.push(finding_with_replacement(material, &passage, &run, &wide));
        }
    }
}
