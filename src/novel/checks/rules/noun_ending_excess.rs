//! Rule `noun_ending_excess`: finds texts in which too many sentences of narration end in a noun.

use super::{RuleReporter, whole_text};
use crate::checks::{CheckMaterial, metrics::EndingClass};

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let (most, least) = (found.threshold("most"), found.limit("least"));
    let (lengths, endings) = (&material.metrics().lengths, &material.metrics().endings);
    let share = endings.share(EndingClass::Noun);
    if lengths.sentences.len() >= least && share > most {
        let sentences = lengths.sentences.iter().zip(&endings.of_sentences);
        let nouns = sentences.filter(|(_, ending)| ending.class == EndingClass::Noun);
        let evidence: Vec<_> = nouns.map(|((at, _), _)| material.sentences()[*at].source()).collect();
        let count = evidence.len();
        let finding = whole_text::finding(material, evidence)
            .with("count", count)
            .with("value", format!("{share:.2}"))
            .with("limit", most);
        found.push(finding);
    }
}
