//! Rule `correction`: reports the corrections of the last proofreading that the text still needs.

use super::RuleReporter;
use crate::checks::{correction::locate, finding::Finding, material::CheckMaterial};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for correction in &material.context().corrections {
        // The passage may have been changed since, by a fix or by the author.
        let Ok(place) = locate(material, correction) else { continue };
        let Some(edit) = place.edit else { continue };
        let finding = Finding::at(place.source)
            .with("kind", correction.kind.name())
            .with("kind_ja", correction.kind.japanese())
            .with("reason", &correction.reason)
            .with("expected", correction.correction.as_deref().unwrap_or_default())
            .with_edit(edit.range, edit.text);
        found.push_with_severity(correction.kind.severity(), finding);
    }
}
