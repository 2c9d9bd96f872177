//! Rule `author_query`: reports the questions of the last proofreading that only the author can answer.

use super::RuleReporter;
use crate::checks::{correction::locate, finding::Finding, material::CheckMaterial};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for query in &material.context().corrections {
        let Ok(place) = locate(material, query) else { continue };
        if place.edit.is_some() {
            continue;
        }
        let finding = Finding::at(place.source)
            .with("kind", query.kind.name())
            .with("kind_ja", query.kind.japanese())
            .with("reason", &query.reason);
        found.push_with_severity(query.kind.severity(), finding);
    }
}
