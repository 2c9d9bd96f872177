//! Rule `long_sentence_run`: finds runs of long sentences of narration.

use super::{RuleReporter, sentence_run};
use crate::checks::CheckMaterial;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let (long, run) = (found.limit("long"), found.limit("run"));
    let metrics = material.metrics();
    let is_long = |nth: usize| metrics.lengths.sentences[nth].1 >= long;
    for run in metrics.rows.runs(run, |one, next| is_long(one) && is_long(next)) {
        found.push(sentence_run::finding(material, &run).with("limit", long));
    }
}
