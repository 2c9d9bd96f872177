//! Rule `western_punctuation`: finds ， ． , and . among 、 and 。.

use super::{
    RuleReporter,
    passages::{finding_with_replacement, is_protected, passages},
    signs::{after, before, is_japanese, runs},
};
use crate::checks::material::CheckMaterial;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    // A text that is punctuated with ， and ． throughout follows another convention.
    let text = material.text();
    let (own, other) = (text.matches(['、', '。']).count(), text.matches(['，', '．']).count());
    if own <= other {
        return;
    }
    for passage in passages(material) {
        for run in runs(passage.text, |c| matches!(c, '，' | '．' | ',' | '.')) {
            let mark = &passage.text[run.clone()];
            // Several marks are an ellipsis; digits and Latin letters have their own punctuation.
            let is_between = before(passage.text, run.start).is_some_and(is_japanese)
                && after(passage.text, run.end).is_none_or(|c| is_japanese(c) || matches!(c, '「' | '」' | '　'));
            let wanted = match mark {
                "，" | "," => "、",
                "．" | "." => "。",
                _ => continue,
            };
            if is_between && !is_protected(material, &passage, &run) {
                found.push(finding_with_replacement(material, &passage, &run, wanted));
            }
        }
    }
}
