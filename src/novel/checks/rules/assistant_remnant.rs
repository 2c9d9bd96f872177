//! Rule `assistant_remnant`: finds lines in which an AI assistant addresses the author.

use super::{RuleReporter, passages::passages, unwanted::hits};
use crate::{
    checks::{Severity, finding::Finding, material::CheckMaterial},
    lexicons::FORBIDDEN,
};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let source = material.manuscript().source();
    for passage in passages(material) {
        // The source text is searched, since markup is not part of the visible text.
        let line = &source[passage.source.clone()];
        let hits = hits(&FORBIDDEN.assistant, line, |at| material.voice_at(passage.source.start + at));
        let severity = hits.iter().map(|(_, severity)| severity.unwrap_or(Severity::Critical)).max();
        if let Some(severity) = severity {
            let start = passage.source.start + (line.len() - line.trim_start().len());
            found.push_with_severity(severity, Finding::at(start..start + line.trim().len()));
        }
    }
}
