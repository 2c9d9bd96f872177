//! Rule `middle_dot_run`: finds two middle dots where a single one separates words.

use super::{
    RuleReporter,
    passages::{is_protected, passages},
    signs::{divides_words, runs},
};
use crate::checks::{finding::Finding, material::CheckMaterial};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for passage in passages(material) {
        for run in runs(passage.text, |c| c == '・') {
            if !divides_words(passage.text, &run) || is_protected(material, &passage, &run) {
                continue;
            }
            let second = passage.source_of(material, &(run.start + '・'.len_utf8()..run.end));
            let finding = Finding::at(passage.source_of(material, &run)).with("expected", "・");
            found.push(finding.with_edit(second, ""));
        }
    }
}
