//! Rule `placeholder`: finds marks of text still to be written.

use super::{RuleReporter, passages::passages, unwanted::hits};
use crate::{
    checks::{Severity, finding::Finding, material::CheckMaterial},
    lexicons::FORBIDDEN,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for passage in passages(material) {
        let source = |at: usize| passage.source_of(material, &(at..at + 1)).start;
        for (range, severity) in hits(&FORBIDDEN.placeholder, passage.text, |at| material.voice_at(source(at))) {
            let finding = Finding::at(passage.source_of(material, &range));
            found.push_with_severity(severity.unwrap_or(Severity::Critical), finding);
        }
    }
}
