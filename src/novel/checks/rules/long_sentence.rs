//! Rule `long_sentence`: finds sentences of narration that are longer than the limit.

use super::RuleReporter;
use crate::checks::{CheckMaterial, Finding, Severity, splitting};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let longest = found.limit("longest");
    let lengths = &material.metrics().lengths.sentences;
    let mut findings = Vec::new();
    for (at, length) in lengths {
        if *length > longest {
            let sentence = &material.sentences()[*at];
            let mut finding = Finding::at(sentence.source()).with("count", length).with("limit", longest);
            finding.edits = splitting::cut_edits(material, *at, longest);
            findings.push((Severity::Low, finding));
        }
    }
    found.push_habit(findings, lengths.len());
}
