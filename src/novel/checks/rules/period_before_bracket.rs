//! Rule `period_before_bracket`: finds 。 before 」 or 』 in a text that mostly omits it, and 、 there in any text.

use super::{
    RuleReporter,
    passages::passages,
    signs::{before, is_letter, is_opening},
};
use crate::{
    checks::{ClosingQuotePeriod, finding::Finding, material::CheckMaterial},
    manuscript::SpanKind,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let option = material.tuning().closing_quote_period;
    if option == Some(ClosingQuotePeriod::Keep) {
        return;
    }
    let is_fault = option == Some(ClosingQuotePeriod::Remove)
        || share_without(material, found.limit("habit")) >= found.threshold("majority");
    for passage in passages(material).filter(|passage| !passage.is_heading) {
        for (at, bracket) in passage.text.match_indices(['」', '』']) {
            let Some(sign @ ('。' | '、')) = before(passage.text, at) else {
                continue;
            };
            let start = at - sign.len_utf8();
            let is_alone = before(passage.text, start).is_none_or(is_opening);
            if is_alone || (sign == '。' && !is_fault) {
                continue;
            }
            let found_at = passage.source_of(material, &(start..at + bracket.len()));
            let finding = Finding::at(found_at).with("expected", bracket);
            let period = passage.source_of(material, &(start..at));
            // Speech that breaks off at a comma may need …… instead.
            found.push(if sign == '。' { finding.with_edit(period, "") } else { finding });
        }
    }
}

/// Returns the share of speech that closes after a word, among speech that closes after a word or a 。. Returns 1 if
/// fewer than `habit` close after a 。.
fn share_without(material: &CheckMaterial<'_>, habit: usize) -> f64 {
    let manuscript = material.manuscript();
    let source = manuscript.source();
    let (mut with, mut without) = (0_usize, 0_usize);
    for span in manuscript.spans().iter().filter(|span| matches!(span.kind, SpanKind::Dialogue(_))) {
        let speech = manuscript.visible_in(&span.range);
        let Some(inner) = speech.strip_suffix(['」', '』']) else {
            continue;
        };
        let line = manuscript.lines().partition_point(|line| line.next <= span.range.start);
        let line_start = manuscript.lines()[line].content.start;
        let is_head = source[line_start..span.range.start].trim().is_empty();
        let is_quoted = source[span.range.end..].starts_with(['と', 'っ']);
        match inner.chars().next_back() {
            Some('。') => with += 1,
            // A title or a single word in the middle of narration is not speech.
            Some(c) if is_letter(c) && (is_head || is_quoted) => without += 1,
            _ => {}
        }
    }
    if with < habit { 1.0 } else { without as f64 / (with + without) as f64 }
}
