//! Rule `conjunction_excess`: finds texts in which too many sentences of narration begin with a conjunction.

use super::{RuleReporter, whole_text};
use crate::checks::CheckMaterial;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let (most, least) = (found.threshold("most"), found.limit("least"));
    let (lengths, words) = (&material.metrics().lengths, &material.metrics().words);
    if lengths.sentences.len() >= least && words.conjunction_share > most {
        let openings = words.conjunctions.iter();
        let evidence = openings.map(|opening| material.source_of(&opening.visible));
        let finding = whole_text::finding(material, evidence.collect())
            .with("count", words.conjunctions.len())
            .with("value", format!("{:.2}", words.conjunction_share))
            .with("limit", most);
        found.push(finding);
    }
}
