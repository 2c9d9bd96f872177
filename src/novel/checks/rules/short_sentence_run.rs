//! Rule `short_sentence_run`: finds runs of short sentences of narration.

use super::{RuleReporter, sentence_run};
use crate::checks::CheckMaterial;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let (short, run) = (found.limit("short"), found.limit("run"));
    let metrics = material.metrics();
    let is_short = |nth: usize| metrics.lengths.sentences[nth].1 <= short;
    for run in metrics.rows.runs(run, |one, next| is_short(one) && is_short(next)) {
        found.push(sentence_run::finding(material, &run).with("limit", short));
    }
}
