//! Rule `repeated_punctuation`: finds 。 or 、 directly after another one.

use super::{
    RuleReporter,
    passages::passages,
    signs::{count, runs},
};
use crate::checks::{finding::Finding, material::CheckMaterial};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for passage in passages(material) {
        for run in runs(passage.text, |c| matches!(c, '。' | '、')) {
            let signs = &passage.text[run.clone()];
            let number = count(passage.text, &run);
            if number < 2 {
                continue;
            }
            let finding = Finding::at(passage.source_of(material, &run));
            let finding = finding.with("expected", if signs.contains('。') { "。" } else { "、" });
            // Three may be meant as an ellipsis.
            found.push(if number == 2 {
                let middle = run.start + '。'.len_utf8();
                let excess = if signs == "、。" { run.start..middle } else { middle..run.end };
                finding.with_edit(passage.source_of(material, &excess), "")
            } else {
                finding
            });
        }
    }
}
