//! Rule `phrase_repetition`: finds texts in which phrases of narration recur soon and too often.

use std::ops::Range;

use super::{RuleReporter, whole_text};
use crate::checks::CheckMaterial;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let (most, window, least) = (found.threshold("most"), found.limit("window"), found.limit("least"));
    let words = &material.metrics().words;
    let share = words.repeated_share(window);
    if words.phrases < least || share <= most {
        return;
    }
    let mut stretches: Vec<Range<usize>> = Vec::new();
    for repeat in words.repeats_within(window) {
        match stretches.last_mut() {
            Some(open) if repeat.visible.start < open.end => open.end = repeat.visible.end,
            _ => stretches.push(repeat.visible.clone()),
        }
    }
    let evidence = stretches.iter().map(|stretch| material.source_of(stretch));
    let finding = whole_text::finding(material, evidence.collect())
        .with("count", words.repeats_within(window).count())
        .with("value", format!("{share:.3}"))
        .with("limit", most);
    found.push(finding);
}
