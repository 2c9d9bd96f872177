//! Rule `okurigana`: finds words with wrong okurigana: 驚ろいた.

use std::collections::BTreeMap;

use super::{RuleReporter, phrasing};
use crate::{
    checks::{Severity, material::CheckMaterial},
    lexicons::okurigana::OKURIGANA,
};

/// The least number of times that an author who means a spelling uses it.
const CONSISTENT: usize = 3;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let mut findings = Vec::new();
    for prose in material.paragraphs() {
        for (wrong, right) in OKURIGANA.find(&material.text()[prose.visible.clone()]) {
            let place = prose.visible.start + wrong.start..prose.visible.start + wrong.end;
            findings.push((right, phrasing::finding_with_wording_at(material, &place, right)));
        }
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (right, _) in &findings {
        *counts.entry(right).or_default() += 1;
    }
    findings.sort_by_key(|(_, finding)| finding.source.start);
    for (right, finding) in findings {
        let is_style = counts[right] >= CONSISTENT;
        found.push_with_severity(if is_style { Severity::Info } else { Severity::Low }, finding);
    }
}
