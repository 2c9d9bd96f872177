//! Rule `long_sentence`: finds sentences of narration that are longer than the limit.

use super::RuleReporter;
use crate::checks::{Finding, CheckMaterial, splitting};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let longest = found.limit("longest");
    for (at, length) in &material.metrics().lengths.sentences {
        if *length > longest {
            let sentence = &material.sentences()[*at];
            let mut finding = Finding::at(sentence.source())
                .with("count", length)
                .with("limit", longest);
            finding.edits = splitting::cut_edits(material, *at, longest);
            found.push(finding);
        }
    }
}
